/** The most likely charset of bytes whose charset nobody names: the frequency of characters decides. */
import { analyse } from 'chardet';

import { isKnown, isMeaningless, nameOf } from './charset-names.ts';

export const SAMPLE_BYTES = 64 * 1024;
/** At least this share of the characters of a text are common ones. */
export const LIKELY_SCORE = 0.8;
const ESCAPE = 0x1b;

/** RFC 1468: seven-bit bytes with escape sequences that switch to Japanese and back. */
export function isIso2022Jp(bytes: Buffer): boolean {
  return (
    bytes.includes(ESCAPE) &&
    // oxlint-disable-next-line no-control-regex
    /\x1b\$[@B]|\x1b\([IJ]/.test(bytes.toString('latin1', 0, SAMPLE_BYTES))
  );
}

/** The most likely charset of eight-bit bytes that are not UTF-8. */
export function charsetOf(bytes: Buffer, hint?: string): string {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const named = hint === undefined || isMeaningless(hint) ? undefined : nameOf(hint);
  const scores = scoresOf(sample);
  const asNamed = scores.find(({ charset }) => charset === named);
  if (asNamed && asNamed.score > 0.3) return asNamed.charset;
  const best = bestCharset(scores);
  if (best.score >= LIKELY_SCORE && !hasLoneHighBytes(sample)) return best.charset;
  if (named !== undefined && asNamed === undefined && isKnown(named)) return named;
  return mostLikely(sample, isMostlyHigh(sample) ? OTHER_LETTERS : LATIN_LETTERS);
}

/** Charsets of single bytes, the one of most such emails first. */
const OTHER_LETTERS = [
  'windows-1251',
  'koi8-u',
  'iso-8859-7',
  'windows-1253',
  'iso-8859-8',
  'windows-1255',
  'windows-1256',
  'iso-8859-6',
  'windows-874',
];
const LATIN_LETTERS = ['windows-1252', 'iso-8859-2', 'windows-1250', 'iso-8859-9', 'windows-1254'];
const WIDER: Readonly<Record<string, string>> = {
  'ISO-8859-1': 'windows-1252',
  'KOI8-R': 'koi8-u',
};

/** How much more likely another charset of Latin letters must be than the usual one. */
const LATIN_MARGIN = 1.4;

/** By how often letters follow each other, among the charsets in which all bytes are characters. */
function mostLikely(sample: Buffer, charsets: readonly string[]): string {
  const found = analyse(sample).map(({ name, confidence }) => ({
    charset: WIDER[name] ?? name.toLowerCase(),
    confidence,
  }));
  let [best = '', most] = [charsets[0], 0];
  for (const charset of charsets) {
    const confidence = found.find((one) => one.charset === charset)?.confidence ?? 0;
    if (confidence <= most || !isAllCharacters(sample, charset)) continue;
    const isUsual = charset === LATIN_LETTERS[0];
    [best, most] = [charset, isUsual ? confidence * LATIN_MARGIN : confidence];
  }
  return best;
}

const isAllCharacters = (bytes: Buffer, charset: string): boolean =>
  !new TextDecoder(charset).decode(bytes).includes('\ufffd');

/** The charset of several bytes for each character that fits so many bytes that it is no coincidence. */
export function certainCharset(bytes: Buffer): string | undefined {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const best = bestCharset(scoresOf(sample));
  const isLong = count(sample.toString('latin1'), /[\x80-\xff]/g) >= CERTAIN_MIN_BYTES;
  return isLong && best.score >= LIKELY_SCORE && !hasLoneHighBytes(sample)
    ? best.charset
    : undefined;
}
const CERTAIN_MIN_BYTES = 16;

type Shape = {
  isLead: (byte: number) => boolean;
  isTrail: (byte: number, lead: number) => boolean;
  /** Whether the character is in the range of common ones. */
  isCommon: (lead: number, trail: number) => boolean;
  /** Whether the byte is a character of its own. */
  isSingle?: (byte: number) => boolean;
  /** Decides between charsets with the same ranges. */
  bias?: (characters: number, common: number, lowTrails: number) => number;
};

const within = (from: number, to: number) => (byte: number) => byte >= from && byte <= to;
const euc = within(0xa1, 0xfe);
export const MULTIBYTE: readonly ({ charset: string } & Shape)[] = [
  {
    charset: 'shift_jis',
    isLead: (byte) => within(0x81, 0x9f)(byte) || within(0xe0, 0xfc)(byte),
    isTrail: (byte) => within(0x40, 0xfc)(byte) && byte !== 0x7f,
    isSingle: within(0xa1, 0xdf),
    isCommon: (lead) => within(0x81, 0x83)(lead) || within(0x88, 0x97)(lead),
  },
  {
    charset: 'big5',
    isLead: within(0xa1, 0xf9),
    isTrail: (byte) => within(0x40, 0x7e)(byte) || euc(byte),
    isCommon: (lead) => within(0xa4, 0xc6)(lead) || lead === 0xa1,
    bias: (characters, _, lowTrails) => (characters >= 4 && lowTrails === 0 ? -0.05 : 0),
  },
  {
    charset: 'euc-jp',
    isLead: euc,
    isTrail: euc,
    isCommon: (lead) => lead === 0xa4 || lead === 0xa5 || lead === 0xa1,
    bias: (characters, common) => (characters >= 3 && common >= 0.4 * characters ? 0.6 : 0),
  },
  {
    charset: 'euc-kr',
    isLead: euc,
    // Korean no longer uses the last letters of row A4, which are the hiragana from ま on in EUC-JP
    isTrail: (byte, lead) => within(0xa1, lead === 0xa4 ? 0xd4 : 0xfe)(byte),
    isCommon: (lead) => within(0xb0, 0xc8)(lead),
  },
  {
    charset: 'gb18030',
    isLead: within(0x81, 0xfe),
    isTrail: (byte) => within(0x40, 0xfe)(byte) && byte !== 0x7f,
    isCommon: (lead, trail) =>
      (within(0xb0, 0xd7)(lead) || lead === 0xa1 || lead === 0xa3) && trail >= 0xa1,
  },
];

/** Korean of Windows, of which most is in EUC-KR. */
export const UHC: Shape = {
  isLead: within(0x81, 0xfe),
  isTrail: (byte, lead) =>
    lead === 0xa4
      ? within(0xa1, 0xd4)(byte)
      : within(0x81, 0xfe)(byte) || within(0x41, 0x5a)(byte) || within(0x61, 0x7a)(byte),
  isCommon: (lead, trail) => lead >= 0xa1 && trail >= 0xa1,
};

export const scoresOf = (sample: Buffer) =>
  MULTIBYTE.map(({ charset, ...shape }) => ({ charset, score: scoreOf(sample, shape) }));
export const bestCharset = (scores: ReturnType<typeof scoresOf>) =>
  scores.reduce((one, other) => (other.score > one.score ? other : one));

/** Share of common characters among those that are not ASCII; -1 for bytes of another charset. */
export function scoreOf(
  bytes: Buffer,
  { isLead, isTrail, isCommon, isSingle, bias }: Shape,
): number {
  let [characters, common, lowTrails] = [0, 0, 0];
  for (let at = 0; at < bytes.byteLength; at++) {
    const byte = bytes[at] as number;
    if (byte < 0x80) continue;
    characters++;
    if (isSingle?.(byte)) continue;
    const trail = bytes[++at];
    if (trail === undefined && at >= SAMPLE_BYTES) break; // the sample ends here
    if (!isLead(byte) || trail === undefined || !isTrail(trail, byte)) return -1;
    if (isCommon(byte, trail)) common++;
    if (trail < 0xa1) lowTrails++;
  }
  return characters === 0 ? 0 : common / characters + (bias?.(characters, common, lowTrails) ?? 0);
}

/* oxlint-disable no-control-regex */

/**
 * A high byte between ASCII letters is an umlaut rather than half of a character. Western charsets
 * have no letters below A0.
 */
function hasLoneHighBytes(bytes: Buffer): boolean {
  const text = bytes.toString('latin1');
  const lone = count(text, /(?<![\x80-\xff])[\xa0-\xff](?![\x80-\xff])/g);
  return count(text, /[a-z][\xa0-\xff][a-z]/gi) > 0 && lone > count(text, /[\x80-\xff]/g) / 2;
}

/** Most letters are high bytes, as in Cyrillic. */
const isMostlyHigh = (bytes: Buffer): boolean =>
  count(bytes.toString('latin1'), /[\xa0-\xff]/g) > 2 * count(bytes.toString('latin1'), /[a-z]/gi);

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

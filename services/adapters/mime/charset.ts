/**
 * Decodes bytes to text by the charset that the email names. If it names none, or one that the
 * bytes contradict, the bytes decide.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import { analyse } from 'chardet';
import iconv from 'iconv-lite';

/** Names without meaning, which programs write when they do not know the charset. */
const MEANINGLESS =
  /^(unknown|x-unknown|unknown-8bit|8bit|binary|default|none|us-ascii|ascii|ansi_x3\.4-1968|utf-?8|)$/;
export const isMeaningless = (label: string): boolean =>
  MEANINGLESS.test(label.trim().toLowerCase());
const ALIASES: Record<string, string> = {
  'iso-2022-jp-ms': 'iso-2022-jp',
  cp50220: 'iso-2022-jp',
  cp50221: 'iso-2022-jp',
  gb2312: 'gb18030',
  gbk: 'gb18030',
  cp936: 'gb18030',
  'x-gbk': 'gb18030',
  cp932: 'shift_jis',
  cp949: 'euc-kr',
  cp950: 'big5',
};
const SAMPLE_BYTES = 64 * 1024;
const [LF, ESCAPE] = [0x0a, 0x1b];
const UTF8 = new TextDecoder();
/**
 * Text in UTF-8 may have a few broken characters. In other text that is called UTF-8, nearly all
 * are broken.
 */
const BROKEN_MAX_SHARE = 0.25;
/** At least this share of the characters of a text are common ones. */
const LIKELY_SCORE = 0.8;

/**
 * @param label name of the charset in the email
 * @param hint charset of another part of the email
 */
export function decodeText(bytes: Buffer, label: string | undefined, hint?: string): string {
  const name = (label ?? '').trim().toLowerCase();
  if (MEANINGLESS.test(name)) return decodeUnnamed(bytes, name.startsWith('utf'), hint);
  const charset = contradiction(bytes, name) ?? name;
  return decodeNamed(bytes, charset) ?? decodeUnnamed(bytes, false, hint);
}

/** The charset of bytes that cannot be in the multi-byte charset of their label. */
export function contradiction(bytes: Buffer, label: string): string | undefined {
  if (isAscii(bytes)) return undefined;
  const charset = canonicalName(label);
  const sevenBit = SEVEN_BIT.find(({ name }) => name === charset);
  if (sevenBit !== undefined) {
    if (sevenBit.shift.test(bytes.toString('latin1', 0, SAMPLE_BYTES))) return undefined;
    return isUtf8(bytes) ? 'utf-8' : charsetOf(bytes, sevenBit.eightBit);
  }
  const shape = MULTIBYTE.find((one) => one.charset === charset);
  if (shape === undefined) return undefined;
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const score = scoreOf(sample, shape);
  if (isUtf8(bytes)) return score < LIKELY_SCORE ? 'utf-8' : undefined;
  const best = score < 0 ? bestOf(scoresOf(sample)) : undefined;
  return best && best.score >= LIKELY_SCORE ? best.charset : undefined;
}

/** The charset in the HTML itself. */
export const charsetOfHtml = (bytes: Buffer): string | undefined =>
  /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{1,40})/i.exec(bytes.toString('latin1', 0, 2_000))?.[1];

/**
 * The first `maxBytes`, without a UTF-8 character that is cut there: it would make all of them look
 * like another charset.
 */
export function wholeCharacters(bytes: Buffer, maxBytes: number): Buffer {
  if (bytes.byteLength <= maxBytes) return bytes;
  const lead = [1, 2, 3].find((back) => ((bytes[maxBytes - back] ?? 0) & 0xc0) === 0xc0) ?? 0;
  return bytes.subarray(0, maxBytes - lead);
}

/** Whether CR and LF are single bytes in this charset. */
export const hasByteLineEnds = (label: string | undefined): boolean =>
  !/^(utf-?16|utf-?32|ucs-?[24]|unicode$|iso-10646-ucs)/i.test(label?.trim() ?? '');

/** Undefined for an unknown charset. */
export function decodeNamed(bytes: Uint8Array, label: string): string | undefined {
  const name = ALIASES[label.trim().toLowerCase()] ?? label.trim().toLowerCase();
  const { widen, eightBit = '' } = SEVEN_BIT.find((one) => one.name === name) ?? {};
  if (widen) {
    const text = widen(Buffer.from(bytes).toString('latin1'));
    return new TextDecoder(eightBit).decode(Buffer.from(text, 'latin1'));
  }
  try {
    return new TextDecoder(name).decode(bytes);
  } catch {
    return iconv.encodingExists(name)
      ? iconv.decode(Buffer.from(bytes), name).toWellFormed()
      : undefined;
  }
}

/** One name for all labels of a charset. */
function canonicalName(label: string): string {
  const name = ALIASES[label.trim().toLowerCase()] ?? label.trim().toLowerCase();
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return name;
  }
}

// oxlint-disable no-control-regex

/** Charsets of seven-bit bytes: what shifts to their characters, and these with high bits. */
const SEVEN_BIT: readonly {
  name: string;
  shift: RegExp;
  eightBit?: string;
  widen?: (text: string) => string;
}[] = [
  { name: 'iso-2022-jp', shift: /\x1b[$(]/ },
  {
    name: 'iso-2022-kr', // RFC 1557: SO and SI around Korean
    shift: /\x0e/,
    eightBit: 'euc-kr',
    widen: (text) =>
      text
        .replaceAll('\x1b$)C', '')
        .replace(/\x0e([^\x0f\n]*)\x0f?/g, (_, korean: string) => withHighBits(korean)),
  },
  {
    name: 'hz-gb-2312', // RFC 1843: `~{` and `~}` around Chinese, `~~` for a tilde
    shift: /~\{/,
    eightBit: 'gb18030',
    widen: (text) =>
      text.replace(
        /~\{((?:[!-w][!-~])*)(?:~\})?|~(~)|~\r?\n/g,
        (_, chinese = '', tilde = '') => withHighBits(chinese as string) + (tilde as string),
      ),
  },
];

const withHighBits = (text: string): string =>
  text.replace(/[!-~]/g, (char) => String.fromCharCode(char.charCodeAt(0) | 0x80));

// oxlint-enable no-control-regex

function decodeUnnamed(bytes: Buffer, isNamedUtf8: boolean, hint: string | undefined): string {
  if (isUtf8(bytes))
    return isIso2022Jp(bytes) ? (decodeNamed(bytes, 'iso-2022-jp') ?? '') : UTF8.decode(bytes);
  if (isNamedUtf8) {
    const text = UTF8.decode(bytes);
    const sample = text.slice(0, SAMPLE_BYTES);
    const broken = sample.split('\ufffd').length - 1;
    // oxlint-disable-next-line no-control-regex
    if (broken <= BROKEN_MAX_SHARE * sample.replace(/[\x00-\x7f]/g, '').length) return text;
    const footer = bytes.subarray(endOfUtf8(bytes));
    if (footer.byteLength < bytes.byteLength)
      return (
        UTF8.decode(bytes.subarray(0, -footer.byteLength)) +
        (decodeNamed(footer, charsetOf(footer, hint)) ?? '')
      );
  }
  return decodeNamed(bytes, charsetOf(bytes, hint)) ?? '';
}

/**
 * Where the first line begins that is not UTF-8: mailing lists append footers in charsets of their
 * own. 0 when no letter beyond ASCII is above it.
 */
function endOfUtf8(bytes: Buffer): number {
  let at = 0;
  for (let next = 0; at < bytes.byteLength; at = next) {
    next = bytes.indexOf(LF, at) + 1 || bytes.byteLength;
    if (!isUtf8(bytes.subarray(at, next))) break;
  }
  return isAscii(bytes.subarray(0, at)) ? 0 : at;
}

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
  const named = hint === undefined || isMeaningless(hint) ? undefined : hint.toLowerCase();
  const canonical = named === undefined ? undefined : (ALIASES[named] ?? named);
  const scores = scoresOf(sample);
  const asNamed = scores.find(({ charset }) => charset === canonical);
  if (asNamed && asNamed.score > 0.3) return asNamed.charset;
  const best = bestOf(scores);
  if (best.score >= LIKELY_SCORE && !hasLoneHighBytes(sample)) return best.charset;
  if (
    named !== undefined &&
    asNamed === undefined &&
    decodeNamed(Buffer.alloc(0), named) !== undefined
  )
    return named;
  if (!isMostlyHigh(sample)) return 'windows-1252'; // most of this mail is Western European
  return (
    analyse(sample).find(({ name }) => /^(windows-1251|koi8-r)$/i.test(name))?.name ??
    'windows-1251'
  );
}

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
const MULTIBYTE: readonly ({ charset: string } & Shape)[] = [
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

const scoresOf = (sample: Buffer) =>
  MULTIBYTE.map(({ charset, ...shape }) => ({ charset, score: scoreOf(sample, shape) }));
const bestOf = (scores: ReturnType<typeof scoresOf>) =>
  scores.reduce((one, other) => (other.score > one.score ? other : one));

/** Share of common characters among those that are not ASCII; -1 for bytes of another charset. */
function scoreOf(bytes: Buffer, { isLead, isTrail, isCommon, isSingle, bias }: Shape): number {
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

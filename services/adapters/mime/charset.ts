/**
 * Decodes bytes to text by the charset that the email names. If it names none, or one that the
 * bytes contradict, the bytes decide.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';

import {
  bestCharset,
  charsetOf,
  isIso2022Jp,
  LIKELY_SCORE,
  MULTIBYTE,
  SAMPLE_BYTES,
  scoreOf,
  scoresOf,
  UHC,
} from './charset-guess.ts';
import { canonicalName, isMeaningless, isUtf16, nameOf } from './charset-names.ts';
import { eucOfIso2022Kr, gbOfHz, textOfUtf7 } from './seven-bit.ts';

const LF = 0x0a;
const UTF8 = new TextDecoder();
/**
 * Text in UTF-8 may have a few broken characters. In other text that is called UTF-8, nearly all
 * are broken.
 */
const BROKEN_MAX_SHARE = 0.25;

/**
 * `wrong`: the bytes are not in the charset that is named, or a character was replaced. `guessed`: no
 * charset that is known is named, and the bytes do not say which it is.
 */
export type Doubt = 'wrong' | 'guessed';
export type OnDoubt = (doubt: Doubt) => void;

/** The likely charset of bytes that name none. */
export type Guess = (bytes: Buffer) => string;

/**
 * @param label name of the charset in the email
 * @param guess by all of the email
 */
export function decodeText(
  bytes: Buffer,
  label: string | undefined,
  guess: Guess = charsetOf,
  onDoubt?: OnDoubt,
): string {
  const name = nameOf(label ?? '');
  if (isUtf16(name)) return decodeUtf16(bytes, name, onDoubt);
  if (isMeaningless(name)) return decodeUnnamed(bytes, name === 'utf-8', guess, onDoubt);
  const other = contradiction(bytes, name);
  if (other !== undefined) onDoubt?.('wrong');
  const text = decodeNamed(bytes, other ?? name);
  if (text === undefined) return decodeUnnamed(bytes, false, guess, onDoubt);
  if (other === undefined && REPLACED.test(text)) onDoubt?.('wrong');
  return text;
}

/** U+F8F8 is what Big5 of Node has for a byte without meaning. */
const REPLACED = /[\ufffd\uf8f8]/;

/** Without a mark, RFC 2781 §4.3 says big-endian, many programs write the other order: the bytes decide. */
function decodeUtf16(bytes: Buffer, name: string, onDoubt: OnDoubt | undefined): string {
  const [first, second] = bytes;
  const marked =
    first === 0xfe && second === 0xff
      ? 'utf-16be'
      : first === 0xff && second === 0xfe
        ? 'utf-16le'
        : undefined;
  const charset = marked ?? (name === 'utf-16' ? likelyOrder(bytes) : name);
  if (marked === undefined && name === 'utf-16' && bytes.byteLength > 0) onDoubt?.('guessed');
  const isNamed = name === 'utf-16' || charset === name;
  const text = new TextDecoder(charset).decode(bytes);
  if (!isNamed || REPLACED.test(text)) onDoubt?.('wrong');
  return text;
}

/** Blanks, line ends and ASCII have a zero byte in front in big-endian order. */
function likelyOrder(bytes: Buffer): 'utf-16be' | 'utf-16le' {
  let [big, little] = [0, 0];
  const end = Math.min(bytes.byteLength, SAMPLE_BYTES) - 1;
  for (let at = 0; at < end; at += 2) {
    const [high, low] = [bytes[at] as number, bytes[at + 1] as number];
    if (isText(high, low)) big++;
    if (isText(low, high)) little++;
  }
  return little > big ? 'utf-16le' : 'utf-16be';
}

/** ASCII, or the blank and the full stop of Chinese and Japanese. */
const isText = (high: number, low: number): boolean =>
  high === 0 ? low >= 0x09 && low < 0x7f : high === 0x30 && low <= 0x02;

/** The charset of bytes that cannot be in the multi-byte charset of their label. */
function contradiction(bytes: Buffer, label: string): string | undefined {
  if (isAscii(bytes)) return undefined;
  const charset = canonicalName(label);
  const sevenBit = SEVEN_BIT.find(({ name }) => name === charset);
  if (sevenBit !== undefined) {
    if (sevenBit.shift.test(bytes.toString('latin1', 0, SAMPLE_BYTES))) return undefined;
    return isUtf8(bytes) ? 'utf-8' : charsetOf(bytes, sevenBit.eightBit);
  }
  const shape = MULTIBYTE.find((one) => one.charset === charset);
  if (shape === undefined) return isUtf8ByName(bytes, charset) ? 'utf-8' : undefined;
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const score = scoreOf(sample, shape);
  if (isUtf8(bytes))
    return score < LIKELY_SCORE &&
      (score < 0 || multibyteIn(sample) > 2 || multibyteIn(sample, 0xe0) > 1)
      ? 'utf-8'
      : undefined;
  const isUhc = charset === 'euc-kr' && scoreOf(sample, UHC) >= UHC_SCORE;
  const best = score < 0 && !isUhc ? bestCharset(scoresOf(sample)) : undefined;
  return best && best.score >= LIKELY_SCORE ? best.charset : undefined;
}

/** Syllables that EUC-KR does not have are few. */
const UHC_SCORE = 0.6;

/** In these, two letters of a word may also be the bytes of one character in UTF-8. */
const LETTERS_LIKE_UTF8 = /^(windows-874|(ibm|cp)8\d\d)$/;
const CHANCE_MAX_CHARACTERS = 4;

/**
 * Whether a text that names a charset of single bytes is UTF-8: two characters of several bytes are
 * no chance, or five where the text is letters by its name, too. A letter of Latin-1
 * between ASCII letters is no UTF-8.
 */
function isUtf8ByName(bytes: Buffer, charset: string): boolean {
  if (charset === 'utf-7' || charset.startsWith('utf-32') || !isUtf8(bytes)) return false;
  const sample = wholeCharacters(bytes, SAMPLE_BYTES);
  const characters = multibyteIn(sample);
  const named = decodeNamed(sample, charset);
  if (characters < 2 || named === undefined) return false; // of an unknown one, the bytes decide
  if (characters > CHANCE_MAX_CHARACTERS && !LETTERS_LIKE_UTF8.test(charset)) return true;
  return !/^[\p{L}\p{M}\p{ASCII}]+$/u.test(named);
}

/** Characters of several bytes in UTF-8, from this first byte on. */
function multibyteIn(bytes: Buffer, from = 0xc0): number {
  let characters = 0;
  for (const byte of bytes) if (byte >= from) characters++;
  return characters;
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
export const hasByteLineEnds = (label: string | undefined): boolean => {
  const name = nameOf(label ?? '');
  return !isUtf16(name) && !name.startsWith('utf-32');
};

/** Undefined for an unknown charset. */
export function decodeNamed(bytes: Uint8Array, label: string): string | undefined {
  const name = nameOf(label);
  if (name === 'utf-7') return textOfUtf7(bytes);
  const { widen, eightBit } = SEVEN_BIT.find((one) => one.name === name) ?? {};
  if (widen) return new TextDecoder(eightBit).decode(widen(bytes));
  // Node knows only the 2,350 syllables of KS X 1001.
  if (name === 'euc-kr') return iconv.decode(Buffer.from(bytes), 'cp949');
  try {
    return new TextDecoder(name).decode(name === 'iso-2022-jp' ? withoutIdleEscapes(bytes) : bytes);
  } catch {
    return iconv.encodingExists(name)
      ? iconv.decode(Buffer.from(bytes), name).toWellFormed()
      : undefined;
  }
}

// oxlint-disable no-control-regex

/** Charsets of seven-bit bytes: what shifts to their characters, and these with high bits. */
const SEVEN_BIT: readonly {
  name: string;
  shift: RegExp;
  eightBit?: string;
  widen?: (bytes: Uint8Array) => Buffer;
}[] = [
  { name: 'iso-2022-jp', shift: /\x1b[$(]/ },
  { name: 'iso-2022-kr', shift: /\x0e/, eightBit: 'euc-kr', widen: eucOfIso2022Kr },
  { name: 'hz-gb-2312', shift: /~\{/, eightBit: 'gb18030', widen: gbOfHz },
];

/** A state that ends before a character of it: browsers show U+FFFD for it. */
const IDLE_ESCAPE = /\x1b(?:\$[@B]|\$\(D|\([BJI])(?=\x1b(?:\$[@B]|\$\(D|\([BJI]))/g;
const withoutIdleEscapes = (bytes: Uint8Array): Buffer =>
  Buffer.from(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      .toString('latin1')
      .replace(IDLE_ESCAPE, ''),
    'latin1',
  );

// oxlint-enable no-control-regex

/** Whether a text in it may end in another state than it begins with. */
export const isStateful = (label: string): boolean => {
  const name = nameOf(label);
  return name === 'utf-7' || SEVEN_BIT.some((one) => one.name === name);
};

function decodeUnnamed(
  bytes: Buffer,
  isNamedUtf8: boolean,
  guess: Guess,
  onDoubt: OnDoubt | undefined,
): string {
  if (isUtf8(bytes))
    return isIso2022Jp(bytes) ? (decodeNamed(bytes, 'iso-2022-jp') ?? '') : UTF8.decode(bytes);
  const joined = withWholePairs(bytes);
  if (joined !== undefined) {
    onDoubt?.('wrong');
    return UTF8.decode(joined);
  }
  onDoubt?.(isNamedUtf8 ? 'wrong' : 'guessed');
  if (isNamedUtf8) {
    if (isMostlyUtf8(bytes)) return UTF8.decode(bytes);
    const footer = bytes.subarray(endOfUtf8(bytes));
    if (footer.byteLength < bytes.byteLength)
      return (
        UTF8.decode(bytes.subarray(0, -footer.byteLength)) +
        (decodeNamed(footer, guess(footer)) ?? '')
      );
  }
  return decodeNamed(bytes, guess(bytes)) ?? '';
}

function isMostlyUtf8(bytes: Buffer): boolean {
  const sample = UTF8.decode(wholeCharacters(bytes, SAMPLE_BYTES));
  const broken = sample.split('\ufffd').length - 1;
  // oxlint-disable-next-line no-control-regex
  return broken <= BROKEN_MAX_SHARE * sample.replace(/[\x00-\x7f]/g, '').length;
}

/** Whether bytes under a name that says nothing, or UTF-8, are in another charset. */
export const isForeign = (bytes: Buffer, label: string): boolean =>
  !isUtf8(bytes) &&
  withWholePairs(bytes) === undefined &&
  (nameOf(label) !== 'utf-8' || (!isMostlyUtf8(bytes) && endOfUtf8(bytes) === 0));

/**
 * CESU-8 as UTF-8: programs in Java and Oracle's write each half of a surrogate pair as a character.
 * Undefined for other bytes.
 */
export function withWholePairs(bytes: Buffer): Buffer | undefined {
  if (!bytes.includes(0xed)) return undefined;
  const text = bytes
    .toString('latin1')
    .replace(/\xed[\xa0-\xaf][\x80-\xbf]\xed[\xb0-\xbf][\x80-\xbf]/g, (pair) => {
      const [, a = 0, b = 0, , c = 0, d = 0] = Buffer.from(pair, 'latin1');
      const high = ((a & 0x0f) << 6) | (b & 0x3f);
      const low = ((c & 0x0f) << 6) | (d & 0x3f);
      return Buffer.from(String.fromCodePoint(0x10000 + (high << 10) + low)).toString('latin1');
    });
  const joined = Buffer.from(text, 'latin1');
  return isUtf8(joined) ? joined : undefined;
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

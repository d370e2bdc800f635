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
} from './charset-guess.ts';
import { canonicalName, isMeaningless, isUtf16, nameOf } from './charset-names.ts';

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

/**
 * @param label name of the charset in the email
 * @param hint charset of another part of the email
 */
export function decodeText(
  bytes: Buffer,
  label: string | undefined,
  hint?: string,
  onDoubt?: OnDoubt,
): string {
  const name = nameOf(label ?? '');
  if (isUtf16(name)) return decodeUtf16(bytes, name, onDoubt);
  if (isMeaningless(name)) return decodeUnnamed(bytes, name === 'utf-8', hint, onDoubt);
  const other = contradiction(bytes, name);
  if (other !== undefined) onDoubt?.('wrong');
  const text = decodeNamed(bytes, other ?? name);
  if (text === undefined) return decodeUnnamed(bytes, false, hint, onDoubt);
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
  if (shape === undefined) return undefined;
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const score = scoreOf(sample, shape);
  if (isUtf8(bytes)) return score < LIKELY_SCORE ? 'utf-8' : undefined;
  const best = score < 0 ? bestCharset(scoresOf(sample)) : undefined;
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
export const hasByteLineEnds = (label: string | undefined): boolean => {
  const name = nameOf(label ?? '');
  return !isUtf16(name) && !name.startsWith('utf-32');
};

/** Undefined for an unknown charset. */
export function decodeNamed(bytes: Uint8Array, label: string): string | undefined {
  const name = nameOf(label);
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

function decodeUnnamed(
  bytes: Buffer,
  isNamedUtf8: boolean,
  hint: string | undefined,
  onDoubt: OnDoubt | undefined,
): string {
  if (isUtf8(bytes))
    return isIso2022Jp(bytes) ? (decodeNamed(bytes, 'iso-2022-jp') ?? '') : UTF8.decode(bytes);
  onDoubt?.(isNamedUtf8 ? 'wrong' : 'guessed');
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

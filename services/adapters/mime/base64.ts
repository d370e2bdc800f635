/**
 * Decodes base64 (RFC 2045 §6.8), and finds text that is not part of it: the footer that a mailing
 * list appends, or a whole part whose sender declared base64 and wrote plain text. The time is
 * linear in the size, whatever the bytes.
 */

/** The result of decoding a transfer encoding (RFC 2045 §6). */
export type Decoded = {
  content: Buffer;
  /** Plain text around the encoded data. */
  extra?: Buffer;
  /** The bytes are not what the encoding allows. */
  isDamaged?: boolean;
  /** Only uuencode names a file. */
  filename?: string;
};

const [TAB, LF, CR, SPACE, DASH, EQUALS, UNDERSCORE] = [9, 0x0a, 0x0d, 0x20, 0x2d, 0x3d, 0x5f];
const NO_DIGIT = 64;
/** The value of each digit by its character; NO_DIGIT for every other byte. */
const VALUES = new Uint8Array(256).fill(NO_DIGIT);
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
for (const [value, digit] of Buffer.from(DIGITS).entries()) VALUES[digit] = value;

/** A line of so many digits is not a word: it proves that the part is base64. */
const LONG_LINE_DIGITS = 40;
/** Largest share of wrong characters in a line of data. */
const FOREIGN_MAX_SHARE = 0.05;
/** Digits between blanks are data (RFC 2045 §6.8) if they are longer than words, on average. */
const PIECE_MIN_DIGITS = 16;
const WRAPPED_MAX_BYTES = 100;
/** Limit of the bytes after the lines of equal length. */
const REST_MAX_BYTES = 64 * 1024;

export const decodeBase64 = (bytes: Buffer): Decoded => decodeClean(bytes) ?? decodeLines(bytes);

/**
 * The usual case at the speed of Buffer, which accepts more than an email may hold: it reads `-` and
 * `_` as digits (base64url), and skips all other characters. Then the result is shorter.
 */
function decodeClean(bytes: Buffer): Decoded | undefined {
  const digits = countDigits(bytes);
  if (digits === undefined || digits % 4 === 1) return undefined;
  if (bytes.includes(DASH) || bytes.includes(UNDERSCORE)) return undefined;
  const content = Buffer.from(bytes.toString('latin1'), 'base64');
  return content.byteLength === Math.floor((digits * 3) / 4) ? { content } : undefined;
}

/**
 * The number of digits, if all other bytes are line ends and final padding; undefined for irregular
 * lines.
 */
function countDigits(bytes: Buffer): number | undefined {
  const width = bytes.indexOf(LF) + 1;
  if (width === 0) return bytes.byteLength - paddingOf(bytes);
  const endBytes = bytes[width - 2] === CR ? 2 : 1;
  let at = 0;
  let digits = 0;
  for (; bytes[at + width - 1] === LF; at += width) digits += width - endBytes;
  if (bytes.byteLength - at > REST_MAX_BYTES) return undefined;
  digits += bytes.toString('latin1', at).replace(/[\r\n]+/g, '').length;
  return digits - paddingOf(bytes);
}

const paddingOf = (bytes: Buffer): number =>
  /(={0,2})[\r\n]*$/.exec(bytes.toString('latin1', bytes.byteLength - 8))?.[1]?.length ?? 0;

/** A line and its content, apart from blanks at its beginning and end. */
type Line = {
  start: number;
  next: number;
  length: number;
  /** Nothing but digits, and padding after them. */
  isData: boolean;
  hasDigits: boolean;
  isPadded: boolean;
  /** Words between blanks, or many other characters: not data with a few wrong characters. */
  isText: boolean;
};

function lineAt(bytes: Buffer, start: number): Line {
  const next = bytes.indexOf(LF, start) + 1 || bytes.byteLength;
  let [from, to] = [start, next];
  while (from < to && isBlank(bytes[from] as number)) from++;
  while (to > from && isBlank(bytes[to - 1] as number)) to--;
  let end = to; // where the digits end
  while (end > from && to - end < 2 && bytes[end - 1] === EQUALS) end--;
  let [foreign, gaps] = [0, 0];
  for (let at = from; at < end; at++) {
    const byte = bytes[at] as number;
    if (VALUES[byte] !== NO_DIGIT) continue;
    if (byte === SPACE || byte === TAB) gaps++;
    else if (byte !== EQUALS || (to - from) % 4 !== 0) foreign++; // else several pieces on a line
  }
  const length = to - from - gaps;
  const hasWords = gaps > 0 && (foreign > 0 || length < (gaps + 1) * PIECE_MIN_DIGITS);
  return {
    start,
    next,
    length,
    isData: to > from && foreign === 0 && !hasWords,
    hasDigits: end > from,
    isPadded: end < to,
    isText: hasWords || foreign > length * FOREIGN_MAX_SHARE,
  };
}

/** A line that would shift all data below it. */
const isWord = ({ length }: Line) => length > 0 && length < LONG_LINE_DIGITS && length % 4 !== 0;

const isBlank = (byte: number) => byte === SPACE || byte === TAB || byte === CR || byte === LF;

/**
 * Data extends at least to the last long line of digits. Until there, other lines are text, and a
 * few wrong characters in a line are ignored. Further data ends with padding or at any other line.
 * The rest is text.
 */
function decodeLines(bytes: Buffer): Decoded {
  const { beginsWithData, lastLong, lastOther } = surveyOf(bytes);
  if (!beginsWithData && lastLong === -1)
    return { content: wrappedData(bytes) ?? bytes, isDamaged: true };
  const decoder = createDecoder(bytes);
  const texts = createTexts(bytes);
  let at = 0;
  while (at < bytes.byteLength) {
    const line = lineAt(bytes, at);
    const isWithin = line.start < lastLong;
    if (!isWithin && line.length > 0 && !line.isData) break;
    if (line.isText || (isWithin && isWord(line))) texts.add(line.start, line.next);
    else decoder.add(line);
    at = line.next;
    // Several pieces may be joined, each with its padding.
    if (line.isPadded && !isWithin && at < lastOther) break;
  }
  if (at < bytes.byteLength && at > lastLong) at = decoder.withoutLoneWord() ?? at;
  const content = decoder.decoded();
  const isOneWord = lastLong === -1 && decoder.isDamaged();
  if (content.byteLength === 0 || isOneWord) return { content: bytes, isDamaged: true };
  texts.add(at, bytes.byteLength);
  const extra = texts.joined();
  const hasExtra = extra.some((byte) => !isBlank(byte));
  return { content, ...(hasExtra && { extra }), isDamaged: hasExtra || decoder.isDamaged() };
}

/** Joins parts of the bytes. A list of millions of lines would need much more memory. */
function createTexts(bytes: Buffer) {
  let texts: Buffer | undefined;
  let length = 0;
  return {
    add: (start: number, end: number) => {
      if (start === end) return;
      texts ??= Buffer.allocUnsafe(bytes.byteLength - start);
      length += bytes.copy(texts, length, start, end);
    },
    joined: () => texts?.subarray(0, length) ?? Buffer.alloc(0),
  };
}

/** Data in one piece, complete with its padding, between other characters such as quotes. */
function wrappedData(bytes: Buffer): Buffer | undefined {
  const text = bytes.toString('latin1', 0, WRAPPED_MAX_BYTES).trim();
  const digits = text.replace(/[^A-Za-z0-9+/=]+/g, '');
  const isData = /^\S+$/.test(text) && /^[^=]+={1,2}$/.test(digits) && digits.length % 4 === 0;
  return isData ? Buffer.from(digits, 'base64') : undefined;
}

function surveyOf(bytes: Buffer) {
  let beginsWithData: boolean | undefined;
  let [lastLong, lastOther] = [-1, -1]; // the start of a line, the end of a line
  for (let at = 0; at < bytes.byteLength;) {
    const line = lineAt(bytes, at);
    at = line.next;
    if (line.length === 0) continue;
    beginsWithData ??= line.isData;
    if (line.isData && line.length >= LONG_LINE_DIGITS) lastLong = line.start;
    if (!line.isData || (line.length % 4 !== 0 && line.hasDigits)) lastOther = line.next;
  }
  return { beginsWithData: beginsWithData ?? false, lastLong, lastOther };
}

function createDecoder(bytes: Buffer) {
  const content = Buffer.allocUnsafe(Math.ceil((bytes.byteLength * 3) / 4));
  let [length, bits, value] = [0, 0, 0]; // `bits` of `value` are not in `content` yet
  let isDamaged = false;
  let previous: { line: Line; length: number; bits: number } | undefined;
  const endPiece = () => {
    isDamaged ||= bits === 6; // a lone digit
    bits = 0;
  };
  return {
    /** Ignores bytes that are not digits. */
    add: (line: Line) => {
      if (line.length === 0) return;
      previous = { line, length, bits };
      for (let at = line.start; at < line.next; at++) {
        const byte = bytes[at] as number;
        const digit = VALUES[byte] as number;
        if (digit === NO_DIGIT) {
          if (byte === EQUALS) endPiece();
          else isDamaged ||= !isBlank(byte);
          continue;
        }
        value = ((value << 6) | digit) & 0xffff;
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        content[length++] = (value >> bits) & 0xff;
      }
    },
    /**
     * A word alone on a line, above other text, looks like data but does not complete it. Takes it
     * back and returns where it begins.
     */
    withoutLoneWord: (): number | undefined => {
      if (previous === undefined || bits === 0 || previous.bits !== 0) return undefined;
      if (previous.line.length >= LONG_LINE_DIGITS) return undefined;
      ({ length, bits } = previous);
      return previous.line.start;
    },
    decoded: () => {
      endPiece();
      return content.subarray(0, length);
    },
    isDamaged: () => isDamaged,
  };
}

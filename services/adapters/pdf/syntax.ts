/** Reads the values of a PDF: numbers, names, strings, arrays, dictionaries, references (ISO 32000-1 §7.3). */

type PdfRef = { ref: number };
/** A name is a text with its slash, a string is bytes. */
export type PdfValue =
  null | boolean | number | string | Buffer | PdfRef | PdfValue[] | PdfDictionary;
export type PdfDictionary = Map<string, PdfValue>;

/** What may still be read, for all that is read of one file: the same bytes count each time. */
export type Budget = { values: number; bytes: number };

const MAX_DEPTH = 32;
const VALUE_MAX_BYTES = 1024 * 1024;
const STRING_MAX_BYTES = 64 * 1024;
const TOKEN_MAX_BYTES = 256;
const BLANKS: ReadonlySet<number> = new Set([0, 9, 10, 12, 13, 32]);
const DELIMITERS: ReadonlySet<number> = new Set(Buffer.from('()<>[]{}/%'));
const [LF, CR, PERCENT, SLASH, OPEN, CLOSE, LESS, GREATER, BACKSLASH] = [
  10, 13, 0x25, 0x2f, 0x28, 0x29, 0x3c, 0x3e, 0x5c,
];
const [OPEN_ARRAY, CLOSE_ARRAY] = [0x5b, 0x5d];
/** The end of an array or a dictionary, and text that is not a value. */
const END = Symbol('end');
type Read = PdfValue | typeof END;

export const isRef = (value: PdfValue | undefined): value is PdfRef =>
  typeof value === 'object' && value !== null && 'ref' in value;
export const isDictionary = (value: PdfValue | undefined): value is PdfDictionary =>
  value instanceof Map;

/** After blanks and comments. */
export function skipBlanks(bytes: Buffer, start: number): number {
  let at = start;
  for (; at < bytes.byteLength; at++) {
    const byte = bytes[at] as number;
    if (byte === PERCENT)
      while (at < bytes.byteLength && bytes[at] !== LF && bytes[at] !== CR) at++;
    else if (!BLANKS.has(byte)) break;
  }
  return at;
}

const OWN_MAX_CHARS = 4_096;

/**
 * Where the dictionary ends that begins there, read as tokens: what is in its strings, names and
 * comments ends nothing. `own` is its text without strings and without what is nested in it. The
 * start itself for another value, and for a dictionary without an end; `read` bytes were looked at.
 */
export function skipDictionary(
  file: Buffer,
  start: number,
  maxBytes: number,
): { end: number; own: string; read: number } {
  const bytes = file.subarray(0, start + maxBytes);
  let own = '';
  let depth = 0;
  let at = skipBlanks(bytes, start);
  while (at < bytes.byteLength) {
    const byte = bytes[at] as number;
    const isPair = bytes[at + 1] === byte && (byte === LESS || byte === GREATER);
    if (depth === 0 && !(isPair && byte === LESS)) break;
    if (isPair) {
      depth += byte === LESS ? 1 : -1;
      at += 2;
      if (depth === 0) return { end: at, own, read: at - start };
    } else if (byte === OPEN) at = endOfLiteral(bytes, at + 1);
    else if (byte === LESS) at = bytes.indexOf(GREATER, at) + 1 || bytes.byteLength;
    else if (byte === PERCENT) at = skipBlanks(bytes, at);
    else {
      if (depth === 1 && own.length < OWN_MAX_CHARS) own += String.fromCharCode(byte);
      at++;
    }
  }
  return { end: start, own, read: at - start };
}

/** After the bracket that closes a string. */
function endOfLiteral(bytes: Buffer, start: number): number {
  let at = start;
  for (let depth = 1; at < bytes.byteLength && depth > 0; at++) {
    const byte = bytes[at];
    if (byte === BACKSLASH) at++;
    else if (byte === OPEN) depth++;
    else if (byte === CLOSE) depth--;
  }
  return at;
}

/** The value at that place; null where there is none, and when the budget is spent. */
export function pdfValueAt(file: Buffer, start: number, budget: Budget): PdfValue {
  const bytes = file.subarray(0, start + Math.min(VALUE_MAX_BYTES, Math.max(0, budget.bytes)));
  let at = start;

  const token = (): string => {
    const from = at;
    while (at < bytes.byteLength && !endsToken(bytes[at] as number)) at++;
    return bytes.toString('latin1', from, Math.min(at, from + TOKEN_MAX_BYTES));
  };

  const literal = (): Buffer => {
    const found: number[] = [];
    for (let depth = 1; at < bytes.byteLength; at++) {
      let byte = bytes[at] as number;
      if (byte === BACKSLASH) byte = escaped();
      else if (byte === OPEN) depth++;
      else if (byte === CLOSE && --depth === 0) break;
      if (byte >= 0 && found.length < STRING_MAX_BYTES) found.push(byte);
    }
    at++;
    return Buffer.from(found);
  };

  /** -1 for a line that continues. */
  const escaped = (): number => {
    const octal = /^[0-7]{1,3}/.exec(bytes.toString('latin1', at + 1, at + 4))?.[0];
    if (octal !== undefined) {
      at += octal.length;
      return Number.parseInt(octal, 8) & 0xff;
    }
    const byte = bytes[++at] ?? 0;
    if (byte === CR && bytes[at + 1] === LF) at++;
    return byte === CR || byte === LF ? -1 : (ESCAPES[String.fromCharCode(byte)] ?? byte);
  };

  const hexadecimal = (): Buffer => {
    const end = bytes.indexOf(GREATER, at);
    const to = end === -1 ? bytes.byteLength : end;
    const digits = bytes
      .toString('latin1', at, Math.min(to, at + 2 * STRING_MAX_BYTES))
      .replace(/[^0-9a-f]+/gi, '');
    at = to + 1;
    return Buffer.from(digits.length % 2 === 0 ? digits : `${digits}0`, 'hex');
  };

  const listed = (depth: number): PdfValue[] => {
    const found: PdfValue[] = [];
    for (;;) {
      const value = read(depth + 1);
      if (value === END) return found;
      found.push(value);
    }
  };

  const dictionary = (depth: number): PdfDictionary => {
    const found: PdfDictionary = new Map();
    const values = listed(depth);
    for (let index = 0; index + 1 < values.length; index += 2) {
      const key = values[index];
      if (typeof key === 'string') found.set(key.slice(1), values[index + 1] as PdfValue);
    }
    return found;
  };

  const number = (text: string): PdfValue => {
    const after = REFERENCE.exec(bytes.toString('latin1', at, at + 16));
    if (!/^\d{1,10}$/.test(text) || after === null) return Number(text);
    at += after[0].length;
    return { ref: Number(text) };
  };

  const read = (depth: number): Read => {
    at = skipBlanks(bytes, at);
    const byte = bytes[at];
    if (byte === undefined || depth > MAX_DEPTH || budget.values-- <= 0) return END;
    at++;
    switch (byte) {
      case SLASH:
        return `/${token().replace(NAME_CODE, byteOf)}`;
      case OPEN:
        return literal();
      case OPEN_ARRAY:
        return listed(depth);
      case LESS:
        if (bytes[at] !== LESS) return hexadecimal();
        at++;
        return dictionary(depth);
      case GREATER:
        if (bytes[at] === GREATER) at++;
        return END;
      case CLOSE_ARRAY:
        return END;
      default:
        at--;
    }
    const word = token();
    if (word === '') {
      at++;
      return null;
    }
    if (/^[+-]?(\d+\.?\d*|\.\d+)$/.test(word)) return number(word);
    if (word === 'true' || word === 'false') return word === 'true';
    return word === 'null' ? null : END;
  };

  const value = read(0);
  budget.bytes -= at - start;
  return value === END ? null : value;
}

const REFERENCE = /^[\0\t\n\f\r ]+\d{1,5}[\0\t\n\f\r ]+R(?![\w.])/;
const NAME_CODE = /#([0-9a-f]{2})/gi;
const byteOf = (_: string, hex: string): string => String.fromCharCode(Number.parseInt(hex, 16));
const ESCAPES: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, b: 8, f: 12 };
const endsToken = (byte: number): boolean => BLANKS.has(byte) || DELIMITERS.has(byte);

/**
 * Text of others. As it leaves Inlet it has no U+0000, which PostgreSQL refuses, and no half of a
 * surrogate pair, which is no UTF-8: U+FFFD takes their place (D300).
 */
const REPLACEMENT = '\ufffd';

/** As JSON.stringify escapes them: it writes a whole pair as it is. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/;
/** Each escape as a whole: what follows an escaped backslash is text. */
const ESCAPE = /\\(?:u0000|ud[89a-f]..|.)/g;
const UNICODE_ESCAPE_CHARS = 6;

/** The JSON of a value, with its keys, as databases and programs can store it. */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(typeof value === 'string' ? storableText(value) : value);
  if (!UNSTORABLE.test(json)) return json; // nearly always
  return json.replaceAll(ESCAPE, (escape) =>
    escape.length === UNICODE_ESCAPE_CHARS ? REPLACEMENT : escape,
  );
}

/** The text of a body that is not JSON. */
export const storableText = (text: string): string =>
  text.toWellFormed().split('\0').join(REPLACEMENT);

/** The characters from `from` to `to`, without half of a pair at either end. */
export function cutText(text: string, to: number, from = 0): string {
  const start = from > 0 && isLowSurrogate(text.charCodeAt(from)) ? from + 1 : from;
  const end = to < text.length && isHighSurrogate(text.charCodeAt(to - 1)) ? to - 1 : to;
  return text.slice(start, end);
}

export const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/**
 * The value of JSON that a program of others wrote; undefined for text that is not JSON. A byte order
 * mark is ignored, as RFC 8259 §8.1 allows: some programs write one.
 */
export function jsonOf(text: string | null): unknown {
  try {
    return JSON.parse((text ?? '').replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}

const MARKS = /([\p{M}\uff9e\uff9f]{8})[\p{M}\uff9e\uff9f]+/gu;

/** Eight combining marks for a letter are enough. Normalisation takes quadratic time for long runs. */
export const withFewMarks = (text: string): string => text.replaceAll(MARKS, '$1');

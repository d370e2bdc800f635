/** Whether a text contains another one, in time that grows with the sum of their lengths. */

/** V8 looks back at so much of a longer pattern only, and then compares all of it at each place. */
const NATIVE_MAX_CHARS = 250;

export function containsText(text: string, pattern: string): boolean {
  if (pattern.length <= NATIVE_MAX_CHARS) return text.includes(pattern);
  return pattern.length <= text.length && search(text, pattern);
}

/** Knuth, Morris and Pratt: the text is read once, whatever the pattern repeats. */
function search(text: string, pattern: string): boolean {
  const borders = bordersOf(pattern);
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    matched = extended(pattern, borders, matched, text.charCodeAt(at));
    if (matched === pattern.length) return true;
  }
  return false;
}

/** For each beginning of the pattern, the length of its longest end that the pattern begins with. */
function bordersOf(pattern: string): Uint16Array {
  const borders = new Uint16Array(pattern.length);
  let matched = 0;
  for (let at = 1; at < pattern.length; at++) {
    matched = extended(pattern, borders, matched, pattern.charCodeAt(at));
    borders[at] = matched;
  }
  return borders;
}

function extended(pattern: string, borders: Uint16Array, from: number, code: number): number {
  let matched = from;
  while (matched > 0 && pattern.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0;
  return pattern.charCodeAt(matched) === code ? matched + 1 : matched;
}

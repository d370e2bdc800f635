/**
 * The brackets of comments in a header field (RFC 5322 §3.2.2), each with its partner: inner pairs
 * before those around them. Their positions are in UTF-16 code units.
 */
export function bracketPairs(value: string): {
  pairs: [start: number, end: number][];
  /** A bracket has no partner: it belongs to no comment. */
  hasLone: boolean;
} {
  const open: number[] = [];
  const pairs: [start: number, end: number][] = [];
  let isQuoted = false;
  let hasLone = false;
  for (let at = 0; at < value.length; at++) {
    const char = value[at];
    if (char === '\\') at++;
    else if (char === '"' && open.length === 0) isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (char === '(') open.push(at);
    else if (char === ')') {
      const start = open.pop();
      if (start === undefined) hasLone = true;
      else pairs.push([start, at]);
    }
  }
  return { pairs, hasLone: hasLone || open.length > 0 };
}

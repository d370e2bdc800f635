/**
 * Where an encoded word ends (RFC 2047 §2), also one that is too long, has blanks, or a question mark
 * that should have been encoded. Its bytes are not decoded here.
 */
export type EncodedWord = {
  /** Lower case; empty for none. */
  charset: string;
  encoding: 'b' | 'q';
  content: string;
  /** The position behind it. */
  end: number;
};

const START = /=\?([^?\s*]{0,120})(?:\*[^?\s]{0,60})?\?([bq])\?/iy; // with a language: RFC 2231 §5
const HEX_PAIR = /[0-9a-f]{2}/iy;

/** @param at where `=?` stands */
export function encodedWordAt(text: string, at: number): EncodedWord | undefined {
  const start = startAt(text, at);
  if (start === undefined) return undefined;
  const [, charset = '', encoding = ''] = start.match;
  // It ends before the next one begins, so each character is looked at once for each of them.
  const rest = text.slice(start.end, nextStart(text, start.end) + 1);
  const first = rest.indexOf('?=');
  if (first === -1) return undefined;
  const isQ = encoding.toLowerCase() === 'q';
  const end = isQ ? endOfQ(rest, first) : first;
  const content = rest.slice(0, end);
  if (/[\r\n]/.test(content) || (!isQ && content.includes('?'))) return undefined;
  return {
    charset: charset.toLowerCase(),
    encoding: isQ ? 'q' : 'b',
    content,
    end: start.end + end + 2,
  };
}

function startAt(text: string, at: number) {
  START.lastIndex = at;
  const match = START.exec(text);
  return match === null ? undefined : { match, end: START.lastIndex };
}

/** Where the next word begins; the length of the text for none. */
function nextStart(text: string, from: number): number {
  for (let at = text.indexOf('=?', from); at !== -1; at = text.indexOf('=?', at + 2))
    if (startAt(text, at) !== undefined) return at;
  return text.length;
}

/** `?=C3=BC?=`: a question mark and a code, if the word ends behind them, before the next blank. */
function endOfQ(text: string, first: number): number {
  let end = first;
  for (;;) {
    HEX_PAIR.lastIndex = end + 2;
    if (!HEX_PAIR.test(text)) return end;
    const next = text.indexOf('?=', end + 2);
    if (next === -1 || /\s|=\?/.test(text.slice(end + 2, next))) return end;
    end = next;
  }
}

/**
 * The tokens of a field of addresses (RFC 5322 §3.2): words, quoted strings, comments, domain
 * literals and specials, each character read a bounded number of times.
 */
import { bracketPairs } from './comments.ts';
import { encodedWordAt } from './encoded-word.ts';

export type Token = {
  /** `encoded`: an encoded word (RFC 2047), whatever characters it has. */
  kind: 'atom' | 'quoted' | 'encoded' | 'comment' | 'literal' | 'special';
  /** The content: without quotes, brackets and escapes, except for literals and encoded words. */
  text: string;
  /** Whether white space or a comment stands before it. */
  isApart: boolean;
};

type Tokens = {
  tokens: Token[];
  /** Something breaks the grammar: an open quote, comment or literal, a control character. */
  isFaulty: boolean;
};

const BLANK = /[ \t\r\n]+/y;
/** White space and control characters that RFC 5322 does not know: programs read them differently. */
const FOREIGN_BLANK = /[\s\p{Cc}\ufeff\u2028\u2029]+/uy;
/** Specials end it, and what the two above are. */
const ATOM = /[^\s\p{Cc}\ufeff()<>[\]:;@\\,"]+/uy;

export function tokensOf(value: string): Tokens {
  const comments = commentsOf(value);
  const tokens: Token[] = [];
  let isFaulty = comments.hasLone;
  let isApart = false;
  let [mayQuote, mayBeLiteral] = [true, true];
  const add = (kind: Token['kind'], text: string) => {
    tokens.push({ kind, text, isApart });
    isApart = kind === 'comment';
  };
  const matchAt = (pattern: RegExp, at: number): string => {
    pattern.lastIndex = at;
    return pattern.exec(value)?.[0] ?? '';
  };
  for (let at = 0; at < value.length;) {
    const char = value[at] as string;
    const blank = matchAt(BLANK, at);
    if (blank !== '') {
      isApart = true;
      at += blank.length;
      continue;
    }
    const commentEnd = comments.ends.get(at);
    if (commentEnd !== undefined) {
      add('comment', commentText(value.slice(at + 1, commentEnd)));
      at = commentEnd + 1;
      continue;
    }
    const quotedEnd = char === '"' && mayQuote ? endOfQuoted(value, at) : -1;
    if (quotedEnd > 0) {
      add('quoted', value.slice(at + 1, quotedEnd).replace(/\\([^])/g, '$1'));
      at = quotedEnd + 1;
      continue;
    }
    const literalEnd = char === '[' && mayBeLiteral ? value.indexOf(']', at) : -1;
    if (literalEnd > 0) {
      add('literal', value.slice(at, literalEnd + 1).replace(/\s+/g, ''));
      at = literalEnd + 1;
      continue;
    }
    if (char === '"') mayQuote = false;
    if (char === '[') mayBeLiteral = false;
    const encoded = value.startsWith('=?', at)
      ? value.slice(at, encodedWordAt(value, at)?.end ?? at)
      : '';
    const atom = encoded || matchAt(ATOM, at);
    if (atom !== '') add(encoded === '' ? 'atom' : 'encoded', atom);
    else if (/[<>:;@,]/.test(char)) add('special', char);
    else {
      // A bracket or quote without its partner, a backslash, a control character.
      isFaulty = true;
      isApart = true;
    }
    at += atom.length || matchAt(FOREIGN_BLANK, at).length || 1;
  }
  return { tokens, isFaulty };
}

function endOfQuoted(value: string, start: number): number {
  for (let at = start + 1; at < value.length; at++) {
    if (value[at] === '\\') at++;
    else if (value[at] === '"') return at;
  }
  return -1;
}

/** Without brackets and escapes, except in encoded words. */
function commentText(comment: string): string {
  let text = '';
  for (let at = 0; at < comment.length;) {
    const char = comment[at] as string;
    const word = comment.startsWith('=?', at) ? encodedWordAt(comment, at) : undefined;
    if (word !== undefined) text += comment.slice(at, word.end);
    else if (char === '\\') text += comment[at + 1] ?? '';
    else if (char !== '(' && char !== ')') text += char;
    at = word?.end ?? at + (char === '\\' ? 2 : 1);
  }
  return text.trim();
}

/** Where the outermost comments end, by where they begin. */
function commentsOf(value: string): { ends: Map<number, number>; hasLone: boolean } {
  const { pairs, hasLone } = bracketPairs(value);
  const ends = new Map<number, number>();
  let end = -1;
  for (const [start, closed] of pairs.toSorted(([one], [other]) => one - other)) {
    if (start < end) continue;
    end = closed;
    ends.set(start, closed);
  }
  return { ends, hasLone };
}

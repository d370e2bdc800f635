/**
 * Reads fields with parameters: Content-Type, Content-Disposition and the like (RFC 2045 §5.1), with
 * pieces, charsets and percent codes (RFC 2231), and the ways in which programs break these rules.
 * The time is linear in the length.
 */
import { LRUCache } from 'lru-cache';

import { bracketPairs } from '../../core/mail/fields/comments.ts';
import type { Doubt, OnDoubt } from './charset.ts';

export type ParameterField = {
  /** In lower case, without comments and quotes. */
  value: string;
  /** By their names in lower case. Of a repeated one the first counts. */
  params: Record<string, Parameter>;
  /** What was replaced or guessed in parameters with a charset of their own. */
  doubts: ReadonlySet<Doubt>;
};
export type Parameter = {
  text: string;
  /** By RFC 2231: encoded words in it are not decoded. */
  isExtended: boolean;
};

/** @param charset undefined when the field names none */
export type DecodeBytes = (bytes: Buffer, charset: string | undefined, onDoubt: OnDoubt) => string;

type Piece = { text: string; number: number; isEncoded: boolean };

/** A reader that remembers fields: most emails have some that other emails have had. */
export function createParameterReader(decode: DecodeBytes): (field: string) => ParameterField {
  const known = new LRUCache<string, ParameterField>({ max: KNOWN_MAX });
  return (field) => {
    const found = known.get(field);
    if (found !== undefined) return found;
    const read = readParameters(field, decode);
    // The key is a copy, because a piece of a head would keep all of the head in memory.
    if (field.length <= KNOWN_MAX_CHARS) known.set(Buffer.from(field).toString(), read);
    return read;
  };
}

const KNOWN_MAX = 500;
const KNOWN_MAX_CHARS = 200;

export function readParameters(field: string, decode: DecodeBytes): ParameterField {
  const text = field.replace(/\r?\n/g, '');
  const reader = createReader(text);
  const value = reader.value().toLowerCase();
  const params: Record<string, Parameter> = Object.create(null) as Record<string, Parameter>;
  const pieces = new Map<string, Piece[]>();
  const doubts = new Set<Doubt>();
  const decodeBytes = (bytes: Buffer, charset: string | undefined) =>
    decode(bytes, charset, (doubt) => doubts.add(doubt));
  for (let found = reader.parameter(); found !== undefined; found = reader.parameter()) {
    const [, base = '', number, star] = /^([^*]*)(?:\*(\d{1,4}))?(\*)?$/.exec(found.name) ?? [];
    if (base === '') continue;
    if (number === undefined && star === undefined)
      params[base] ??= { text: found.value, isExtended: false };
    else {
      const known = pieces.get(base) ?? [];
      known.push({ text: found.value, number: Number(number ?? 0), isEncoded: star !== undefined });
      pieces.set(base, known);
    }
  }
  for (const [base, found] of pieces) {
    const joined = joinPieces(found, decodeBytes);
    if (joined !== undefined) params[base] = { text: joined, isExtended: true };
  }
  return { value, params, doubts };
}

/** RFC 2231 §3, §4.1. Undefined when the first piece is missing. */
function joinPieces(
  found: readonly Piece[],
  decode: (bytes: Buffer, charset: string | undefined) => string,
): string | undefined {
  const byNumber = new Map(found.toReversed().map((piece) => [piece.number, piece]));
  const first = byNumber.get(0);
  if (first === undefined) return undefined;
  const [, charset, rest = first.text] =
    (first.isEncoded && /^([^']*)'[^']*'(.*)$/s.exec(first.text)) || [];
  let text = '';
  let encoded = ''; // a character, and a code, may be cut between two pieces
  const flush = () => {
    if (encoded !== '') text += decode(percentDecoded(encoded), charset || undefined);
    encoded = '';
  };
  for (let number = 0; ; number++) {
    const piece = byNumber.get(number);
    if (piece === undefined) break;
    const content = number === 0 ? rest : piece.text;
    if (piece.isEncoded) encoded += content;
    else {
      flush();
      text += content;
    }
  }
  flush();
  return text;
}

const percentDecoded = (text: string): Buffer =>
  /[^\x00-\xff]/.test(text) // oxlint-disable-line no-control-regex
    ? percentDecoded(Buffer.from(text).toString('latin1'))
    : Buffer.from(
        text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
          String.fromCharCode(Number.parseInt(hex, 16)),
        ),
        'latin1',
      );

/** Where a parameter begins although no semicolon stands before it. */
const NEXT_PARAMETER = /[ \t]+[\w.-]{1,40}(?:\*\d{1,4})?\*?[ \t]*=(?!=)/y;
const NAMES_OF_FILES: ReadonlySet<string> = new Set(['filename', 'name']);

function createReader(text: string) {
  /** Where each comment ends, by where it begins. */
  const closings = new Map(bracketPairs(text).pairs);
  let at = 0;
  let mayEndQuote = true; // no quote further on stands before a semicolon or the end

  const skipBlanks = () => {
    for (;;) {
      const comment = text[at] === '(' ? closings.get(at) : undefined;
      if (comment !== undefined) at = comment + 1;
      else if (isBlank(text[at])) at++;
      else return;
    }
  };
  const isNextParameter = (from: number): boolean => {
    NEXT_PARAMETER.lastIndex = from;
    return NEXT_PARAMETER.test(text);
  };
  /** Whether a value can end before that character. */
  const endsValue = (from: number): boolean => {
    let to = from;
    while (isBlank(text[to])) to++;
    return to >= text.length || text[to] === ';' || isNextParameter(from);
  };

  const quoted = (): string => {
    const start = ++at;
    let first = -1;
    for (let to = start; to < text.length; to++) {
      if (text[to] === '\\') to++;
      else if (text[to] === '"') {
        if (first === -1) first = to;
        if (endsValue(to + 1) || text[skipped(to + 1)] === '(') {
          at = to + 1;
          return unescaped(text.slice(start, to));
        }
        if (!mayEndQuote) break; // quotes within quotes, and none of them is the last
      }
    }
    if (first !== -1) {
      mayEndQuote = false;
      at = first + 1;
      return unescaped(text.slice(start, first));
    }
    return unquoted('');
  };
  const skipped = (from: number): number => {
    let to = from;
    while (isBlank(text[to])) to++;
    return to;
  };

  /** To the next semicolon, or to the blanks before a parameter. */
  const skipValue = () => {
    while (at < text.length && text[at] !== ';') {
      if (!isBlank(text[at])) at++;
      else if (isNextParameter(at)) return;
      else at = skipped(at); // each blank of them would have the same answer
    }
  };

  /** Up to the semicolon: many programs write blanks without quotes. */
  const unquoted = (name: string): string => {
    const start = at;
    skipValue();
    const value = text.slice(start, at).trim();
    return NAMES_OF_FILES.has(name) ? value : withoutLastComment(value);
  };

  const skipToParameter = () => {
    skipValue();
    if (text[at] === ';') at++;
  };

  return {
    value: (): string => {
      skipBlanks();
      let value = '';
      if (text[at] === '"') value = quoted();
      else
        for (; at < text.length && !/[\s;,"]/.test(text[at] as string); at++) {
          if (closings.has(at)) break;
          value += text[at];
        }
      skipBlanks();
      const hasSlash = value.endsWith('/');
      if (hasSlash || (text[at] === '/' && value !== '')) {
        if (!hasSlash) at++;
        skipBlanks();
        const start = at;
        while (at < text.length && !/[\s;,"(]/.test(text[at] as string)) at++;
        value += `${hasSlash ? '' : '/'}${text.slice(start, at)}`;
      }
      if (text[at - 1] !== undefined && isBlank(text[at - 1])) at--; // a parameter may follow without a semicolon
      if (text[at] === ',') at++;
      skipToParameter();
      return value.trim();
    },
    parameter: (): { name: string; value: string } | undefined => {
      for (;;) {
        skipBlanks();
        if (at >= text.length) return undefined;
        const start = at;
        while (at < text.length && text[at] !== '=' && text[at] !== ';') {
          const comment = text[at] === '(' ? closings.get(at) : undefined;
          at = comment === undefined ? at + 1 : comment + 1;
        }
        const name = withoutComments(text.slice(start, at)).trim().toLowerCase();
        if (text[at] !== '=') {
          at++;
          continue;
        }
        at++;
        while (isBlank(text[at])) at++;
        if (text[at] === '(' && !NAMES_OF_FILES.has(name)) skipBlanks();
        const value = text[at] === '"' ? quoted() : unquoted(name.replace(/\*.*$/, ''));
        skipToParameter();
        return { name, value };
      }
    },
  };
}

const isBlank = (char: string | undefined): boolean => char === ' ' || char === '\t';

const withoutComments = (text: string): string =>
  text.includes('(') ? text.replace(/\([^()]*\)/g, '') : text;

/** A comment at the end, after blanks. */
function withoutLastComment(value: string): string {
  const open = value.endsWith(')') ? value.lastIndexOf('(') : -1;
  const isComment =
    open > 0 && isBlank(value[open - 1]) && value.indexOf(')', open) === value.length - 1;
  return isComment ? value.slice(0, open).trimEnd() : value;
}

/** Paths of Windows are written without escapes: a backslash before a letter or digit stays. */
const unescaped = (text: string): string => text.replace(/\\([^\p{L}\p{N}])/gu, '$1');

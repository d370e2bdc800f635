/**
 * Finds the parts of an email by their boundaries, in one pass over its bytes (RFC 2046 §5.1).
 * The pass keeps a list of the multiparts that are open; a delimiter ends all parts inside its own.
 */
import type { Decoded } from './base64.ts';
import { type Field, headerFields } from './head.ts';
import { createParameterReader, type ParameterField } from './parameters.ts';
import { type HeadLimits, readHead } from './read-head.ts';
import { type Encoding, encodingOf } from './transfer-encoding.ts';

/** Bytes of the email: `start` is the first, `end` the one after the last. */
type Span = { start: number; end: number };

export type Part = {
  /** The bytes that all places below count from. */
  raw: Buffer;
  depth: number;
  parent: Part | undefined;
  /** First byte of the head. */
  start: number;
  /** One character for each byte, without what the limits cut off. */
  head: string;
  fields: Field[];
  /** The limits cut something off the head. */
  isHeadCut: boolean;
  /** The head contains stray lines, or no empty line ends it. */
  isHeadMalformed: boolean;
  /** Stray lines between header fields. */
  strays: Span[];
  /** The body without the line end that belongs to the next delimiter. */
  body: Span;
  /** Lower case, without parameters. Empty when the head has no Content-Type. */
  contentType: string;
  /** The parameters of Content-Type; undefined when the head has none. */
  parameters: ParameterField['params'] | undefined;
  encoding: Encoding;
  /** Declares a boundary longer than 70 characters, which is invalid (RFC 2046 §5.1.1). */
  hasLongBoundary: boolean;
  children: Part[];
  /** The body, where it had to be decoded to find parts in it. */
  decoded?: Decoded;
};

export type Outline = {
  /** The parts in the order of the email. The first is the email itself. */
  parts: [Part, ...Part[]];
  /** The email has more parts than the limit; the rest of it is left out. */
  isCut: boolean;
  /** There is text before the first part of a multipart, or after its last one (D40). */
  hasTextOutside: boolean;
  /** Parts follow the end of their multipart: they belong to it, because other programs show them. */
  hasPartsBehind: boolean;
};

/** A multipart whose next delimiter may still follow. */
type OpenMultipart = { part: Part; boundary: string; isClosed: boolean };
/** A line that separates or closes the parts of a multipart. */
type Delimiter = Span & { multipart: OpenMultipart; isClosing: boolean };

export const LIMITS = {
  parts: 1000,
  depth: 32,
  head: {
    lines: 1000,
    bytes: 512 * 1024,
    known: new RegExp(
      '^(x-.*|content-.*|arc-.*|list-.*|mime-version|received(-spf)?|return-path|delivered-to|' +
        'authentication-results|dkim-signature|message-id|in-reply-to|references|date|from|' +
        'sender|reply-to|to|cc|bcc|subject)$',
      'i',
    ),
    hidesOthers: false,
  },
  /** Other fields of a part have no meaning (RFC 2046 §5.1). */
  partHead: {
    lines: 100,
    bytes: 16 * 1024,
    known: /^(x-.*|content-.*|mime-version)$/i,
    hidesOthers: true,
  },
} as const satisfies Record<string, number | HeadLimits>;

const [TAB, LF, CR, SPACE, DASH] = [0x09, 0x0a, 0x0d, 0x20, 0x2d];
const BOUNDARY_MAX_CHARS = 70; // RFC 2046 §5.1.1
/** Other programs read longer ones, too. */
const READ_BOUNDARY_MAX_CHARS = 900;
/** A notice is one paragraph. */
const NOTICE_MAX_BYTES = 300;
const FIELD_MAX_CHARS = 2_000; // parameters after this length are ignored

/** What the parts of a file belong to. */
type OutlineScope = { parent?: Part; /** At most so many. */ parts?: number };

export function outlineOf(
  raw: Buffer,
  { parent: holder, parts: maxParts = LIMITS.parts }: OutlineScope = {},
): Outline {
  const multiparts: OpenMultipart[] = [];
  /** The parts whose end is not known yet, the innermost last. */
  const unended: Part[] = [];
  let position = 0;

  const begin = (start: number, parent: Part | undefined): Part => {
    const part = partAt(raw, start, parent, (line) => delimiterAt(raw, line, multiparts));
    parent?.children.push(part);
    unended.push(part);
    const boundary = boundaryOf(part);
    if (boundary !== undefined && part.depth < LIMITS.depth)
      multiparts.push({ part, boundary, isClosed: false });
    position = part.body.start;
    return part;
  };
  const endPartsIn = (multipart: Part, delimiterStart: number) => {
    for (let part = unended.at(-1); part && part !== multipart; part = unended.at(-1)) {
      endBody(raw, part, delimiterStart);
      unended.pop();
    }
  };

  const outline: Outline = {
    parts: [begin(0, holder)],
    isCut: false,
    hasTextOutside: false,
    hasPartsBehind: false,
  };
  let isClosed = false; // the multipart that ended at `position`
  for (;;) {
    const delimiter = multiparts.length > 0 ? nextDelimiter(raw, position, multiparts) : undefined;
    const isPreamble = delimiter !== undefined && delimiter.multipart.part === unended.at(-1);
    if (isClosed || isPreamble)
      outline.hasTextOutside ||= hasText(raw, position, delimiter?.start, isPreamble);
    if (delimiter === undefined) break;
    const { multipart, isClosing, start, end } = delimiter;
    endPartsIn(multipart.part, start);
    multiparts.splice(multiparts.indexOf(multipart) + 1);
    position = end;
    isClosed = isClosing;
    if (!isClosing && multipart.isClosed) outline.hasPartsBehind = true;
    multipart.isClosed = isClosing;
    if (isClosing) continue;
    outline.isCut = outline.parts.length >= maxParts;
    if (outline.isCut) break;
    outline.parts.push(begin(end, multipart.part));
  }
  return outline;
}

/** @param isDelimiter whether a delimiter, which ends the part, begins at that line */
function partAt(
  raw: Buffer,
  start: number,
  parent: Part | undefined,
  isDelimiter: (lineStart: number) => unknown,
): Part {
  const limits = parent === undefined ? LIMITS.head : LIMITS.partHead;
  const { text, bodyStart, isCut, isMalformed, strays } = readHead(raw, start, limits, isDelimiter);
  const fields = headerFields(text);
  const valueOf = parent === undefined ? lastValue : firstValue;
  const typeField = valueOf(fields, 'content-type');
  const type = typeField === undefined ? undefined : readType(typeField);
  const part: Part = {
    raw,
    depth: parent === undefined ? 0 : parent.depth + 1,
    parent,
    start,
    head: text,
    fields,
    isHeadCut: isCut,
    isHeadMalformed: isMalformed,
    strays,
    body: { start: bodyStart, end: raw.byteLength },
    contentType: contentTypeOf(type?.value ?? ''),
    parameters: type?.params,
    encoding: encodingOf(valueOf(fields, 'content-transfer-encoding') ?? ''),
    hasLongBoundary: false,
    children: [],
  };
  part.hasLongBoundary =
    isMultipart(part) && (boundaryParameter(part)?.length ?? 0) > BOUNDARY_MAX_CHARS;
  return part;
}

/** The last field of that name, unfolded: the one that a signature covers (RFC 6376 §5.4.2). */
const lastValue = (fields: readonly Field[], name: string): string | undefined =>
  onOneLine(fields.findLast(({ key }) => key === name));

/** Other programs take the first of a part, and no signature tells them apart. */
const firstValue = (fields: readonly Field[], name: string): string | undefined =>
  onOneLine(fields.find(({ key }) => key === name));

const onOneLine = (field: Field | undefined): string | undefined =>
  field?.value.slice(0, FIELD_MAX_CHARS).replace(/\r?\n/g, '');

/** A boundary is compared with bytes. */
const readType = createParameterReader((bytes) => bytes.toString('latin1'));

/** Some senders write no subtype, as was usual before MIME (RFC 1049). */
const contentTypeOf = (name: string): string =>
  name === 'text' || name === 'plain' ? 'text/plain' : name === 'html' ? 'text/html' : name;

export const isMultipart = ({ contentType }: Part): boolean => contentType.startsWith('multipart/');

/** A parameter of Content-Type. */
export const parameterOf = ({ parameters }: Part, name: string): string | undefined =>
  parameters?.[name]?.text;

const boundaryParameter = (part: Part) => parameterOf(part, 'boundary')?.replace(/[ \t\r]+$/, '');

function boundaryOf(part: Part): string | undefined {
  const boundary = isMultipart(part) ? boundaryParameter(part) : undefined;
  return boundary === undefined || boundary.length > READ_BOUNDARY_MAX_CHARS
    ? undefined
    : boundary || undefined;
}

function endBody(raw: Buffer, { start, body }: Part, delimiterStart: number): void {
  body.end = withoutLineEnd(raw, start, delimiterStart);
  body.start = Math.min(body.start, body.end);
}

function withoutLineEnd(raw: Buffer, start: number, end: number): number {
  if (end <= start || raw[end - 1] !== LF) return end;
  return end - 1 > start && raw[end - 2] === CR ? end - 2 : end - 1;
}

/**
 * A notice for old programs, such as "This is a message in MIME format", is not shown. A part whose
 * delimiter is missing is.
 */
function hasText(raw: Buffer, start: number, end = raw.byteLength, isPreamble: boolean): boolean {
  let [from, to] = [start, end];
  while (from < to && (raw[from] as number) <= SPACE) from++;
  while (to > from && (raw[to - 1] as number) <= SPACE) to--;
  if (!isPreamble || to - from > NOTICE_MAX_BYTES) return to > from;
  return /\n\r?\n|^content-/im.test(raw.toString('latin1', from, to));
}

/** @param from the beginning of a line */
function nextDelimiter(
  raw: Buffer,
  from: number,
  multiparts: readonly OpenMultipart[],
): Delimiter | undefined {
  for (
    let found = raw.indexOf('\n--', Math.max(0, from - 1));
    found !== -1;
    found = raw.indexOf('\n--', found + 1)
  ) {
    const delimiter = delimiterAt(raw, found + 1, multiparts);
    if (delimiter !== undefined) return delimiter;
  }
  return undefined;
}

/**
 * Where a multipart and one inside it have the same boundary, the delimiter is that of the outer
 * one.
 */
function delimiterAt(
  raw: Buffer,
  start: number,
  multiparts: readonly OpenMultipart[],
): Delimiter | undefined {
  if (raw[start] !== DASH || raw[start + 1] !== DASH) return undefined;
  for (const multipart of multiparts) {
    const { boundary } = multipart;
    let at = start + 2;
    if (!hasLatin1(raw, at, boundary)) continue;
    at += boundary.length;
    const isClosing = raw[at] === DASH && raw[at + 1] === DASH;
    if (isClosing) at += 2;
    while (raw[at] === SPACE || raw[at] === TAB) at++; // any number, as in a relaxed signature
    if (raw[at] === CR) at++;
    if (raw[at] === LF) return { multipart, isClosing, start, end: at + 1 };
    if (isClosing && at >= raw.byteLength) return { multipart, isClosing, start, end: at };
  }
  return undefined;
}

function hasLatin1(raw: Buffer, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (raw[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

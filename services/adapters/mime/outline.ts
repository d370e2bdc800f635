/**
 * Where the parts of a mail lie, found by their boundaries alone and in time linear in its size (RFC 2046 §5.1). The parser is shown these parts and no
 * others, and bodies go around it.
 */
import { decodeTransfer } from './transfer-encoding.ts';

export type Span = { start: number; end: number };

export type Part = {
  depth: number;
  /** With the empty line that ends it. */
  head: Span;
  /** Header lines beyond the limits, which nobody is to see. */
  excess: Span[];
  /** Without the line end that belongs to the boundary after it. */
  body: Span;
  /** In lower case, without parameters; empty when the head names none. */
  contentType: string;
  charset: string | undefined;
  isFlowed: boolean;
  deletesSpaces: boolean;
  encoding: string;
  /** A file by its name, though it is text and nobody says that it is attached. */
  isNamedText: boolean;
  children: Part[];
};

export type Outline = {
  /** In the order of the mail; the whole of it is the first. */
  parts: [Part, ...Part[]];
  /** There are more parts than the limit: those after them are left out. */
  isCut: boolean;
};

export type Limits = {
  parts: number;
  depth: number;
  headerLines: number;
  headerBytes: number;
  partHeaderLines: number;
  partHeaderBytes: number;
};

const [TAB, LF, CR, SPACE, DASH] = [0x09, 0x0a, 0x0d, 0x20, 0x2d];
const HEAD_SCANNED_BYTES = 1024 * 1024;
const CONTENT_TYPE_CHARS = 2_000; // of which parameters are read
const CALENDAR_SCANNED_BYTES = 64 * 1024;
/** Beyond the limit these are still taken, each once. */
const ESSENTIAL =
  /^(content-type|content-transfer-encoding|content-disposition|mime-version|from|to|cc|subject|date|message-id|in-reply-to|reply-to):/i;
const ESSENTIAL_BYTES = 2_000;

export function outlineOf(raw: Buffer, limits: Limits): Outline {
  const whole = partAt(raw, 0, raw.byteLength, undefined, limits);
  const outline: Outline = { parts: [whole], isCut: false };

  const addTo = (parent: Part, start: number, end: number): void => {
    const part = partAt(raw, start, end, parent, limits);
    parent.children.push(part);
    outline.parts.push(part);
    divide(part);
  };
  const divide = (part: Part): void => {
    const boundary =
      part.contentType.startsWith('multipart/') && part.depth < limits.depth
        ? boundaryOf(raw, part)
        : undefined;
    if (boundary === undefined) return;
    let from: number | undefined;
    for (const line of boundaryLines(raw, boundary, part.body)) {
      if (from !== undefined) addTo(part, from, withoutLineEnd(raw, from, line.start));
      from = line.isClosing ? undefined : line.end;
      if (outline.parts.length >= limits.parts && from !== undefined) outline.isCut = true;
      if (line.isClosing || outline.isCut) return;
    }
    if (from !== undefined) addTo(part, from, part.body.end); // not closed: it ends where the part around it does (RFC 2046 §5.1.2)
  };

  divide(whole);
  return outline;
}

function partAt(
  raw: Buffer,
  start: number,
  end: number,
  parent: Part | undefined,
  limits: Limits,
): Part {
  const [lines, bytes] =
    parent === undefined
      ? [limits.headerLines, limits.headerBytes]
      : [limits.partHeaderLines, limits.partHeaderBytes];
  const { bodyStart, excess } = scanHead(raw, start, end, lines, bytes);
  const span = { head: { start, end: bodyStart }, excess };
  const type = headerOf(raw, span, 'content-type') ?? '';
  const contentType = contentTypeOf(type);
  return {
    depth: parent === undefined ? 0 : parent.depth + 1,
    ...span,
    body: { start: bodyStart, end },
    contentType,
    charset: parameterOf(type, 'charset'),
    isFlowed: parameterOf(type, 'format')?.toLowerCase() === 'flowed',
    deletesSpaces: parameterOf(type, 'delsp')?.toLowerCase() === 'yes',
    encoding:
      headerOf(raw, span, 'content-transfer-encoding')
        ?.replace(/\(.*\)/, '')
        .trim()
        .toLowerCase() ?? '',
    isNamedText:
      TEXT.test(contentType) &&
      isBesideOthers(parent) &&
      NAME.test(`;${type};${headerOf(raw, span, 'content-disposition') ?? ''}`),
    children: [],
  };
}

const TEXT = /^text\/(plain|html)$/;
const NAME = /;\s*(file)?name[\d*]*\s*=/i;
/** The first of several is the text to which the others are attached (as in RFC 8621 §4.1.4); alternatives are texts, however they are named. */
const isBesideOthers = (parent: Part | undefined): boolean =>
  parent !== undefined &&
  parent.children.length > 0 &&
  parent.contentType !== 'multipart/alternative';

/** Some write no subtype, as before there was one (RFC 1049). */
function contentTypeOf(header: string): string {
  const name = /^\s*([^\s;,]*)/.exec(header)?.[1]?.toLowerCase() ?? '';
  return name === 'text' || name === 'plain' ? 'text/plain' : name === 'html' ? 'text/html' : name;
}

/** Walks the lines of a head until the empty one, as far as the limits go; beyond them it only looks for the end. */
function scanHead(
  raw: Buffer,
  start: number,
  end: number,
  maxLines: number,
  maxBytes: number,
): { bodyStart: number; excess: Span[] } {
  const excess: Span[] = [];
  const taken = new Set<string>();
  let room = ESSENTIAL_BYTES; // of the header at hand, once the limits are behind
  let lines = 0;
  for (let at = start; at < end;) {
    const lineFeed = raw.indexOf(LF, at);
    const next = lineFeed === -1 || lineFeed >= end ? end : lineFeed + 1;
    if (raw[at] === LF || (raw[at] === CR && raw[at + 1] === LF))
      return { bodyStart: next, excess };
    if (++lines > maxLines || next - start > maxBytes) {
      if (raw[at] !== SPACE && raw[at] !== TAB) {
        const name = ESSENTIAL.exec(
          raw.toString('latin1', at, Math.min(next, at + 40)),
        )?.[1]?.toLowerCase();
        room = name !== undefined && !taken.has(name) ? ESSENTIAL_BYTES : 0;
        taken.add(name ?? '');
      }
      room -= next - at;
      if (room < 0) addSpan(excess, at, next);
    }
    if (next - start > HEAD_SCANNED_BYTES) {
      const blank = [raw.indexOf('\n\r\n', next - 1), raw.indexOf('\n\n', next - 1)].filter(
        (found) => found !== -1 && found < end,
      );
      const last = Math.min(...blank, end);
      addSpan(excess, next, Math.min(last + 1, end));
      return { bodyStart: last === end ? end : last + (raw[last + 1] === CR ? 3 : 2), excess };
    }
    at = next;
  }
  return { bodyStart: end, excess };
}

function addSpan(spans: Span[], start: number, end: number): void {
  const last = spans.at(-1);
  if (last?.end === start) last.end = end;
  else if (start < end) spans.push({ start, end });
}

/** The head as the parser is to see it, one character a byte. */
export function headText(raw: Buffer, { head, excess }: Pick<Part, 'head' | 'excess'>): string {
  let text = '';
  let from = head.start;
  for (const { start, end } of excess) {
    text += raw.toString('latin1', from, start);
    from = end;
  }
  return (text + raw.toString('latin1', from, head.end)).replace(
    /^(\xef\xbb\xbf)?[ \t]*(?=\S)/,
    '',
  ); // the parser takes no notice of these
}

/** The first header of that name, unfolded. */
function headerOf(
  raw: Buffer,
  part: Pick<Part, 'head' | 'excess'>,
  name: string,
): string | undefined {
  const text = headText(raw, part);
  const found = new RegExp(`(?:^|\\n)${name}[ \\t]*:`, 'i').exec(text);
  if (!found) return undefined;
  const rest = text.slice(
    found.index + found[0].length,
    found.index + found[0].length + CONTENT_TYPE_CHARS,
  );
  return rest.slice(0, /\r?\n(?![ \t])/.exec(rest)?.index).replace(/\r?\n/g, '');
}

export function parameterOf(header: string, name: string): string | undefined {
  const found = new RegExp(`;\\s*${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]*))`, 'i').exec(
    header,
  );
  return found?.[1]?.replace(/\\(.)/g, '$1') ?? found?.[2];
}

function boundaryOf(raw: Buffer, part: Part): string | undefined {
  return parameterOf(headerOf(raw, part, 'content-type') ?? '', 'boundary') || undefined;
}

/** The lines that are a boundary: blanks may follow it, which transports add (RFC 2046 §5.1.1). */
function* boundaryLines(
  raw: Buffer,
  boundary: string,
  { start, end }: Span,
): Generator<Span & { isClosing: boolean }> {
  const delimiter = Buffer.from(`\n--${boundary}`, 'latin1');
  const isFirst = raw.subarray(start, end).indexOf(delimiter.subarray(1)) === 0;
  for (
    let found = isFirst ? start - 1 : raw.indexOf(delimiter, start);
    found !== -1 && found < end;
    found = raw.indexOf(delimiter, found + 1)
  ) {
    const at = found + 1;
    let after = found + delimiter.byteLength;
    const isClosing = raw[after] === DASH && raw[after + 1] === DASH;
    if (isClosing) after += 2;
    while (raw[after] === SPACE || raw[after] === TAB) after++;
    if (raw[after] === CR) after++;
    if (raw[after] === LF) after++;
    else if (!isClosing || after < end) continue;
    yield { start: at, end: Math.min(after, end), isClosing };
  }
}

function withoutLineEnd(raw: Buffer, start: number, end: number): number {
  if (end > start && raw[end - 1] === LF)
    return end - 1 > start && raw[end - 2] === CR ? end - 2 : end - 1;
  return end;
}

/** What an invitation asks for: by its Content-Type (RFC 6047 §2.4), else by its own words; null for parts of other types. */
export function methodOf(part: Part, raw: Buffer): string | null {
  if (part.contentType !== 'text/calendar') return null;
  const beginning = () =>
    decodeTransfer(
      raw.subarray(
        part.body.start,
        Math.min(part.body.end, part.body.start + CALENDAR_SCANNED_BYTES),
      ),
      part.encoding,
    ).toString('latin1');
  const named =
    parameterOf(headerOf(raw, part, 'content-type') ?? '', 'method') ??
    /^METHOD:([\w-]+)/im.exec(beginning())?.[1];
  return named?.toUpperCase() || null;
}

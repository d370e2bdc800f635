/**
 * Where the parts of a mail lie, found by their boundaries alone and in time linear in its size (RFC 2046 §5.1). It bounds what the parser is shown, and
 * lets bodies go around it. What it does not understand it takes for one part without children: the parser then sees it as it is.
 */
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
  hasChildren: boolean;
};

export type Outline = {
  /** In the order of the mail; the whole of it is the first. */
  parts: Part[];
  /** Where the part begins that is one too many. */
  end: number;
};

export type Limits = { parts: number; depth: number; headerLines: number; headerBytes: number; partHeaderLines: number; partHeaderBytes: number };

const [TAB, LF, CR, SPACE, DASH] = [0x09, 0x0a, 0x0d, 0x20, 0x2d];
const HEAD_SCANNED_BYTES = 1024 * 1024;
const CONTENT_TYPE_CHARS = 2_000; // of which parameters are read
/** Beyond the limit these are still taken, each once. */
const ESSENTIAL = /^(content-type|content-transfer-encoding|content-disposition|mime-version|from|to|cc|subject|date|message-id|in-reply-to|reply-to):/i;
const ESSENTIAL_BYTES = 2_000;

export function outlineOf(raw: Buffer, limits: Limits): Outline {
  const outline: Outline = { parts: [], end: raw.byteLength };

  const visit = (start: number, end: number, depth: number): void => {
    const part = partAt(raw, start, end, depth, limits);
    outline.parts.push(part);
    const boundary = part.contentType.startsWith('multipart/') && depth < limits.depth ? boundaryOf(raw, part) : undefined;
    if (boundary === undefined) return;
    let from: number | undefined;
    for (const line of boundaryLines(raw, boundary, part.body)) {
      part.hasChildren = true;
      if (from !== undefined) visit(from, withoutLineEnd(raw, from, line.start), depth + 1);
      from = line.isClosing ? undefined : line.end;
      if (outline.parts.length >= limits.parts && from !== undefined) outline.end = Math.min(outline.end, line.start);
      if (line.isClosing || outline.end < raw.byteLength) return;
    }
    if (from !== undefined) visit(from, part.body.end, depth + 1);
  };

  visit(0, raw.byteLength, 0);
  return outline;
}

function partAt(raw: Buffer, start: number, end: number, depth: number, limits: Limits): Part {
  const [lines, bytes] = depth === 0 ? [limits.headerLines, limits.headerBytes] : [limits.partHeaderLines, limits.partHeaderBytes];
  const { bodyStart, excess } = scanHead(raw, start, end, lines, bytes);
  const part: Part = { depth, head: { start, end: bodyStart }, excess, body: { start: bodyStart, end }, contentType: '', charset: undefined, isFlowed: false, deletesSpaces: false, encoding: '', hasChildren: false };
  const type = headerOf(raw, part, 'content-type') ?? '';
  return {
    ...part,
    contentType: /^\s*([^\s;]*)/.exec(type)?.[1]?.toLowerCase() ?? '',
    charset: parameterOf(type, 'charset'),
    isFlowed: parameterOf(type, 'format')?.toLowerCase() === 'flowed',
    deletesSpaces: parameterOf(type, 'delsp')?.toLowerCase() === 'yes',
    encoding: headerOf(raw, part, 'content-transfer-encoding')?.replace(/\(.*\)/, '').trim().toLowerCase() ?? '',
  };
}

/** Walks the lines of a head until the empty one, as far as the limits go; beyond them it only looks for the end. */
function scanHead(raw: Buffer, start: number, end: number, maxLines: number, maxBytes: number): { bodyStart: number; excess: Span[] } {
  const excess: Span[] = [];
  const taken = new Set<string>();
  let room = ESSENTIAL_BYTES; // of the header at hand, once the limits are behind
  let lines = 0;
  for (let at = start; at < end; ) {
    const lineFeed = raw.indexOf(LF, at);
    const next = lineFeed === -1 || lineFeed >= end ? end : lineFeed + 1;
    if (raw[at] === LF || (raw[at] === CR && raw[at + 1] === LF)) return { bodyStart: next, excess };
    if (++lines > maxLines || next - start > maxBytes) {
      if (raw[at] !== SPACE && raw[at] !== TAB) {
        const name = ESSENTIAL.exec(raw.toString('latin1', at, Math.min(next, at + 40)))?.[1]?.toLowerCase();
        room = name !== undefined && !taken.has(name) ? ESSENTIAL_BYTES : 0;
        taken.add(name ?? '');
      }
      room -= next - at;
      if (room < 0) addSpan(excess, at, next);
    }
    if (next - start > HEAD_SCANNED_BYTES) {
      const blank = [raw.indexOf('\n\r\n', next - 1), raw.indexOf('\n\n', next - 1)].filter((found) => found !== -1 && found < end);
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
  return text + raw.toString('latin1', from, head.end);
}

/** The first header of that name, unfolded. */
function headerOf(raw: Buffer, part: Part, name: string): string | undefined {
  const text = headText(raw, part);
  const found = new RegExp(`(?:^|\\n)${name}[ \\t]*:`, 'i').exec(text);
  if (!found) return undefined;
  const rest = text.slice(found.index + found[0].length, found.index + found[0].length + CONTENT_TYPE_CHARS);
  return rest.slice(0, /\r?\n(?![ \t])/.exec(rest)?.index).replace(/\r?\n/g, '');
}

export function parameterOf(header: string, name: string): string | undefined {
  const found = new RegExp(`;\\s*${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]*))`, 'i').exec(header);
  return found?.[1]?.replace(/\\(.)/g, '$1') ?? found?.[2];
}

function boundaryOf(raw: Buffer, part: Part): string | undefined {
  return parameterOf(headerOf(raw, part, 'content-type') ?? '', 'boundary') || undefined;
}

/** The lines that are a boundary, as the parser knows them: nothing but a line end may follow. */
function* boundaryLines(raw: Buffer, boundary: string, { start, end }: Span): Generator<Span & { isClosing: boolean }> {
  const delimiter = Buffer.from(`\n--${boundary}`, 'latin1');
  const isFirst = raw.subarray(start, end).indexOf(delimiter.subarray(1)) === 0;
  for (let found = isFirst ? start - 1 : raw.indexOf(delimiter, start); found !== -1 && found < end; found = raw.indexOf(delimiter, found + 1)) {
    const at = found + 1;
    let after = found + delimiter.byteLength;
    const isClosing = raw[after] === DASH && raw[after + 1] === DASH;
    if (isClosing) after += 2;
    if (raw[after] === CR) after++;
    if (raw[after] === LF) after++;
    else if (!isClosing || after < end) continue;
    yield { start: at, end: Math.min(after, end), isClosing };
  }
}

function withoutLineEnd(raw: Buffer, start: number, end: number): number {
  if (end > start && raw[end - 1] === LF) return end - 1 > start && raw[end - 2] === CR ? end - 2 : end - 1;
  return end;
}

/** What an invitation asks for: by its Content-Type (RFC 6047 §2.4), else by its own words; null for parts of other types. */
export function methodOf(part: Part, raw: Buffer): string | null {
  if (part.contentType !== 'text/calendar') return null;
  const named = parameterOf(headerOf(raw, part, 'content-type') ?? '', 'method') ?? /^METHOD:([\w-]+)/im.exec(raw.toString('latin1', part.body.start, Math.min(part.body.end, part.body.start + CONTENT_TYPE_CHARS)))?.[1];
  return named?.toUpperCase() || null;
}

/**
 * Takes texts, HTML and attachments from the parts of an email, each from its own bytes. A text is
 * shown as HTML too when the email has HTML and the text is not an alternative to it (D23).
 */
import { extname } from 'node:path';

import type { ParsedAttachment } from '../../core/webhook/payload.ts';
import type { Decoded } from './base64.ts';
import {
  charsetOfHtml,
  decodeText,
  type Doubt,
  type Guess,
  hasByteLineEnds,
  type OnDoubt,
} from './charset.ts';
import { decodeWords, recodeWords } from './encoded-words.ts';
import { type Field, oneLine, unfolded, unicodeFields } from './head.ts';
import { typeOfFilename } from './mailparser.ts';
import { isMultipart, LIMITS, type Outline, parameterOf, type Part } from './outline.ts';
import { createParameterReader, type Parameter, type ParameterField } from './parameters.ts';
import { decodeTransfer, unflow, withoutCarriageReturns } from './transfer-encoding.ts';
import { cutText } from '../../core/text/text.ts';

type Contents = {
  text: string;
  html: string;
  /** A text or the HTML is longer than the limit; the rest of it is left out. */
  isTextCut: boolean;
  /** A part is not encoded as it declares. */
  isEncodingDamaged: boolean;
  /** What was replaced or guessed in texts and names of files. */
  doubts: ReadonlySet<Doubt>;
  attachments: ParsedAttachment[];
};

/** JSON may take six bytes for each. */
export const TEXT_MAX_CHARS = 16 * 1024 * 1024;
const CALENDAR_SCANNED_BYTES = 64 * 1024;
const HTML_STEP_CHARS = 64 * 1024;

/** A part without parts of its own, as its head describes it. */
type Leaf = {
  part: Part;
  fields: Field[];
  contentType: string;
  disposition: string;
  filename: string | null;
};
type LeafKind = 'text' | 'html' | 'attachment';

export function walkParts({ parts }: Outline, guess: Guess): Contents {
  const doubts = new Set<Doubt>();
  const onDoubt: OnDoubt = (doubt) => doubts.add(doubt);
  const leaves = new Map(
    parts.filter(isLeaf).map((part) => {
      const leaf = leafOf(part, unicodeFields(part, guess, onDoubt), onDoubt);
      return [part, { ...leaf, kind: kindOf(leaf) }];
    }),
  );
  const kinds = new Set([...leaves.values()].map(({ kind }) => kind));
  const [text, html] = [createJoiner('\n'), createJoiner('<br/>\n')];
  const attachments: ParsedAttachment[] = [];
  let isEncodingDamaged = false;
  const showText = (shown: string, part: Part) => {
    text.add(shown);
    if (kinds.has('html') && !isAlternative(part)) html.add(`<p>${htmlOf(shown.trimEnd())}</p>`);
  };
  const showExtra = (bytes: Buffer, part: Part) => {
    const shown = decodeText(withoutCarriageReturns(bytes), undefined, guess).trim();
    if (shown !== '') showText(shown, part);
  };
  for (const part of parts) {
    for (const { start, end } of part.strays) showExtra(part.raw.subarray(start, end), part);
    const leaf = leaves.get(part);
    if (leaf === undefined || (leaf.kind !== 'attachment' && !hasBody(part))) continue;
    const decoded = bodyOf(part);
    if (leaf.kind === 'attachment') attachments.push(attachmentOf(leaf, decoded));
    else if (leaf.kind === 'text') showText(textOf(part, decoded, guess, false, onDoubt), part);
    else {
      if (kinds.has('text') && !isAlternative(part)) text.add(''); // an empty line where the HTML is
      html.add(textOf(part, decoded, guess, true, onDoubt));
    }
    if (decoded.extra) showExtra(decoded.extra, part);
    isEncodingDamaged ||= decoded.isDamaged === true;
  }
  return {
    text: text.joined(),
    html: html.joined(),
    isTextCut: text.isCut() || html.isCut(),
    isEncodingDamaged,
    doubts,
    attachments,
  };
}

/** A multipart in which no parts were found is shown as bytes, unless it is the email itself. */
const isLeaf = (part: Part): boolean => !isMultipart(part) || isUndividedPart(part);
export const isUndividedPart = (part: Part): boolean =>
  isMultipart(part) && part.children.length === 0 && part.depth > 0 && hasBody(part);
export const hasBody = ({ body }: Part): boolean => body.end > body.start;
export const isTooDeep = ({ depth }: Part): boolean => depth >= LIMITS.depth;

const isAlternative = ({ parent }: Part): boolean =>
  parent !== undefined && (parent.contentType === 'multipart/alternative' || isAlternative(parent));

/** RFC 2045 §5.1. Encoded words become ones without semicolons and quotes. */
function fieldOf(fields: readonly Field[], key: string, onDoubt: OnDoubt): ParameterField {
  const value = fields.find((field) => field.key === key)?.value ?? '';
  const read = readField(recodeWords(value, onDoubt));
  for (const doubt of read.doubts) onDoubt(doubt);
  return read;
}

const readField = createParameterReader((bytes, charset, onDoubt) =>
  decodeText(bytes, charset, undefined, onDoubt),
);

const nameIn = (parameter: Parameter | undefined): string =>
  parameter === undefined
    ? ''
    : parameter.isExtended
      ? parameter.text
      : decodeWords(parameter.text);

function leafOf(part: Part, all: Field[], onDoubt: OnDoubt): Leaf {
  const fields = part.depth > 0 ? all : all.toReversed(); // which of several counts: D38
  const { value, params } = fieldOf(fields, 'content-disposition', onDoubt);
  const disposition = { value, filename: nameIn(params['filename']) };
  const name =
    disposition.filename || nameIn(fieldOf(fields, 'content-type', onDoubt).params['name']);
  return {
    part,
    fields,
    contentType: leafType(part, disposition),
    disposition: disposition.value,
    filename: name.trim() === '' ? null : oneLine(name),
  };
}

type Disposition = { value: string; filename: string };

/** RFC 2045 §5.2, and what a file's name says where no type is given. */
function leafType(part: Part, { value, filename }: Disposition): string {
  if (isMultipart(part)) return 'application/octet-stream';
  if (part.contentType === '' && part.parent?.contentType === 'multipart/digest')
    return 'message/rfc822'; // RFC 2046 §5.1.5
  if (part.parameters !== undefined)
    return part.contentType || (part.depth === 0 ? 'text/plain' : '');
  if (extname(filename).length > 1) return typeOfFilename(filename);
  return value === 'attachment' ? 'application/octet-stream' : 'text/plain';
}

function kindOf({ part, contentType, disposition, filename }: Leaf): LeafKind {
  const kind =
    contentType === 'text/plain' ? 'text' : contentType === 'text/html' ? 'html' : 'attachment';
  const isFile = filename !== null && isBesideOthers(part);
  return isFile || (disposition !== '' && disposition !== 'inline') ? 'attachment' : kind;
}

/**
 * A text with a name is a file when it follows other parts: the first of several is the text to
 * which the others are attached (as in RFC 8621 §4.1.4). An alternative is never a file.
 */
const isBesideOthers = (part: Part): boolean =>
  part.parent !== undefined &&
  part.parent.children[0] !== part &&
  part.parent.contentType !== 'multipart/alternative';

function attachmentOf(
  { part, fields, contentType, disposition, filename: named }: Leaf,
  { content, filename: inner }: Decoded,
): ParsedAttachment {
  const filename = named ?? (oneLine(inner ?? '') || null);
  const type =
    contentType === 'application/octet-stream' && filename !== null
      ? typeOfFilename(filename)
      : contentType;
  const charset = parameterOf(part, 'charset');
  const id = fields.find(({ key, value }) => key === 'content-id' && value.trim() !== '');
  return {
    filename,
    contentType: type || 'application/octet-stream',
    contentId: withoutBrackets(oneLine(unfolded(id?.value ?? ''))) || null,
    disposition: disposition === '' ? null : disposition === 'inline' ? 'inline' : 'attachment',
    method: methodOf(part, content),
    ...(charset && /calendar|ics/.test(type) && { charset }),
    content,
  };
}

/** The Content-ID without its brackets, however many there are. */
function withoutBrackets(id: string): string {
  let [start, end] = [0, id.length];
  while (start < end && '< \t'.includes(id[start] as string)) start++;
  while (end > start && '> \t'.includes(id[end - 1] as string)) end--;
  return id.slice(start, end);
}

export const bodyOf = ({ raw, body, encoding, decoded }: Part): Decoded =>
  decoded ?? decodeTransfer(raw.subarray(body.start, body.end), encoding);

const charsetOf = (part: Part, { content }: Decoded, isHtml: boolean): string | undefined =>
  parameterOf(part, 'charset') ?? (isHtml ? charsetOfHtml(content) : undefined);

export function textOf(
  part: Part,
  decoded: Decoded,
  guess: Guess,
  isHtml: boolean,
  onDoubt?: OnDoubt,
): string {
  const charset = charsetOf(part, decoded, isHtml);
  const bytes = decoded.content;
  const text = hasByteLineEnds(charset)
    ? decodeText(withoutCarriageReturns(bytes), charset, guess, onDoubt)
    : decodeText(bytes, charset, guess, onDoubt).replaceAll('\r\n', '\n');
  const isFlowed = !isHtml && parameterOf(part, 'format')?.toLowerCase() === 'flowed'; // RFC 3676
  return isFlowed ? unflow(text, parameterOf(part, 'delsp')?.toLowerCase() === 'yes') : text;
}

/**
 * What an invitation asks for, as calendars read it: by its text, else by its Content-Type, which
 * should say the same (RFC 6047 §2.4); null for other types.
 */
function methodOf(part: Part, content: Buffer): string | null {
  if (part.contentType !== 'text/calendar') return null;
  const text = content.toString('latin1', 0, CALENDAR_SCANNED_BYTES);
  const written = /^METHOD:([\w-]+)/im.exec(text)?.[1];
  return (written ?? parameterOf(part, 'method'))?.toUpperCase() || null;
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '\n': '<br/>\n',
};

/** In steps: the matches of a large text take more memory than the text. */
function htmlOf(text: string): string {
  let html = '';
  for (let from = 0; from < text.length && html.length <= TEXT_MAX_CHARS; from += HTML_STEP_CHARS)
    html += text
      .slice(from, from + HTML_STEP_CHARS)
      .replace(/[&<>\n]/g, (char) => ENTITIES[char] ?? char);
  return html;
}

/** Joins texts up to the limit. */
function createJoiner(separator: string) {
  let whole: string | undefined;
  let isCut = false;
  return {
    add: (text: string) => {
      if (isCut) return;
      whole = whole === undefined ? text : whole + separator + text;
      isCut = whole.length > TEXT_MAX_CHARS;
      if (isCut) whole = cutText(whole, TEXT_MAX_CHARS);
    },
    joined: () => whole ?? '',
    isCut: () => isCut,
  };
}

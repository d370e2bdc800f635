/**
 * What the parser is shown instead of a mail: its heads within the limits and in UTF-8, and in the place of each body a mark. Bodies go around the parser,
 * byte for byte, so that its time depends on the number of parts and not on their size.
 */
import { isUtf8 } from 'node:buffer';

import type { ParseWarning } from '../core/payload.ts';
import { charsetOf, decodeNamed, isIso2022Jp } from './mime-charset.ts';
import { headText, type Limits, type Outline, outlineOf, type Part } from './mime-outline.ts';

export const LIMITS: Limits = { parts: 1000, depth: 32, headerLines: 1000, headerBytes: 512 * 1024, partHeaderLines: 100, partHeaderBytes: 16 * 1024 };

const WARNINGS = {
  parts: { code: 'too_many_parts', message: `The mail has more than ${LIMITS.parts} parts: those after them are left out` },
  depth: { code: 'too_deep', message: `Parts lie in each other more than ${LIMITS.depth} deep: the innermost are one attachment` },
  headers: { code: 'too_many_headers', message: 'The mail or a part of it has too many headers, or too long ones: some are left out' },
} satisfies Record<string, ParseWarning>;

export type Preparation = {
  bytes: Buffer;
  /** The part whose body a mark stands for. */
  partOf: (mark: string) => Part | undefined;
  /** Finds marks in a text. */
  marks: RegExp;
  /** Of the mail itself, as it is shown. */
  head: string;
  /** First charset that the mail names for a text. */
  charset: string | undefined;
  warnings: ParseWarning[];
};

/** @param nonce what the mail cannot contain */
export function prepare(raw: Buffer, nonce: string): Preparation {
  const outline = outlineOf(raw, LIMITS);
  const charset = outline.parts.find((part) => part.charset !== undefined && !/^(us-ascii|utf-?8)$/i.test(part.charset))?.charset;
  const pieces: Buffer[] = [];
  let from = 0;
  const replace = (start: number, end: number, by: string) => {
    pieces.push(raw.subarray(from, start), Buffer.from(by));
    from = end;
  };
  for (const [index, part] of outline.parts.entries()) {
    const isShut = isTooDeep(part) && isMultipart(part);
    const isLeaf = !isMultipart(part) || isShut;
    const head = utf8Of(headText(raw, part), charset);
    replace(part.head.start, part.head.end, isLeaf && hasBody(part) ? plainHead(head, isShut) : head);
    if (isLeaf && hasBody(part)) replace(part.body.start, part.body.end, `${nonce}-${index}.`);
  }
  if (from < outline.end) pieces.push(raw.subarray(from, outline.end));
  const marks = new RegExp(`${nonce}-(\\d+)\\.`, 'g');
  return {
    bytes: Buffer.concat(pieces),
    partOf: (mark) => outline.parts[Number(new RegExp(marks.source).exec(mark)?.[1])],
    marks,
    head: utf8Of(outline.parts[0] ? headText(raw, outline.parts[0]) : '', charset),
    charset,
    warnings: warningsOf(outline, raw),
  };
}

function warningsOf({ parts, end }: Outline, raw: Buffer): ParseWarning[] {
  return [
    ...(end < raw.byteLength ? [WARNINGS.parts] : []),
    ...(parts.some((part) => isTooDeep(part) && isMultipart(part)) ? [WARNINGS.depth] : []),
    ...(parts.some(({ excess }) => excess.length > 0) ? [WARNINGS.headers] : []),
  ];
}

const isMultipart = ({ contentType }: Part) => contentType.startsWith('multipart/');
const isTooDeep = ({ depth }: Part) => depth >= LIMITS.depth;
const hasBody = ({ body }: Part) => body.end > body.start;

/** The head of a body that is a mark: neither encoded nor in a charset. */
function plainHead(head: string, isShut: boolean): string {
  return head.replace(/(?<=^|\n)content-transfer-encoding[ \t]*:/gi, 'X-$&').replace(/(?<=^|\n)content-type[ \t]*:(?:.*\r?\n[ \t])*.*/gi, (field) => {
    const unnamed = field.replace(/charset(?=[\s*\d]*=)/gi, 'x-$&');
    return isShut ? unnamed.replace(/multipart\//i, 'application/octet-stream; x-type=') : unnamed;
  });
}

/** Lines in other charsets than UTF-8, which nobody may send but many do, become UTF-8. One guess is made for all that name none. */
function utf8Of(head: string, charset: string | undefined): string {
  const bytes = Buffer.from(head, 'latin1');
  if (isUtf8(bytes) && !isIso2022Jp(bytes)) return bytes.toString();
  const lines = head.split(/(?<=\n)/).map((line) => Buffer.from(line, 'latin1'));
  const guessed = charsetOf(Buffer.concat(lines.filter((line) => !isUtf8(line))), charset);
  return lines.map((line) => decodeNamed(line, isIso2022Jp(line) ? 'iso-2022-jp' : isUtf8(line) ? 'utf-8' : guessed) ?? '').join('');
}

/**
 * What the parser is shown instead of a mail: its heads within the limits and in UTF-8, between boundaries of our own, and in the place of each body a mark.
 * Bodies go around the parser, byte for byte, so that its time depends on the number of parts and not on their size.
 */
import { isUtf8 } from 'node:buffer';

import type { ParseWarning } from '../../core/mail/payload.ts';
import { charsetOf, decodeNamed, isIso2022Jp } from './charset.ts';
import { headText, type Limits, type Outline, outlineOf, type Part } from './outline.ts';
import { oneLine, recodeWords } from './encoded-words.ts';

export const LIMITS: Limits = {
  parts: 1000,
  depth: 32,
  headerLines: 1000,
  headerBytes: 512 * 1024,
  partHeaderLines: 100,
  partHeaderBytes: 16 * 1024,
};

const WARNINGS = {
  parts: {
    code: 'too_many_parts',
    message: `The mail has more than ${LIMITS.parts} parts: those after them are left out`,
  },
  depth: {
    code: 'too_deep',
    message: `Parts lie in each other more than ${LIMITS.depth} deep: the innermost are one attachment`,
  },
  empty: {
    code: 'no_parts_found',
    message: 'A part says that it has parts itself, but none was found: it is an attachment',
  },
  headers: {
    code: 'too_many_headers',
    message: 'The mail or a part of it has too many headers, or too long ones: some are left out',
  },
} satisfies Record<string, ParseWarning>;

export type Preparation = {
  bytes: Buffer;
  /** The part whose body a mark stands for. */
  partOf: (mark: string) => Part | undefined;
  /** Finds marks in a text. */
  marks: RegExp;
  /** Of the mail itself, as it is shown. */
  head: string;
  /** The first plain text, also of a mail whose other parts are not to be had. */
  firstText: Part | undefined;
  /** It says that it has parts, but none was found. */
  isUndivided: boolean;
  /** First charset that the mail names for a text. */
  charset: string | undefined;
  warnings: ParseWarning[];
};

/** @param nonce what the mail cannot contain */
export function prepare(raw: Buffer, nonce: string): Preparation {
  const outline = outlineOf(raw, LIMITS);
  const charset = outline.parts.find(
    (part) => part.charset !== undefined && !/^(us-ascii|utf-?8)$/i.test(part.charset),
  )?.charset;
  const headOf = (part: Part) => utf8Of(headText(raw, part), charset);
  const pieces: string[] = [];
  const show = (part: Part, index: number): number => {
    const head = recodeWords(headOf(part));
    if (part.children.length === 0) {
      pieces.push(
        hasShownBody(part)
          ? `${leafHead(head, part)}${nonce}-${index}.`
          : head.replace(/\r?\n$/, ''),
      ); // its last line end is that of the boundary then
      return index + 1;
    }
    let next = index + 1;
    pieces.push(
      withContentType(head, (field, isFirst) =>
        isFirst
          ? `Content-Type: ${KNOWN_MULTIPART.exec(part.contentType)?.[0] ?? 'multipart/mixed'}; boundary="${nonce}_${index}"`
          : `X-${field}`,
      ),
    );
    for (const child of part.children) {
      pieces.push(`\r\n--${nonce}_${index}\r\n`);
      next = show(child, next);
    }
    pieces.push(`\r\n--${nonce}_${index}--\r\n`);
    return next;
  };
  show(outline.parts[0], 0);
  const marks = new RegExp(`${nonce}-(\\d+)\\.`, 'g');
  return {
    bytes: Buffer.from(pieces.join('')),
    partOf: (mark) => outline.parts[Number(new RegExp(marks.source).exec(mark)?.[1])],
    marks,
    head: headOf(outline.parts[0]),
    firstText: outline.parts.find(
      (part) => part.contentType === 'text/plain' && hasBody(part) && !part.isNamedText,
    ),
    isUndivided: isMultipart(outline.parts[0]) && outline.parts[0].children.length === 0,
    charset,
    warnings: warningsOf(outline),
  };
}
function warningsOf({ parts, isCut }: Outline): ParseWarning[] {
  return [
    ...(isCut ? [WARNINGS.parts] : []),
    ...(parts.some((part) => isShut(part) && isTooDeep(part)) ? [WARNINGS.depth] : []),
    ...(parts.some((part) => isShut(part) && !isTooDeep(part)) ? [WARNINGS.empty] : []),
    ...(parts.some(({ excess }) => excess.length > 0) ? [WARNINGS.headers] : []),
  ];
}

const isMultipart = ({ contentType }: Part) => contentType.startsWith('multipart/');
const isTooDeep = ({ depth }: Part) => depth >= LIMITS.depth;
const hasBody = ({ body }: Part) => body.end > body.start;
/** A multipart in which no parts are to be found is shown as bytes; where it is the whole mail, nothing is. */
const isShut = (part: Part) =>
  isMultipart(part) && part.children.length === 0 && part.depth > 0 && hasBody(part);
const hasShownBody = (part: Part) => hasBody(part) && (!isMultipart(part) || isShut(part));

/** Others are as mixed ones to the parser (RFC 2046 §5.1.3). */
const KNOWN_MULTIPART = /^multipart\/(alternative|related)$/;

/** The head of a body that is a mark: neither encoded nor in a charset. */
function leafHead(head: string, part: Part): string {
  const type = isShut(part) ? 'application/octet-stream' : part.contentType;
  const plain = withContentType(
    head.replace(/(?<=^|\n)content-transfer-encoding[ \t]*:/gi, 'X-$&'),
    (field) =>
      field
        .replace(/charset(?=[\s*\d]*=)/gi, 'x-$&')
        .replace(/(:\s*)[^\s;,]+,?/, (_, colon: string) => `${colon}${type};`),
  );
  if (!part.isNamedText) return plain;
  return DISPOSITION.test(plain)
    ? plain.replace(DISPOSITION, 'Content-Disposition: attachment')
    : `Content-Disposition: attachment\r\n${plain}`;
}

const DISPOSITION = /(?<=^|\n)content-disposition[ \t]*:(?:[ \t]|\r?\n[ \t])*[^\s;]*/i;

function withContentType(
  head: string,
  change: (field: string, isFirst: boolean) => string,
): string {
  let seen = 0;
  return head.replace(/(?<=^|\n)content-type[ \t]*:(?:[^\n]*\n[ \t])*[^\n]*/gi, (field) =>
    change(field, seen++ === 0),
  );
}

/** Lines in other charsets than UTF-8, which nobody may send but many do, become UTF-8. One guess is made for all that name none. */
function utf8Of(head: string, charset: string | undefined): string {
  const bytes = Buffer.from(head, 'latin1');
  if (isUtf8(bytes) && !isIso2022Jp(bytes)) return bytes.toString();
  const lines = head.split(/(?<=\n)/).map((line) => Buffer.from(line, 'latin1'));
  const foreign = lines
    .filter((line) => !isUtf8(line))
    .flatMap((line) => line.toString('latin1').split(/[ \t\r\n"<>]+/))
    .filter((word) => /[\x80-\xff]/.test(word)); // beside addresses, which are ASCII and tell nothing
  const hint =
    charset !== undefined && decodeNamed(Buffer.from(ASCII), charset) === ASCII
      ? charset
      : undefined;
  const guessed = charsetOf(Buffer.from(foreign.join(' '), 'latin1'), hint);
  return lines
    .map((line) =>
      utf8Line(line, isIso2022Jp(line) ? 'iso-2022-jp' : isUtf8(line) ? 'utf-8' : guessed),
    )
    .join('');
}

const ASCII = 'Name: value';

/** It stays a line, and does not become the empty one that ends a head, whatever its bytes stand for. */
function utf8Line(line: Buffer, charset: string): string {
  const end = /\r?\n?$/.exec(line.toString('latin1'))?.[0] ?? '';
  const text = oneLine(decodeNamed(line.subarray(0, line.byteLength - end.length), charset) ?? '');
  return (text === '' && line.byteLength > end.length ? '?' : text) + end;
}

/**
 * Reads a raw email. Whatever its bytes, the result has something to show: an accepted email is
 * delivered.
 */
import { NOTHING_READ, type ParsedMail } from '../../core/webhook/payload.ts';
import type { ParseWarning } from '../../core/webhook/parse-warning.ts';
import { UNCLEAR_AUTHOR } from '../../core/mail/author.ts';
import { textOfHtml } from '../../core/html/html-text.ts';
import { withInlineIds } from '../../core/webhook/inline-parts.ts';
import { inlinePgp, PROTECTED_HEADERS, withProtected } from '../../core/mail/protection.ts';
import { isReply, replyText } from '../../core/mail/quotation/reply-text.ts';
import { decodeText, type Doubt, wholeCharacters } from './charset.ts';
import { headerFields, shownFields, unicodeFields, unicodeHead } from './head.ts';
import { hasRepeated, headersOf, isAuthorUnclear } from './headers.ts';
import { isMultipart, LIMITS, type Outline, outlineOf, type Part } from './outline.ts';
import { openProtected, type Protected, protectedHead } from './protected-parts.ts';
import { unpackTnef } from './tnef.ts';
import { createGuess } from './unnamed-charset.ts';
import {
  bodyOf,
  hasBody,
  isTooDeep,
  isUndividedPart,
  TEXT_MAX_CHARS,
  textOf,
  walkParts,
} from './walk.ts';

/** Limits for an email that cannot be read as a whole. */
const RESCUED_BYTES = 256 * 1024;
const RESCUED_HEAD_CHARS = 64 * 1024;

const WARNINGS = {
  failed: {
    code: 'parse_failed',
    message:
      'The email could not be read: only its headers and the beginning of its text are shown',
  },
  noParts: {
    code: 'no_parts_found',
    message: 'The email announces parts, but none was found: all of it is shown as text',
  },
  textCut: {
    code: 'text_too_long',
    message: `A text is longer than ${TEXT_MAX_CHARS} characters: the rest is left out`,
  },
  parts: {
    code: 'too_many_parts',
    message: `The email has more than ${LIMITS.parts} parts: the rest of it is left out`,
  },
  depth: {
    code: 'too_deep',
    message: `Parts are nested more than ${LIMITS.depth} deep: the innermost are one attachment`,
  },
  noInnerParts: {
    code: 'no_parts_found',
    message: 'A part announces parts of its own, but none was found: it is an attachment',
  },
  headers: {
    code: 'too_many_headers',
    message: 'The email or one of its parts has too many or too long headers: some are left out',
  },
  boundary: {
    code: 'boundary_too_long',
    message: 'A boundary has more than 70 characters, which RFC 2046 forbids',
  },
  malformedHeaders: {
    code: 'malformed_headers',
    message:
      'No empty line ends the headers of the email or of a part, or lines among them are no ' +
      'headers: these lines are shown as text, except a line of blanks in a part',
  },
  outside: {
    code: 'text_outside_parts',
    message: 'Text before the first part or after the last one is left out (RFC 2046)',
  },
  behind: {
    code: 'parts_behind_end',
    message: 'Parts follow the end of the multipart: they are shown, too',
  },
  encoding: {
    code: 'invalid_encoding',
    message:
      'A part is not encoded as it declares, or declares no encoding that exists: what is not ' +
      'encoded is shown as text',
  },
  charset: {
    code: 'wrong_charset',
    message:
      'A text or header is not in the charset that it names: another one was taken, or characters ' +
      'replaced',
  },
  guessed: {
    code: 'guessed_charset',
    message:
      'A text or header names no charset that is known: its bytes were taken for the likely one',
  },
  repeated: {
    code: 'repeated_header',
    message:
      'A header that an email has only once is repeated: the last one counts, the first one in a part',
  },
} satisfies Record<string, ParseWarning>;

export function parseMail(raw: Buffer): ParsedMail {
  try {
    return readParts(raw, openProtected(outlineOf(raw)));
  } catch {
    return rescueMail(raw, WARNINGS.failed);
  }
}

function readParts(raw: Buffer, { outline, protection, payload }: Protected): ParsedMail {
  const [whole] = outline.parts;
  const guess = createGuess(outline, bodyOf);
  const doubts = new Set<Doubt>();
  const onDoubt = (doubt: Doubt) => void doubts.add(doubt);
  const fields = unicodeFields(whole, guess, onDoubt);
  const inner = payload && protectedHead(payload);
  const { headers, differ } = withProtected(
    headersOf(fields, onDoubt),
    inner && headersOf(unicodeFields(inner, guess, onDoubt), onDoubt),
  );
  const contents = walkParts(outline, guess);
  const unpacked = unpackTnef(contents.attachments);
  for (const doubt of contents.doubts) doubts.add(doubt);
  const warnings = [
    ...warningsOf(outline),
    ...(contents.isTextCut ? [WARNINGS.textCut] : []),
    ...(contents.isEncodingDamaged ? [WARNINGS.encoding] : []),
    ...(doubts.has('wrong') ? [WARNINGS.charset] : []),
    ...(doubts.has('guessed') ? [WARNINGS.guessed] : []),
    ...(hasRepeated(fields, outline.parts) ? [WARNINGS.repeated] : []),
    ...(isAuthorUnclear(fields) ? [UNCLEAR_AUTHOR] : []),
    ...(differ ? [PROTECTED_HEADERS] : []),
  ];
  let text = contents.text || unpacked.text;
  if (isUndivided(whole)) {
    text = [contents.text, bodyText(raw, whole)].filter(Boolean).join('\n') || null;
    if (text !== null)
      warnings.push(
        WARNINGS.noParts,
        ...(raw.byteLength > TEXT_MAX_CHARS ? [WARNINGS.textCut] : []),
      );
  }
  const html = contents.html || unpacked.html;
  return {
    headers,
    text,
    html,
    replyText: replyOf({ text, html }, headers.all),
    attachments: withInlineIds(unpacked.attachments, html),
    ...(text !== null && inlinePgp(text)),
    ...protection,
    warnings: [...warnings, ...unpacked.warnings],
  };
}

/** Without a text, that of the HTML counts. */
function replyOf(
  { text, html }: Pick<ParsedMail, 'text' | 'html'>,
  headers: ParsedMail['headers']['all'],
): string | null {
  if (text !== null) return replyText(text, headers);
  return html === null || !isReply(headers) ? null : replyText(textOfHtml(html), headers);
}

/** Headers and the beginning of the text, at little cost whatever the bytes. */
export function rescueMail(raw: Buffer, warning: ParseWarning): ParsedMail {
  const beginning = wholeCharacters(raw, RESCUED_BYTES);
  const outline = outlineOf(beginning);
  const guess = createGuess(outline, bodyOf);
  const [whole] = outline.parts;
  const first = outline.parts.find((part) => part.contentType === 'text/plain' && hasBody(part));
  return {
    ...NOTHING_READ,
    headers: rescuedHeaders(unicodeHead(whole.head, guess)),
    text:
      first === undefined
        ? bodyText(beginning, whole)
        : textOf(first, bodyOf(first), guess, false) || null,
    attachments: [],
    warnings: [...warningsOf(outline), warning],
  };
}

function rescuedHeaders(head: string): ParsedMail['headers'] {
  try {
    return {
      ...headersOf(headerFields(head.slice(0, RESCUED_HEAD_CHARS))),
      all: shownFields(headerFields(head)),
    };
  } catch {
    return { ...NOTHING_READ.headers, all: shownFields(headerFields(head)) };
  }
}

/** The email announces parts, but none was found. */
const isUndivided = (whole: Part): boolean => isMultipart(whole) && whole.children.length === 0;

function warningsOf({ parts, isCut, hasTextOutside, hasPartsBehind }: Outline): ParseWarning[] {
  const undivided = parts.filter(isUndividedPart);
  const found: [boolean, ParseWarning][] = [
    [isCut, WARNINGS.parts],
    [undivided.some(isTooDeep), WARNINGS.depth],
    [parts.some(({ hasLongBoundary }) => hasLongBoundary), WARNINGS.boundary],
    [undivided.some((part) => !isTooDeep(part)), WARNINGS.noInnerParts],
    [parts.some(({ isHeadCut }) => isHeadCut), WARNINGS.headers],
    [parts.some(({ isHeadMalformed }) => isHeadMalformed), WARNINGS.malformedHeaders],
    [hasTextOutside, WARNINGS.outside],
    [hasPartsBehind, WARNINGS.behind],
  ];
  return found.filter(([applies]) => applies).map(([, warning]) => warning);
}

/** Everything after the head. */
function bodyText(raw: Buffer, whole: Part): string | null {
  const body = raw.subarray(whole.body.start);
  const text = decodeText(wholeCharacters(body, TEXT_MAX_CHARS), undefined);
  return text.trim() === '' ? null : text;
}

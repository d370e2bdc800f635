/**
 * Finds the original in a forwarded email: a file message/rfc822, a head in the text in the languages
 * of mail programs, or the headers of a server that sends email on (RFC 5322 §3.6.6).
 */
import { mailKind } from '../../mail/mail-kind.ts';
import { brokenHead, type QuotedHead, quotedHeads } from '../../mail/quotation/quoted-head.ts';
import { FORWARD_SUBJECT } from '../../mail/quotation/subject-prefix.ts';
import type { Forwarded } from './forwarded-email.ts';
import { cutText } from '../../text/text.ts';

type Header = { name: string; value: string };
/** The parts of a parsed email that are read. */
export type ForwardedMail = {
  mailFrom: string;
  headers: {
    from: string | null;
    to: string | null;
    cc: string | null;
    subject: string | null;
    all: readonly Header[];
  };
  text: string | null;
  attachments: readonly { contentType: string; content: Uint8Array }[];
};
/** Parses an email that is a file. */
export type ParseMail = (raw: Uint8Array) => Omit<ForwardedMail, 'mailFrom'>;

export const FORWARD_TEXT_MAX_CHARS = 64 * 1024;
const VALUE_MAX_CHARS = 1_000;
const FILE_MAX_BYTES = 256 * 1024;
const DEPTH_MAX = 5;

type ReadMail = Omit<ForwardedMail, 'attachments'>;

/** Null for an email that is not forwarded. */
export const forwardedOf = (mail: ForwardedMail, parse: ParseMail): Forwarded | null =>
  isReport(mail) ? null : (attached(mail, parse) ?? inline(mail) ?? automatic(mail));

/** The same without its original, so that no file is parsed. */
export const isForwarded = (mail: ReadMail & { contentTypes: readonly string[] }): boolean =>
  !isReport(mail) &&
  (mail.contentTypes.some(isEmailFile) || (inline(mail) ?? automatic(mail)) !== null);

const isEmailFile = (contentType: string): boolean =>
  contentType === 'message/rfc822' || contentType === 'message/global';

/** A report has a part of the email that it is about. */
function isReport(mail: ReadMail): boolean {
  const { is_bounce } = mailKind({ mailFrom: mail.mailFrom, headers: mail.headers.all });
  return is_bounce || /^multipart\/report/i.test(valueOf(mail, 'content-type') ?? '');
}

const valueOf = ({ headers }: Pick<ForwardedMail, 'headers'>, name: string): string | undefined =>
  headers.all.find((header) => header.name.toLowerCase() === name)?.value.trim();

const shortened = (value: string | null | undefined): string | null =>
  cutText(value?.replaceAll(/\s+/g, ' ') ?? '', VALUE_MAX_CHARS).trim() || null;
const shortText = (value: string | null): string | null =>
  cutText(value ?? '', FORWARD_TEXT_MAX_CHARS).trim() || null;

const ADDRESS = /[^\s<>()"',;:@[\]]{1,64}@[^\s<>()"',;:@[\]]{1,255}/;
const addressIn = (value: string | null | undefined): string | null =>
  ADDRESS.exec(value?.slice(0, VALUE_MAX_CHARS) ?? '')?.[0] ?? null;

const originalOf = (mail: Pick<ForwardedMail, 'headers' | 'text'>): Forwarded['original'] => ({
  from: shortened(mail.headers.from),
  to: shortened(mail.headers.to),
  cc: shortened(mail.headers.cc),
  date: shortened(valueOf(mail, 'date')),
  subject: shortened(mail.headers.subject),
  text: shortText(mail.text),
});

function attached(mail: ForwardedMail, parse: ParseMail): Forwarded | undefined {
  let original: Omit<ForwardedMail, 'mailFrom'> | undefined;
  let depth = 0;
  for (let outer: Pick<ForwardedMail, 'attachments'> = mail; depth < DEPTH_MAX; depth++) {
    const file = outer.attachments.find(({ contentType }) => isEmailFile(contentType));
    if (file === undefined) break;
    const inner = parse(file.content.subarray(0, FILE_MAX_BYTES));
    original ??= inner;
    outer = inner;
  }
  if (original === undefined || original.headers.all.length === 0) return undefined;
  return {
    by: addressIn(mail.headers.from),
    kind: 'attached',
    original: originalOf(original),
    depth,
  };
}

/** `---------- Forwarded message ---------`, `Begin forwarded message:`, `Anfang der weitergeleiteten Nachricht:`. */
const MARK = new RegExp(
  'forwarded|fwd|weitergeleitet|transféré|transferé|reenviad|inoltrat|enca?minhad|doorgestuurd|vidarebefordra|' +
    'videresendt|przekazan|przesłan|p[rř]eposlan|proslijeđen|edelleenlähetet|välitet|[iİ]letil|пересланн|' +
    'перес[иы]ла|переадрес|перенаправл|転送|转发|轉寄|전달|továbbított|redirecționat|προωθ|הועבר|محول|إعادة توجيه|' +
    'ส่งต่อ|chuyển tiếp|diteruskan',
  'iu',
);
const RULE = /^[-_=*]{2,}/;
const isRuleWithWords = (line: string): boolean =>
  line.startsWith('---') && line.endsWith('---') && /\p{L}/u.test(line);

/** A forwarded email in Danish and Norwegian, a reply in Finnish. */
const NORDIC_PREFIX = /^\s*vs\s*[:：]/i;

function inline(mail: ReadMail): Forwarded | undefined {
  const lines = unquoted(
    cutText(mail.text ?? '', FORWARD_TEXT_MAX_CHARS)
      .split(/\r?\n/)
      .flatMap(brokenHead),
  );
  const subject = mail.headers.subject?.slice(0, VALUE_MAX_CHARS) ?? '';
  const isForward =
    FORWARD_SUBJECT.test(subject) ||
    (NORDIC_PREFIX.test(subject) && lines.some((line) => /^\*?Fra:/.test(line)));
  const heads = quotedHeads(lines);
  let found: QuotedHead | undefined;
  let depth = 0;
  for (let at = 0; at < lines.length && depth < DEPTH_MAX; at++) {
    if (lines[at]?.trim() === '') continue; // isMarked would read all empty lines above it again
    const isBelowMark = isMarked(lines, at, isForward);
    if (!isForward && !isBelowMark) continue;
    const head = heads.headAt(at) ?? heads.markedHeadAt(at);
    if (head === undefined) continue;
    if (!head.hasProof && !isBelowMark) continue;
    found ??= head;
    depth++;
    at = head.end - 1;
  }
  found ??= isForward ? attributed(lines, subject) : undefined;
  if (found === undefined) return undefined;
  const { fields, end } = found;
  return {
    by: addressIn(mail.headers.from),
    kind: 'inline',
    original: {
      from: shortened(fields.from),
      to: shortened(fields.to),
      cc: shortened(fields.cc),
      date: shortened(fields.sent ?? fields.date),
      subject: shortened(fields.subject),
      text: shortText(lines.slice(end).join('\n')),
    },
    depth: Math.max(1, depth),
  };
}

const MARK_MAX_LINES = 3;

/** ATTRIBUTION takes no longer line but for its mailbox. */
const ATTRIBUTION_MAX_CHARS = 600;
const ATTRIBUTION = /^[^<>@]{0,200}[<(][^<>()@\s]+@[^<>()@\s]+[>)][^<>@]{0,40}[:：]$/;
const WHEN = /\d{1,2}[./-]\d{1,2}[./-]\d{2,4},? \d{1,2}[:.]\d\d/;

/** Outlook for Mac writes a line as above a quotation, `On 28/10/2026 12:46, "Ann" <ann@x.example> wrote:`. */
function attributed(lines: readonly string[], subject: string): QuotedHead | undefined {
  const at = lines.findIndex((line) => ATTRIBUTION.test(line.trim()) && WHEN.test(line));
  const line = lines[at]?.trim();
  if (line === undefined) return undefined;
  const date = WHEN.exec(line)?.[0];
  const from = /(?:"[^"]*"|(?:\p{Lu}\S*\s+){1,4}|)\s*[<(][^<>()@]+@[^<>()]+[>)]/u.exec(
    line.slice(0, ATTRIBUTION_MAX_CHARS),
  )?.[0];
  const fields = { from, date, subject: subject.replace(FORWARD_SUBJECT, '').trim() };
  return { fields, end: at + 1, hasProof: true, hasTime: true };
}

/**
 * Words that mail programs write above the head of a forwarded email.
 *
 * @param isForward whether the subject says so: then the line may have any words
 */
function isMarked(lines: readonly string[], at: number, isForward: boolean): boolean {
  for (let index = at - 1, seen = 0; index >= 0 && seen < MARK_MAX_LINES; index--) {
    const line = lines[index]?.trim() ?? '';
    if (line === '') continue;
    seen++;
    if (isForward && isRuleWithWords(line)) return true;
    if (MARK.test(line.slice(0, VALUE_MAX_CHARS)) && (RULE.test(line) || /[:：]$/.test(line)))
      return true;
    if (!RULE.test(line)) return false;
  }
  return false;
}

/** Apple Mail marks what it forwards like a quotation: the marks of the first level are removed. */
const unquoted = (lines: readonly string[]): string[] =>
  lines.map((line) => line.replace(/^> ?/, ''));

/** A server that sends an email on writes who received it. */
function automatic(mail: ReadMail): Forwarded | null {
  const resent = valueOf(mail, 'resent-from');
  const [forwarder] = (valueOf(mail, 'x-forwarded-for') ?? '').split(/\s+/); // Gmail: from, then to
  const to = valueOf(mail, 'x-forwarded-to') ?? valueOf(mail, 'resent-to');
  const by = addressIn(resent) ?? addressIn(forwarder);
  if (by === null && to === undefined) return null;
  return { by, kind: 'automatic', original: originalOf(mail), depth: 1 };
}

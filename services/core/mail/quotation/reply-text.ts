/**
 * The new part of a reply: the text above the email that it quotes. Without certainty where a
 * quotation begins, there is no reply text: neither may a sentence be lost, nor a quotation pass
 * for an answer. The payload always has the whole text too.
 */
import { type QuotedHeads, quotedHeads } from './quoted-head.ts';
import { FORWARD_SUBJECT } from './subject-prefix.ts';

type Header = { name: string; value: string };

const TEXT_MAX_CHARS = 256 * 1024;
const LINE_READ_CHARS = 1_000;
const REPLY_SUBJECT =
  /^\s*(re?|aw|antw|sv|vs|odp|rif|res|ynt|回复|回覆|答复|返信)\s*(\[\d+\]\s*)?[:：]/i;
/**
 * `On 3 May 2026, at 10:11, Ann <ann@example.org> wrote:` in the languages of mail programs. The
 * first of its lines has the date.
 */
const ATTRIBUTION_BEGINS = new RegExp(
  String.raw`^(on|am|le|el|il|op|em|no dia|den|dne|dnia|w dniu|på|pe|vào|в|у|在|于|於)\s.*\d|` +
    String.raw`^\d{4}[년年/.-]|^\d{1,2}[./]\d{1,2}[./]\d{2,4},? \d{1,2}:\d\d, \S`,
  'i',
);
const ATTRIBUTION_ENDS = /[:：]$/;
const ATTRIBUTION_MAX_LINES = 3;
const TIME = /\d[:.h]\d\d/i;
const DATE = /\b(19|20)\d\d\b|\d[./-]\d{1,2}[./-]\d|\d{4}\s?[년年]/;
const SENDER = /@/;
const SENDER_IN_BRACKETS = /<[^<>@\s]+@[^<>@\s]+>/;

const ORIGINAL = new RegExp(
  String.raw`^-{2,}\s*(` +
    "original message|ursprüngliche nachricht|message d[’']origine|mensaje original|" +
    'messaggio originale|mensagem original|oorspronkelijk bericht|originalmeddelande|' +
    'oryginalna wiadomość|исходное сообщение|元のメッセージ|원본 메시지|原始邮件|原始郵件' +
    String.raw`)\s*-{2,}$`,
  'i',
);
/** Such as `---------- Forwarded message ---------`. */
const isRuleWithWords = (line: string): boolean =>
  line.startsWith('-----') && line.endsWith('-----') && /[^\s-]/.test(line);
const RULE = /^[_-]{10,}$/;
/** Lines of a block whose language is not known. */
const BLOCK_MAX_LINES = 40;

const PEOPLE = /^(to|cc)$/i;
const NAME_MIN_CHARS = 3;

const SIGNATURE = '-- '; // RFC 3676 §4.3
const LIST_FOOTER = /^_{30,}$/;

/**
 * Null when the email is not a reply, when it forwards another email, when answers and quotations
 * alternate, or when it is uncertain where the quotation begins.
 */
export function replyText(text: string, headers: readonly Header[]): string | null {
  if (!isReply(headers) || text.length > TEXT_MAX_CHARS) return null;
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  const quoted = lines.findIndex((line) => line.startsWith('>'));
  const { at: unmarked, isUncertain } = unmarkedQuotation(lines, peopleOf(headers));
  const isUnmarked = unmarked !== -1 && (quoted === -1 || unmarked < quoted);
  if (isUnmarked && isUncertain) return null;
  if (isUnmarked ? isForwarded(lines, unmarked) : hasAnswerAfter(lines, quoted)) return null;
  if (!isUnmarked && quoted === -1 && mayQuote(lines)) return null;
  const end = isUnmarked
    ? withoutRule(lines, unmarked)
    : quoted === -1
      ? lines.length
      : beginningOfMarked(lines, quoted);
  if (end === undefined) return null;
  const fresh = lines.slice(0, end);
  if (isUnmarked && mayQuote(fresh)) return null;
  const signature = fresh.indexOf(SIGNATURE);
  const reply = (signature > 0 ? fresh.slice(0, signature) : fresh).join('\n').trim();
  return reply === '' ? null : reply;
}

/** By its headers. */
export function isReply(headers: readonly Header[]): boolean {
  const value = (name: string) =>
    headers.find((header) => header.name.toLowerCase() === name)?.value.trim() ?? '';
  const subject = value('subject').slice(0, LINE_READ_CHARS);
  // some programs set In-Reply-To on forwarded emails, where the quotation is the content
  return (
    (value('in-reply-to') !== '' && !FORWARD_SUBJECT.test(subject)) || REPLY_SUBJECT.test(subject)
  );
}

/** The text of the fields that name to whom the reply is sent. */
const peopleOf = (headers: readonly Header[]): string =>
  headers
    .filter(({ name }) => PEOPLE.test(name))
    .map(({ value }) => value.slice(0, LINE_READ_CHARS))
    .join('\n')
    .toLowerCase();

const read = (line: string | undefined): string => (line ?? '').slice(0, LINE_READ_CHARS).trim();

/** The nearest line above that is not empty; -1 when there is none. */
function lastAbove(lines: readonly string[], index: number): number {
  let last = index - 1;
  while (last >= 0 && lines[last]?.trim() === '') last--;
  return last;
}

/** Where an unmarked quotation begins; `isUncertain` when it may as well be a list of the author. */
type Unmarked = { at: number; isUncertain: boolean };
const NONE: Unmarked = { at: -1, isUncertain: false };

/** The first quotation without `>` marks. */
function unmarkedQuotation(lines: readonly string[], people: string): Unmarked {
  const heads = quotedHeads(lines);
  for (let at = 0; at < lines.length; at++) {
    const kind = headKind(lines, at, heads, people);
    if (kind !== undefined) return { at, isUncertain: kind === 'uncertain' };
    if (isOriginal(lines, at, heads) || isAttribution(lines, at)) return { at, isUncertain: false };
  }
  return NONE;
}

/**
 * A head of a quotation has an address, stands below a line that programs draw, or names somebody to
 * whom the reply is sent. People write similar lines: `From: Berlin`, `To: Lisbon`, `Date:`, `Subject:`.
 */
function headKind(
  lines: readonly string[],
  at: number,
  heads: QuotedHeads,
  people: string,
): 'certain' | 'uncertain' | undefined {
  if (heads.fieldAt(at) === 'subject') return undefined;
  const head = heads.headAt(at);
  if (head === undefined) return undefined;
  const above = read(lines[lastAbove(lines, at)]);
  const isBelowRule = RULE.test(above) || isRuleWithWords(above) || ORIGINAL.test(above);
  const name = (head.fields.from ?? '').replaceAll(/["*;]/g, '').trim().toLowerCase();
  const isKnown = name.length >= NAME_MIN_CHARS && people.includes(name);
  if (head.hasProof || isBelowRule || isKnown) return 'certain';
  return head.fields.sent !== undefined && head.hasTime ? 'uncertain' : undefined;
}

function isOriginal(lines: readonly string[], index: number, heads: QuotedHeads): boolean {
  if (!ORIGINAL.test(read(lines[index]))) return false;
  const next = lines.slice(index + 1, index + 4).findIndex((line) => line.trim() !== '');
  return next !== -1 && heads.fieldAt(index + 1 + next) !== undefined;
}

/** A complete attribution on a line of its own: Yahoo marks no line below it. */
function isAttribution(lines: readonly string[], index: number): boolean {
  const line = read(lines[index]);
  if (
    !ATTRIBUTION_ENDS.test(line) ||
    !ATTRIBUTION_BEGINS.test(line) ||
    !TIME.test(line) ||
    !SENDER_IN_BRACKETS.test(line) ||
    isSentence(line)
  )
    return false;
  if (lines[index + 1]?.trim() !== '') return false;
  return !(
    lines
      .slice(index + 1, index + 4)
      .find((next) => next.trim() !== '')
      ?.startsWith('>') ?? true
  );
}

/** Programs write a verb of at most two words next to the name: `a écrit`. */
const isSentence = (line: string): boolean => {
  const words = line.slice(line.search(TIME)).match(/(?<=\s)\p{Ll}{2,}(?=[\s:])/gu) ?? [];
  return words.filter((word) => !/^[ap]m$/.test(word)).length > VERB_MAX_WORDS;
};
const VERB_MAX_WORDS = 2;

const isForwarded = (lines: readonly string[], head: number): boolean => {
  const above = read(lines[lastAbove(lines, head)]);
  return isRuleWithWords(above) && !ORIGINAL.test(above);
};

/** Removes the line that Outlook draws above the headers too. */
function withoutRule(lines: readonly string[], head: number): number {
  const above = lastAbove(lines, head);
  return RULE.test(read(lines[above])) || ORIGINAL.test(read(lines[above])) ? above : head;
}

/** There is text below a quotation: between its lines, or after it. */
function hasAnswerAfter(lines: readonly string[], quoted: number): boolean {
  if (quoted === -1) return false;
  const end = lines.findIndex(
    (line, index) => index > quoted && (line === SIGNATURE || LIST_FOOTER.test(line)),
  );
  return lines
    .slice(quoted, end === -1 ? undefined : end)
    .some((line) => line.trim() !== '' && !line.startsWith('>'));
}

/** `Label: value`, in any language. */
const LABELLED = /^[^\s@<>:：][^@<>:：]{0,30}[:：]\s*\S/;
const LABELLED_MIN_LINES = 3;
/** A link below which a mail program of telephones writes what it quotes. */
const PROGRAM_LINK = /<https:\/\/aka\.ms\/\w+>$/;

/**
 * Whether anything looks like the beginning of a quotation without `>` marks, in any language: what
 * is no certain head is no certain answer either. Its last line has nothing below it.
 */
function mayQuote(lines: readonly string[]): boolean {
  let block: string[] = [];
  let above = '';
  for (const line of lines.map(read).slice(0, lastAbove(lines, lines.length))) {
    if (isRuleWithWords(line) && !/-(BEGIN|END) /.test(line)) return true;
    if (PROGRAM_LINK.test(line) || isLikeAttribution(line, above)) return true;
    above = line;
    if (LABELLED.test(line)) block.push(line);
    else block = [];
    if (block.length < LABELLED_MIN_LINES) continue;
    if (block.some((one) => SENDER_IN_BRACKETS.test(one)) && block.some((one) => TIME.test(one)))
      return true;
    if (block.length > BLOCK_MAX_LINES) block.shift();
  }
  return false;
}

const DAY =
  /\d[./-]\d{1,2}[./-]\d|\d{4}\s?[년年]|\b\d{1,2}\b\D{1,20}\b(19|20)\d\d\b|\b(19|20)\d\d\b\D{1,6}\d/;
const HOUR = /\b\d{1,2}[:h]\d\d/i;
const isFramed = (line: string): boolean =>
  line.startsWith('--') && line.endsWith('--') && /\w/.test(line);
const MAILBOX = /[^\s<>@(]@[^\s<>@]+\.\w/;

/** A day, a time or an address, in a line that announces something; two of them in two lines. */
function isLikeAttribution(line: string, above: string): boolean {
  const announces = ATTRIBUTION_ENDS.test(line) || isFramed(line);
  if (announces && (DAY.test(line) || HOUR.test(line) || MAILBOX.test(line))) return true;
  if (SENTENCE_ENDS.test(line)) return false;
  const both = SENTENCE_ENDS.test(above) ? line : `${above} ${line}`;
  const count = Number(DAY.test(both)) + Number(TIME.test(both)) + Number(MAILBOX.test(both));
  return count === 3 || (announces && count === 2);
}

const SENTENCE_ENDS = /[.!?。]$/;

/**
 * The attribution above the marked lines, or the first of them when it is the attribution. A
 * quotation without one may be part of the answer.
 */
function beginningOfMarked(lines: readonly string[], quoted: number): number | undefined {
  const last = lastAbove(lines, quoted);
  for (
    let first = last;
    first >= 0 && first > last - ATTRIBUTION_MAX_LINES && lines[first]?.trim() !== '';
    first--
  ) {
    const isParagraph = first === last || first === 0 || lines[first - 1]?.trim() === '';
    if (tellsWhom(lines.slice(first, last + 1), isParagraph)) return first;
  }
  if (quoted === -1) return undefined;
  const marked = lines
    .slice(quoted, quoted + ATTRIBUTION_MAX_LINES)
    .map((line) => line.replace(/^>\s?/, ''));
  return marked.some((_, index) => tellsWhom(marked.slice(0, index + 1), false))
    ? quoted
    : undefined;
}

/** @param isParagraph when its beginning may be in any language */
function tellsWhom(lines: readonly string[], isParagraph: boolean): boolean {
  const all = lines.map(read).join(' ');
  if (!ATTRIBUTION_ENDS.test(all)) return false;
  if (ATTRIBUTION_BEGINS.test(all)) return TIME.test(all) || DATE.test(all) || SENDER.test(all);
  return isParagraph && TIME.test(all) && SENDER.test(read(lines.at(-1)));
}

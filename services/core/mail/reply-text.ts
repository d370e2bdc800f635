/**
 * The new part of a reply: the text above the email that it quotes. Without certainty where a
 * quotation begins, there is no reply text: neither may a sentence be lost, nor a quotation pass
 * for an answer. The payload always has the whole text too.
 */
type Header = { name: string; value: string };

const TEXT_MAX_CHARS = 256 * 1024;
const LINE_READ_CHARS = 1_000;
const REPLY_SUBJECT =
  /^\s*(re?|aw|antw|sv|vs|odp|rif|res|ynt|回复|回覆|答复|返信)\s*(\[\d+\]\s*)?[:：]/i;
/** Some programs set In-Reply-To on forwarded emails. There, the quotation is the content. */
const FORWARD_SUBJECT =
  /^\s*(fwd?|wg|tr|rv|enc|vb|vl|pd|doorst|i|ilt|i̇lt|转发|轉寄|전달|転送)\s*[:：]/i;

/**
 * `On 3 May 2026, at 10:11, Ann <ann@example.org> wrote:` in the languages of mail programs. The
 * first of its lines has the date.
 */
const ATTRIBUTION_BEGINS =
  /^(on|am|le|el|il|op|em|no dia|den|dne|dnia|w dniu|på|pe|vào|в|у|在|于|於)\s.*\d|^\d{4}[년年/.-]/i;
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
    'oryginalna wiadomość|原始邮件|原始郵件' +
    String.raw`)\s*-{2,}$`,
  'i',
);
/** Such as `---------- Forwarded message ---------`. */
const isRuleWithWords = (line: string): boolean =>
  line.startsWith('-----') && line.endsWith('-----') && /[^\s-]/.test(line);
const RULE = /^[_-]{10,}$/;
const headerOf = (names: string): RegExp => new RegExp(String.raw`^\*?(${names})\s?\*?[:：]`, 'i');
/** Headers that programs write above a quotation: all three, in one block. */
const HEAD_OF_QUOTED = {
  from: headerOf(
    'from|von|de|da|van|från|fra|od|lähettäjä|kimden|от|보낸 사람|发件人|寄件者|差出人',
  ),
  date: headerOf(
    'sent|date|gesendet|datum|envoyé|enviad[oa]( el| em)?|fecha|data|inviato|verzonden|skickat|' +
      'sendt|dato|wysłano|odesláno|lähetetty|päivämäärä|gönderildi|tarih|отправлено|дата|' +
      '보낸 날짜|날짜|发送时间|日期|寄件日期|送信日時',
  ),
  subject: headerOf(
    'subject|betreff|objet|asunto|assunto|oggetto|onderwerp|ämne|emne|temat|předmět|aihe|konu|' +
      'тема|제목|主题|主旨|件名',
  ),
};
const HEAD_MAX_LINES = 40; // many recipients take several lines

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
  const unmarked = beginningOfUnmarked(lines);
  const isUnmarked = unmarked !== -1 && (quoted === -1 || unmarked < quoted);
  if (isUnmarked ? isForwarded(lines, unmarked) : hasAnswerAfter(lines, quoted)) return null;
  if (!isUnmarked && quoted === -1 && mayQuote(lines)) return null;
  const end = isUnmarked
    ? withoutRule(lines, unmarked)
    : quoted === -1
      ? lines.length
      : beginningOfMarked(lines, quoted);
  if (end === undefined) return null;
  const fresh = lines.slice(0, end);
  const signature = fresh.indexOf(SIGNATURE);
  const reply = (signature > 0 ? fresh.slice(0, signature) : fresh).join('\n').trim();
  return reply === '' ? null : reply;
}

function isReply(headers: readonly Header[]): boolean {
  const value = (name: string) =>
    headers.find((header) => header.name.toLowerCase() === name)?.value.trim() ?? '';
  const subject = value('subject').slice(0, LINE_READ_CHARS);
  return (
    (value('in-reply-to') !== '' && !FORWARD_SUBJECT.test(subject)) || REPLY_SUBJECT.test(subject)
  );
}

const read = (line: string | undefined): string => (line ?? '').slice(0, LINE_READ_CHARS).trim();

/** The nearest line above that is not empty; -1 when there is none. */
function lastAbove(lines: readonly string[], index: number): number {
  let last = index - 1;
  while (last >= 0 && lines[last]?.trim() === '') last--;
  return last;
}

/** The first line of a quotation without `>` marks; -1 without one. */
function beginningOfUnmarked(lines: readonly string[]): number {
  const kinds = lines.map((line) => kindOf(read(line)));
  return lines.findIndex((_, index) =>
    kinds[index] === undefined
      ? isOriginal(lines, kinds, index) || isAttribution(lines, index)
      : kinds[index] !== 'subject' && isHead(lines, kinds, index),
  );
}

type Kind = keyof typeof HEAD_OF_QUOTED | undefined;

const kindOf = (line: string): Kind =>
  (['from', 'date', 'subject'] as const).find((kind) => HEAD_OF_QUOTED[kind].test(line));

/** A real header block names an address and a time. People write similar lines too. */
function isHead(lines: readonly string[], kinds: readonly Kind[], index: number): boolean {
  let end = index;
  while (end < Math.min(lines.length, index + HEAD_MAX_LINES) && lines[end]?.trim() !== '') end++;
  const head = kinds.slice(index, end);
  const [from, date, subject] = [
    head.indexOf('from'),
    head.indexOf('date'),
    head.indexOf('subject'),
  ];
  return (
    Math.min(from, date, subject) !== -1 &&
    (SENDER.test(read(lines[index + from])) || TIME.test(read(lines[index + date])))
  );
}

function isOriginal(lines: readonly string[], kinds: readonly Kind[], index: number): boolean {
  if (!ORIGINAL.test(read(lines[index]))) return false;
  const next = lines.slice(index + 1, index + 4).findIndex((line) => line.trim() !== '');
  return next !== -1 && kinds[index + 1 + next] !== undefined;
}

/** A complete attribution on a line of its own: Yahoo marks no line below it. */
function isAttribution(lines: readonly string[], index: number): boolean {
  const line = read(lines[index]);
  if (
    !ATTRIBUTION_ENDS.test(line) ||
    !ATTRIBUTION_BEGINS.test(line) ||
    !TIME.test(line) ||
    !SENDER_IN_BRACKETS.test(line)
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

/**
 * Whether there is something like a quotation without `>` marks, in a language that is not known
 * here: an attribution, or headers below each other.
 */
function mayQuote(lines: readonly string[]): boolean {
  let block: string[] = [];
  let isBelowRule = false;
  for (const line of lines.map(read)) {
    const hasSender = SENDER_IN_BRACKETS.test(line);
    if (hasSender && TIME.test(line) && ATTRIBUTION_ENDS.test(line)) return true;
    if (LABELLED.test(line)) block.push(line);
    else {
      if (line !== '') isBelowRule = isRuleWithWords(line) && !/-BEGIN /.test(line);
      block = [];
    }
    if (block.length === 1 && isBelowRule) return true;
    if (block.length < LABELLED_MIN_LINES) continue;
    if (block.some((one) => SENDER_IN_BRACKETS.test(one)) && block.some((one) => TIME.test(one)))
      return true;
    if (block.length > HEAD_MAX_LINES) block.shift();
  }
  return false;
}

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

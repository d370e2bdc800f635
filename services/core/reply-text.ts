/**
 * What is new in a reply: the text above the mail that it quotes. Nothing is cut unless its beginning is beyond doubt, since a lost sentence is worse than a
 * quotation too many; and the whole text stands beside it in any case.
 */
type Header = { name: string; value: string };

const TEXT_MAX_CHARS = 256 * 1024;
const LINE_READ_CHARS = 1_000;
const ATTRIBUTION_MAX_LINES = 3;
const REPLY_SUBJECT = /^\s*(re|aw|antw|sv|vs|odp|rif|res|ynt|回复|回覆|答复|返信)\s*(\[\d+\])?\s*[:：]/i;
/** `On 3 May 2026, at 10:11, Ann <ann@example.org> wrote:`, in the languages that programs write it in; of its lines the first has the day. */
const ATTRIBUTION_BEGINS = /^(on|am|le|el|il|op|em|no dia|den|dne|dnia|w dniu|på|pe|vào|в|у|在|于|於)\s.*\d|^\d{4}[年/.-]/i;
const ATTRIBUTION_ENDS = /[:：]$/;
const NAMES_SENDER = /@.*[:：]$/;
const ORIGINAL = /^-{2,}\s*(original message|ursprüngliche nachricht|message d[’']origine|mensaje original|messaggio originale|mensagem original|oorspronkelijk bericht|originalmeddelande|oryginalna wiadomość|原始邮件|原始郵件)\s*-{2,}$/i;
/** The head of a mail as Outlook writes it above what it quotes: all three, one below the other. */
const HEAD_OF_QUOTED = [
  /^\*?(from|von|de|da|van|från|fra|od|lähettäjä|от|发件人|寄件者|差出人)\s?\*?[:：]/i,
  /^\*?(sent|date|gesendet|datum|envoyé|enviado( el)?|fecha|data|inviato|verzonden|skickat|sendt|wysłano|отправлено|дата|发送时间|日期|寄件日期|送信日時)\s?\*?[:：]/i,
  /^\*?(subject|betreff|objet|asunto|assunto|oggetto|onderwerp|ämne|emne|temat|тема|主题|主旨|件名)\s?\*?[:：]/i,
];
const HEAD_MAX_LINES = 8;
const SIGNATURE = '-- '; // RFC 3676 §4.3

/** Null when the mail is no reply, or when answers and quotations take turns. */
export function replyText(text: string, headers: readonly Header[]): string | null {
  if (!isReply(headers) || text.length > TEXT_MAX_CHARS) return null;
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  const head = lines.findIndex((_, index) => isHeadOfQuoted(lines, index));
  const quoted = lines.findIndex((line) => line.startsWith('>'));
  const isByHead = head !== -1 && (quoted === -1 || head < quoted);
  if (!isByHead && quoted !== -1 && hasAnswerAfter(lines, quoted)) return null;
  const end = isByHead ? withoutRule(lines, head) : (attributionAbove(lines, quoted) ?? lines.length);
  const fresh = lines.slice(0, end);
  const signature = fresh.indexOf(SIGNATURE);
  const reply = (signature > 0 ? fresh.slice(0, signature) : fresh).join('\n').trim();
  return reply === '' ? null : reply;
}

function isReply(headers: readonly Header[]): boolean {
  const value = (name: string) => headers.find((header) => header.name.toLowerCase() === name)?.value.trim() ?? '';
  return value('in-reply-to') !== '' || REPLY_SUBJECT.test(value('subject').slice(0, LINE_READ_CHARS));
}

const read = (line: string | undefined): string => (line ?? '').slice(0, LINE_READ_CHARS).trim();

function isHeadOfQuoted(lines: readonly string[], index: number): boolean {
  if (ORIGINAL.test(read(lines[index]))) return HEAD_OF_QUOTED[0]?.test(read(lines.slice(index + 1, index + 4).find((line) => line.trim() !== ''))) ?? false;
  if (!HEAD_OF_QUOTED[0]?.test(read(lines[index]))) return false;
  const block = lines.slice(index, index + HEAD_MAX_LINES);
  const blank = block.findIndex((line) => line.trim() === '');
  const head = (blank === -1 ? block : block.slice(0, blank)).map(read);
  return HEAD_OF_QUOTED.every((pattern) => head.some((line) => pattern.test(line)));
}

/** The line that Outlook draws above the head goes too. */
function withoutRule(lines: readonly string[], head: number): number {
  let above = head;
  while (above > 0 && lines[above - 1]?.trim() === '') above--;
  return /^[_-]{10,}$/.test(read(lines[above - 1])) ? above - 1 : head;
}

/** Someone wrote below a quotation: between its lines, or after it. */
function hasAnswerAfter(lines: readonly string[], quoted: number): boolean {
  const signature = lines.indexOf(SIGNATURE, quoted);
  return lines.slice(quoted, signature === -1 ? undefined : signature).some((line) => line.trim() !== '' && !line.startsWith('>'));
}

/** Where the line begins that says whom the lines below quote; a quotation without one may be a part of the answer. */
function attributionAbove(lines: readonly string[], quoted: number): number | undefined {
  let last = quoted - 1;
  while (last >= 0 && lines[last]?.trim() === '') last--;
  if (last < 0 || !ATTRIBUTION_ENDS.test(read(lines[last]))) return undefined;
  for (let first = last; first >= 0 && first > last - ATTRIBUTION_MAX_LINES && lines[first]?.trim() !== ''; first--) {
    if (ATTRIBUTION_BEGINS.test(read(lines[first]))) return first;
  }
  return NAMES_SENDER.test(read(lines[last])) ? last : undefined;
}

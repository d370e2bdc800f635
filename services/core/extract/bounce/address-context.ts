/**
 * What the words before an address in a bounce say about it. In addition to failed recipients, bounces name
 * the sender, whom to ask, and recipients that were reached.
 */
const LINES_MAX = 12;
const SENTENCE_END = /[.!?](?=\s|$)/;

/** Whom to ask. */
const ASK = new RegExp(
  String.raw`\b(contact|help|helpdesk|support|assistance|questions?|complain|inquir|enquir|` +
    String.raw`(e-?mail|write to|ask|notify|inform|forward|reply|report|tell) (us|me|the|your|our|this|it|to)|` +
    String.raw`(send|resend)( (an?|your|this|e-?mail|mail|message|it|mails?))* to|` +
    String.raw`administrators?|admin|postmaster|webmaster|abuse)\b`,
  'i',
);
const SENDER = new RegExp(
  String.raw`\b(sent|written|submitted|generated|created) by\b|` +
    String.raw`\b(from|sender|sender address|return-path|on behalf of)\s*:?$|\byour address\b`,
  'i',
);
const REACHED =
  /\b(successfully|has been|have been|was|were) (successfully )?(delivered|relayed|forwarded|sent|accepted)\b/i;
const NOT =
  /\b(not|un|never|fail|failed|failure|could|couldn't|unable|cannot|can't|refused|rejected|undeliver\w*)\b/i;

/**
 * Whether the address of a line is of somebody else than a failed recipient.
 *
 * @param before what the line itself has before the address
 * @param isEntry whether a line is one of several addresses below the same words
 */
export function namesOther(
  lines: readonly string[],
  at: number,
  before: string,
  isEntry: (line: string) => boolean,
): boolean {
  const own = lastSentence(before);
  if (/\p{L}{3}/u.test(own)) return saysOther(own);
  return saysOther(lastSentence(introduction(lines, at, isEntry)));
}

const saysOther = (sentence: string): boolean =>
  (ASK.test(sentence) && !NOT.test(sentence)) ||
  SENDER.test(sentence) ||
  (REACHED.test(sentence) && !NOT.test(sentence));

/** Words that lead to the address; a sentence that ends before it says nothing about it. */
function lastSentence(text: string): string {
  const sentences = text.trim().split(SENTENCE_END);
  return (sentences.at(-1) ?? '').trim();
}

/** The paragraph above, without other addresses of the same list. */
function introduction(
  lines: readonly string[],
  at: number,
  isEntry: (line: string) => boolean,
): string {
  const found: string[] = [];
  for (let index = at - 1; index >= 0 && at - index <= LINES_MAX; index--) {
    const line = lines[index]?.trim() ?? '';
    if (line === '' && found.length > 0) break;
    if (line !== '' && !isEntry(line)) found.unshift(line);
  }
  return found.join(' ');
}

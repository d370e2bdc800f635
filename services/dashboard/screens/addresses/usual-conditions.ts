/** The usual conditions of a filter, as expressions in CEL (docs/filters.md). */
import { receiverText } from '../../strings/receivers.ts';

type Condition = {
  label: string;
  /** Whether it needs a value. */
  asks: boolean;
  write: (value: string) => string;
};

const MIB = 1_048_576;
/** Larger emails cannot arrive. */
const MOST_MIB = 1_000;
const bytesOf = (mib: number): number =>
  Math.round(MIB * Math.min(MOST_MIB, Math.max(0, mib || 0)));
const quoted = (text: string): string => JSON.stringify(text.trim());
const lower = (text: string): string => quoted(text.toLowerCase());
const AUTHENTICATED = 'authentication.dmarc == "pass"';

const texts = receiverText.conditions;
export const USUAL_CONDITIONS = {
  domain: {
    label: texts.domain,
    asks: true,
    write: (value) => `from.domain == ${lower(value)} && ${AUTHENTICATED}`,
  },
  author: {
    label: texts.author,
    asks: true,
    write: (value) => `from.address == ${lower(value)} && ${AUTHENTICATED}`,
  },
  subject: {
    label: texts.subject,
    asks: true,
    write: (value) => `subject.lowerAscii().contains(${lower(value)})`,
  },
  plusTag: {
    label: texts.plusTag,
    asks: true,
    write: (value) => `plus_tag == ${quoted(value)}`,
  },
  recipient: {
    label: texts.recipient,
    asks: true,
    write: (value) => `${quoted(value)} in envelope.rcpt_to`,
  },
  fileName: {
    label: texts.fileName,
    asks: true,
    write: (value) => `attachments.exists(a, a.filename.lowerAscii().endsWith(${lower(value)}))`,
  },
  attachment: { label: texts.attachment, asks: false, write: () => 'attachments.size() > 0' },
  larger: {
    label: texts.larger,
    asks: true,
    write: (value) => `size_bytes > ${bytesOf(Number(value))}`,
  },
  notSpam: { label: texts.notSpam, asks: false, write: () => 'spam.verdict == "not_spam"' },
  byPeople: {
    label: texts.byPeople,
    asks: false,
    write: () => '!auto_submitted && !is_bounce && !is_list',
  },
} as const satisfies Record<string, Condition>;

export type UsualCondition = keyof typeof USUAL_CONDITIONS;

/** Both conditions must be true. */
export function withCondition(expression: string, kind: UsualCondition, value: string): string {
  const condition = USUAL_CONDITIONS[kind].write(value);
  const before = expression.trim();
  return before === '' ? condition : `${inParentheses(before)} && ${condition}`;
}

/** An expression with || or ?: binds less than &&. */
const inParentheses = (expression: string): string =>
  /\|\||\?/.test(expression) ? `(${expression})` : expression;

/**
 * The usual conditions of rules and filters: each writes an expression in CEL (docs/filters.md), and
 * recognizes the expressions that it wrote.
 */
import { plain } from '../../parts/plain-text.ts';
import { ruleText } from '../../strings/rules.ts';

/** How a condition asks for its value. */
type OperandKind = 'nothing' | 'text' | 'number' | 'list';

type Value = {
  operand: OperandKind;
  /** A part of an expression. */
  write: (value: string) => string;
  /** Undefined, or an exception, for a text that {@link write} did not write. */
  read: (text: string) => string | undefined;
};

const MIB = 1_048_576;
/** Larger emails cannot arrive. */
const MOST_MIB = 1_000;
const MIB_DIGITS = 3;
const within = (text: string, most: number): number =>
  Math.min(most, Math.max(0, Number(text) || 0));

const quoted = (text: string): string => JSON.stringify(text.trim());
const unquoted = (text: string): string => String(JSON.parse(text));

const NOTHING: Value = { operand: 'nothing', write: () => '', read: () => '' };
const TEXT: Value = { operand: 'text', write: quoted, read: unquoted };
const LOWER: Value = { ...TEXT, write: (value) => quoted(value.toLowerCase()) };
const DOMAIN: Value = {
  ...TEXT,
  write: (value) => LOWER.write(`@${value.trim().replace(/^@/, '')}`),
  read: (text) => unquoted(text).slice(1),
};
const MEBIBYTES: Value = {
  operand: 'number',
  write: (value) => String(Math.round(MIB * within(value, MOST_MIB))),
  read: (text) => String(Number((Number(text) / MIB).toFixed(MIB_DIGITS))),
};
/** For a size that a person would not write in MiB: it stays as it is. */
const BYTES: Value = {
  operand: 'number',
  write: (value) => String(Math.round(within(value, MOST_MIB * MIB))),
  read: (text) => String(Number(text)),
};
const SCORE: Value = {
  operand: 'number',
  write: (value) => within(value, 10).toFixed(1),
  read: (text) => String(Number(text)),
};
const LIST: Value = {
  operand: 'list',
  write: (value) => value,
  read: (text) => /^\w+$/.exec(text)?.[0],
};

/** The `$` of an expression is the place of the value. */
const CONDITIONS = {
  senderInList: ['sender in lists.$', LIST],
  senderDomain: ['sender.endsWith($)', DOMAIN],
  senderAddress: ['sender == $', LOWER],
  notAuthenticated: ['sender == ""', NOTHING],
  fromDomain: ['from.domain == $', LOWER],
  fromAddress: ['from.address == $', LOWER],
  dmarc: ['authentication.dmarc == "pass"', NOTHING],
  subject: ['subject.lowerAscii().contains($)', LOWER],
  recipient: ['$ in envelope.rcpt_to', TEXT],
  plusTag: ['plus_tag == $', TEXT],
  attachment: ['attachments.size() > 0', NOTHING],
  fileName: ['attachments.exists(a, a.filename.lowerAscii().endsWith($))', LOWER],
  larger: ['size_bytes > $', MEBIBYTES],
  largerInBytes: ['size_bytes > $', BYTES],
  spam: ['spam.verdict == "spam"', NOTHING],
  spamScore: ['spam.score > $', SCORE],
  tagged: ['$ in tags', TEXT],
  program: ['auto_submitted', NOTHING],
  list: ['is_list', NOTHING],
  bounce: ['is_bounce', NOTHING],
  firstSeen: ['first_seen', NOTHING],
  hiddenText: ['hidden_text.present', NOTHING],
  mismatchedLinks: ['links.mismatched', NOTHING],
  forwarded: ['forwarded', NOTHING],
  noTls: ['tls.version == ""', NOTHING],
} as const satisfies Record<string, readonly [expression: string, value: Value]>;

export type ConditionKind = keyof typeof CONDITIONS;

/** `isNegated`: the email must not meet it. */
export type Condition = { kind: ConditionKind; value: string; isNegated: boolean };

const KINDS = Object.keys(CONDITIONS) as ConditionKind[];
export const CONDITION_CHOICES = KINDS.map((kind) => [kind, ruleText.conditions[kind]] as const);

export const operandOf = (kind: ConditionKind): OperandKind => CONDITIONS[kind][1].operand;

function written({ kind, value, isNegated }: Condition): string {
  const [expression, { write }] = CONDITIONS[kind];
  const text = expression.replace('$', () => write(value));
  if (!isNegated) return text;
  return /^\w+$/.test(text) ? `!${text}` : `!(${text})`;
}

/** All conditions must be met. @param whenNone the expression without conditions */
export const expressionOf = (conditions: readonly Condition[], whenNone: string): string =>
  conditions.length === 0 ? whenNone : conditions.map(written).join(' && ');

/** Undefined for an expression that {@link expressionOf} would not write in exactly this way. */
export function conditionsIn(expression: string, whenNone: string): Condition[] | undefined {
  if (expression === whenNone) return [];
  const conditions = partsOf(expression).map(conditionIn);
  const known = conditions.filter((one) => one !== undefined);
  const isComplete = known.length === conditions.length;
  return isComplete && expressionOf(known, whenNone) === expression ? known : undefined;
}

/** The conditions of a rule. Undefined for an expression that the form did not write. */
export function conditionsInWords(expression: string): string | undefined {
  const conditions = conditionsIn(expression, 'true');
  if (conditions?.length === 0) return ruleText.every;
  return conditions?.map(inWords).join(' · ');
}

const inWords = ({ kind, value, isNegated }: Condition): string =>
  [
    ...(isNegated ? [ruleText.not] : []),
    ruleText.conditions[kind],
    ...(value ? [`“${plain(value)}”`] : []),
  ].join(' ');

/** Splits at each `&&` outside of texts. */
function partsOf(expression: string): string[] {
  const parts = [''];
  for (const [token] of expression.matchAll(/"(?:[^"\\]|\\.)*"| && |[^"]/gs))
    if (token === ' && ') parts.push('');
    else parts.push(`${parts.pop() ?? ''}${token}`);
  return parts;
}

function conditionIn(text: string): Condition | undefined {
  const negated = /^!\((.*)\)$|^!(\w+)$/s.exec(text);
  const stated = negated ? (negated[1] ?? negated[2] ?? '') : text;
  for (const kind of KINDS) {
    const value = valueIn(kind, stated);
    const condition = { kind, value: value ?? '', isNegated: negated !== null };
    if (value !== undefined && written(condition) === text) return condition;
  }
  return undefined;
}

function valueIn(kind: ConditionKind, text: string): string | undefined {
  const [expression, { read }] = CONDITIONS[kind];
  const [before = '', after = ''] = expression.split('$');
  if (!text.startsWith(before) || !text.endsWith(after)) return undefined;
  try {
    const value = read(text.slice(before.length, text.length - after.length));
    return value === '' && operandOf(kind) !== 'nothing' ? undefined : value;
  } catch {
    return undefined; // no text of JSON, so this form did not write it
  }
}

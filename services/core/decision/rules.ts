/** Evaluates the rules of one recipient, and the fields that are rules, over an email (D55). Pure. */
import type { RefusingFields } from '../address/recipient.ts';
import type { Rule } from '../rule/rule.ts';
import type { EvaluatedRule, Ruling } from '../delivery/ruling.ts';
import type { Budget } from '../expression/budget.ts';
import { evaluateWithin, isIncomplete } from '../expression/evaluate-within.ts';
import { compileExpression } from '../expression/expression.ts';
import { type ExpressionFault, recordedFault } from '../expression/fault.ts';
import { valueOf } from '../expression/reads.ts';
import {
  type ExpressionFacts,
  mayBeKnownLater,
  takeCutReads,
  type Variables,
  variablesOf,
} from '../expression/variables.ts';
import { ruleRefused, type SmtpReply, tryLater } from '../smtp/smtp-reply.ts';
import { firstRules, lastRules } from './built-in-rules.ts';
import {
  type Accepted,
  DELIVERED,
  type OrderedRule,
  type Refusal,
  type RuleResult,
} from './ordered-rule.ts';

export type RulesOfRecipient = {
  account: readonly Rule[];
  address: readonly Rule[];
  /** Fields that are rules, too (built-in-rules.ts); absent for none. */
  fields?: RefusingFields;
};

/** What a recipient decides when it is alone. */
export type RuleOutcome = {
  /** `later`: a rule needs the author, and DNS did not answer. */
  action: 'refuse' | 'drop' | 'hold' | 'deliver' | 'later';
  /** Undefined when the email is accepted. */
  reply: SmtpReply | undefined;
  /** What happens to it here when it is accepted, by this recipient or by another one. */
  accepted: Accepted;
  tags: string[];
  trace: Pick<Ruling, 'rules' | 'facts'>;
};

const TAGS_MAX = 20;
const FACTS_MAX = 20;
/** JetStream limits the headers of a message, which include the ruling, to 64 KiB. */
const TRACE_MAX_BYTES = 20 * 1024;

/** Each tag once, up to the limit of an email. */
export const tagsTogether = (tags: readonly string[], added: readonly string[]): string[] =>
  [...new Set([...tags, ...added])].slice(0, TAGS_MAX);

/** Empty when nothing is set. */
export const rulesInOrder = ({
  fields = {},
  account,
  address,
}: RulesOfRecipient): OrderedRule[] => [
  ...firstRules(fields),
  ...account.map((rule) => ruleOfUser(rule, 'account')),
  ...address.map((rule) => ruleOfUser(rule, 'address')),
  ...lastRules(fields),
];

export const evaluateRules = (rules: RulesOfRecipient, facts: ExpressionFacts): RuleOutcome =>
  evaluateInOrder(rulesInOrder(rules), facts);

export function evaluateInOrder(
  rules: readonly OrderedRule[],
  facts: ExpressionFacts,
): RuleOutcome {
  const tags: string[] = [];
  const read = new Set<string>();
  const evaluated: EvaluatedRule[] = [];
  const variables = variablesOf({ ...facts, tags }); // later rules see what earlier ones add
  let accepted = DELIVERED;
  let refusal: Refusal | undefined;
  for (const { evaluate, runsAfterHold, ...rule } of rules) {
    if (accepted.action !== null && !runsAfterHold) continue;
    const { result, error, reads, ...effect } = evaluate(facts, variables);
    for (const variable of reads) read.add(variable);
    evaluated.push({ ...rule, result, error });
    refusal = effect.refusal;
    if (refusal) break;
    accepted = effect.accepted ?? accepted;
    if (effect.tags) tags.splice(0, tags.length, ...tagsTogether(tags, effect.tags));
  }
  return {
    action: refusal
      ? isTemporary(refusal.reply)
        ? 'later'
        : 'refuse'
      : (accepted.action ?? 'deliver'),
    reply: refusal?.reply,
    accepted: refusal?.held ? { action: 'hold', reason: refusal.held } : accepted,
    tags,
    trace: withinHeader({ rules: evaluated, facts: factsOf(read, variables) }),
  };
}

/** The sender repeats the email. */
export const isTemporary = ({ code }: SmtpReply): boolean => code < 500;

const ruleOfUser = (
  { name, when, action, tags }: Rule,
  scope: EvaluatedRule['scope'],
): OrderedRule => ({
  name,
  scope,
  action,
  evaluate: (facts, variables) => {
    takeCutReads(variables);
    const { result, error, reads, isNotEvaluated } = evaluateExpression(
      when,
      variables,
      facts.budget,
    );
    if (isNotEvaluated && action === 'tag') facts.budget?.markTagsMissing();
    if (isNotEvaluated && PROTECTING.has(action))
      return { result, error, reads, accepted: { action: 'hold', reason: 'not_evaluated' } };
    const hasReadCut = PROTECTING.has(action) && takeCutReads(variables);
    const mayMatchLater = result === 'failed' && action !== 'tag' && mayBeKnownLater(reads, facts);
    const traced = hasReadCut
      ? { result: 'failed' as const, error: READ_CUT, reads }
      : { result, error, reads };
    if (mayMatchLater) return { ...traced, refusal: SENDER_UNKNOWN };
    // neither a match nor none is sure, and padding must not avoid a rule (D174)
    if (hasReadCut) return { ...traced, accepted: { action: 'hold', reason: 'cut' } };
    return result === 'matched' ? { ...traced, ...effectOf(action, tags) } : traced;
  },
});

const SENDER_UNKNOWN: Refusal = { reply: tryLater, held: 'sender_not_checked' };

function effectOf(action: Rule['action'], tags: readonly string[] = []): Partial<RuleResult> {
  if (action === 'tag') return { tags };
  if (action === 'refuse') return { refusal: { reply: ruleRefused, held: 'refused_by_rule' } };
  return { accepted: { action, reason: 'rule' } };
}

/** Actions that keep an email from the receiver. */
export const PROTECTING: ReadonlySet<Rule['action']> = new Set(['refuse', 'drop', 'hold']);
const READ_CUT = 'It reads a text or a list that is longer than rules see. The email is held';

/** Whether one of these expressions names one of these variables. */
export const namesOneOf = (expressions: readonly string[], variables: readonly string[]): boolean =>
  expressions.some((text) =>
    compileExpression(text).expression?.variables.some((one) =>
      variables.includes(one.split('.')[0] ?? ''),
    ),
  );

type Evaluated = Pick<RuleResult, 'result' | 'error' | 'reads'> & {
  /** It would take more time than it may, so nobody knows whether it matches. */
  isNotEvaluated?: boolean;
};

function evaluateExpression(
  when: string,
  variables: Variables,
  budget: Budget | undefined,
): Evaluated {
  const { expression, error } = compileExpression(when);
  if (expression === null) return failed(error, []); // another version accepted it
  const evaluation = evaluateWithin(budget, expression, variables);
  const { value } = evaluation;
  if (value === null)
    return {
      ...failed(evaluation.error, expression.variables),
      isNotEvaluated: isIncomplete(evaluation),
    };
  return { result: value ? 'matched' : 'not_matched', error: null, reads: expression.variables };
}

const failed = (fault: ExpressionFault, reads: readonly string[]): Evaluated => ({
  result: 'failed',
  error: recordedFault(fault),
  reads,
});

type Trace = RuleOutcome['trace'];

/** Leaves out what a header has no room for: the facts, then the errors. */
function withinHeader(trace: Trace): Trace {
  const withoutFacts = { rules: trace.rules, facts: [] };
  const withoutErrors = { rules: trace.rules.map((one) => ({ ...one, error: null })), facts: [] };
  const fits = (one: Trace) => asciiLength(JSON.stringify(one)) <= TRACE_MAX_BYTES;
  return [trace, withoutFacts].find(fits) ?? withoutErrors;
}

/** As JSON in ASCII, which writes each other character as \uXXXX. */
const asciiLength = (json: string): number =>
  json.length + 5 * (json.match(/[\u007f-\uffff]/g)?.length ?? 0);

/** Variables whose values say nothing about people or contents. */
const IMPERSONAL = new Set(
  (
    'authentication spam virus size_bytes attachments auto_submitted is_bounce is_list ' +
    'signature encrypted hidden_text links forwarded first_seen tls is_cut tags'
  ).split(' '),
);

/** What a record may show when fields are redacted. */
export const impersonal = ({ facts, ...ruling }: Ruling): Ruling => ({
  ...ruling,
  facts: facts.filter(({ name }) => IMPERSONAL.has(name.split('.')[0] ?? '')),
});

const factsOf = (read: ReadonlySet<string>, variables: Variables): Ruling['facts'] =>
  [...read]
    .flatMap((name) => {
      const value = valueOf(name, variables);
      return value === undefined ? [] : [{ name, value }];
    })
    .slice(0, FACTS_MAX);

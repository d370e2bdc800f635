/** Evaluates the rules of one recipient over an email (D55). Pure. */
import type { Rule } from '../address/rule.ts';
import type { EvaluatedRule, Ruling } from '../delivery/ruling.ts';
import { compileExpression } from '../expression/expression.ts';
import { type ExpressionFault, recordedFault } from '../expression/fault.ts';
import { valueOf } from '../expression/reads.ts';
import {
  type ExpressionFacts,
  senderIsUnknown,
  takeCutReads,
  type Variables,
  variablesOf,
} from '../expression/variables.ts';

/** Those of the account come first. */
export type RulesOfRecipient = { account: readonly Rule[]; address: readonly Rule[] };

export type RuleOutcome = {
  /**
   * The action of the first rule that matched, besides tag; `deliver` without one. `later`: such a
   * rule needs `sender`, and DNS did not answer.
   */
  action: 'refuse' | 'drop' | 'hold' | 'deliver' | 'later';
  tags: string[];
  /** It is held because a rule read what was cut. */
  isCut?: true;
  trace: Pick<Ruling, 'rules' | 'facts'>;
};

const TAGS_MAX = 20;
const FACTS_MAX = 20;
/** JetStream limits the headers of a message, which include the ruling, to 64 KiB. */
const TRACE_MAX_BYTES = 20 * 1024;

/** Each tag once, up to the limit of an email. */
export const tagsTogether = (tags: readonly string[], added: readonly string[]): string[] =>
  [...new Set([...tags, ...added])].slice(0, TAGS_MAX);

export function evaluateRules(rules: RulesOfRecipient, facts: ExpressionFacts): RuleOutcome {
  const tags: string[] = [];
  const read = new Set<string>();
  const evaluated: EvaluatedRule[] = [];
  const variables = variablesOf({ ...facts, tags }); // later rules see what earlier ones add
  const end = (action: RuleOutcome['action'], isCut?: true): RuleOutcome => ({
    action,
    ...(isCut && { isCut }),
    tags,
    trace: withinHeader({ rules: evaluated, facts: factsOf(read, variables) }),
  });

  for (const scope of ['account', 'address'] as const)
    for (const { name, when, action, tags: added = [] } of rules[scope]) {
      takeCutReads(variables);
      const { result, error, reads } = evaluate(when, variables);
      const hasReadCut = PROTECTING.has(action) && takeCutReads(variables);
      for (const variable of reads) read.add(variable);
      evaluated.push(
        hasReadCut
          ? { name, scope, action, result: 'failed', error: READ_CUT }
          : { name, scope, action, result, error },
      );
      const mayMatchLater = result === 'failed' && reads.includes('sender') && action !== 'tag';
      if (mayMatchLater && senderIsUnknown(facts)) return end('later');
      // neither a match nor none is sure, and padding must not avoid a rule (D174)
      if (hasReadCut) return end('hold', true);
      if (result !== 'matched') continue;
      if (action !== 'tag') return end(action);
      tags.splice(0, tags.length, ...tagsTogether(tags, added));
    }
  return end('deliver');
}

/** Actions that keep an email from the receiver. */
export const PROTECTING: ReadonlySet<Rule['action']> = new Set(['refuse', 'drop', 'hold']);
const READ_CUT = 'It reads a text or a list that is longer than rules see. The email is held';

/** Of the lists of an account, those that these expressions name. */
export const listsIn = (expressions: readonly string[]): string[] => [
  ...new Set(expressions.flatMap((text) => compileExpression(text).expression?.lists ?? [])),
];

type Evaluated = Pick<EvaluatedRule, 'result' | 'error'> & { reads: readonly string[] };

function evaluate(when: string, variables: Variables): Evaluated {
  const { expression, error } = compileExpression(when);
  if (expression === null) return failed(error, []); // another version accepted it
  const { value, error: runtimeError } = expression.evaluate(variables);
  if (value === null) return failed(runtimeError, expression.variables);
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
const IMPERSONAL = new Set([
  'authentication',
  'spam',
  'virus',
  'size_bytes',
  'attachments',
  'auto_submitted',
  'is_bounce',
  'is_list',
  'signature',
  'encrypted',
  'tags',
]);

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

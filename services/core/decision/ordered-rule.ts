/** A rule as it is evaluated: one of a user, or a field of an address (built-in-rules.ts). */
import type { EvaluatedRule, Ruling } from '../delivery/ruling.ts';
import type { ExpressionFacts, Variables } from '../expression/variables.ts';
import type { SmtpReply } from '../smtp/smtp-reply.ts';

export type OrderedRule = Pick<EvaluatedRule, 'name' | 'scope' | 'action' | 'is_built_in'> & {
  /** It is evaluated also after a rule that holds or drops. */
  runsAfterHold?: true;
  evaluate: (facts: ExpressionFacts, variables: Variables) => RuleResult;
};

export type RuleResult = Pick<EvaluatedRule, 'result' | 'error'> & {
  /** Variables, by their names in traces. */
  reads: readonly string[];
  /** At most one of these three: its effect. The first two end the evaluation. */
  refusal?: Refusal;
  accepted?: Accepted;
  tags?: readonly string[];
};

export type Refusal = {
  /** Permanent, or temporary when the rule cannot decide now. */
  reply: SmtpReply;
  /** Why the email is held if another recipient accepts it; null: as if the rule did not exist. */
  held: Ruling['reason'];
};

/** What happens to an email that is accepted. */
export type Accepted = Pick<Ruling, 'action' | 'reason'>;
export const DELIVERED: Accepted = { action: null, reason: null };

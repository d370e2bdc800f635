/**
 * The fields of an address that refuse email, as rules (docs/rules.md). Their conditions are functions
 * instead of expressions; rules.ts evaluates them in one order with the rules of users.
 */
import type { RefusingFields } from '../address/recipient.ts';
import type { ExpressionFacts } from '../expression/variables.ts';
import { attachmentDecision, type StoredAllowedAttachments } from '../mail/allowed-attachments.ts';
import { senderDecision, type StoredAllowedSenders } from '../mail/allowed-senders.ts';
import {
  attachmentTooBig,
  attachmentTypeRefused,
  senderNotAllowed,
  spamRefused,
  tryLater,
  virusRefused,
} from '../smtp/smtp-reply.ts';
import type { OrderedRule, RuleResult } from './ordered-rule.ts';

/** In the order in which they are evaluated; those of users come before the last one. */
export const BUILT_IN_NAMES = [
  'refuse_infected',
  'allowed_senders',
  'allowed_attachments',
  'spam_refuse_above',
] as const satisfies (keyof RefusingFields)[];

/** Evaluated before the rules of users. */
export function firstRules(fields: RefusingFields): OrderedRule[] {
  const { refuse_infected: scope, allowed_senders, allowed_attachments } = fields;
  const rules: OrderedRule[] = [];
  if (scope) rules.push({ ...builtIn('refuse_infected', infected), scope });
  if (allowed_senders)
    rules.push(builtIn('allowed_senders', (facts) => bySender(allowed_senders, facts)));
  if (allowed_attachments)
    rules.push(builtIn('allowed_attachments', (facts) => byFiles(allowed_attachments, facts)));
  return rules;
}

/** Evaluated after the rules of users. */
export const lastRules = ({ spam_refuse_above: limit }: RefusingFields): OrderedRule[] =>
  limit === undefined
    ? []
    : [{ ...builtIn('spam_refuse_above', (facts) => bySpam(limit, facts)), runsAfterHold: true }];

const builtIn = (
  name: (typeof BUILT_IN_NAMES)[number],
  evaluate: OrderedRule['evaluate'],
): OrderedRule => ({ name, scope: 'address', action: 'refuse', is_built_in: true, evaluate });

const notMatched = (...reads: string[]): RuleResult => ({
  result: 'not_matched',
  error: null,
  reads,
});

function infected({ virus }: ExpressionFacts): RuleResult {
  const none = notMatched('virus.verdict');
  if (virus?.verdict !== 'infected') return none;
  return { ...none, result: 'matched', refusal: { reply: virusRefused, held: 'infected' } };
}

function bySender(allowed: StoredAllowedSenders, facts: ExpressionFacts): RuleResult {
  const none = notMatched('from.address', 'authentication.dmarc');
  const decision = senderDecision(allowed, facts);
  if (decision === 'allowed') return none;
  if (decision === 'refused')
    return {
      ...none,
      result: 'matched',
      refusal: { reply: senderNotAllowed, held: 'sender_not_allowed' },
    };
  return {
    ...none,
    result: 'failed',
    error: 'DNS did not answer, so nobody could authenticate the author',
    refusal: { reply: tryLater, held: 'sender_not_checked' },
  };
}

function byFiles(allowed: StoredAllowedAttachments, { attachments }: ExpressionFacts): RuleResult {
  const none = notMatched('attachments');
  const decision = attachmentDecision(allowed, attachments);
  if (decision === 'allowed') return none;
  const reply = decision === 'too_big' ? attachmentTooBig : attachmentTypeRefused;
  return { ...none, result: 'matched', refusal: { reply, held: 'attachment_not_allowed' } };
}

/** If another recipient accepts the email, it is delivered here as well (docs/rules.md). */
function bySpam(limit: number, { spam }: ExpressionFacts): RuleResult {
  const none = notMatched('spam.score');
  if (spam.score <= limit) return none;
  return { ...none, result: 'matched', refusal: { reply: spamRefused, held: null } };
}

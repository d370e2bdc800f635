/**
 * What happens to an email at each of its recipients. SMTP has one reply to DATA for all of them: the
 * email is refused only if every recipient refuses it (D55). LMTP has one for each.
 */
import type { Recipient, RefusingFields } from '../address/recipient.ts';
import type { Ruling } from '../delivery/ruling.ts';
import type { ExpressionFacts } from '../expression/variables.ts';
import { type HookAnswer, hookReply } from './hook-answer.ts';
import type { DecidedBy } from '../refusal/decided-by.ts';
import type { RecipientRefusal } from '../refusal/decided-by.ts';
import type { SmtpReply } from '../smtp/smtp-reply.ts';
import { type Accepted, DELIVERED } from './ordered-rule.ts';
import {
  evaluateInOrder,
  isTemporary,
  PROTECTING,
  type RuleOutcome,
  rulesInOrder,
  tagsTogether,
} from './rules.ts';

export type DecidedFor = RefusingFields & Pick<Recipient, 'account_rules' | 'rules'>;

/** What was decided at one recipient. The ruling is null when nothing was asked. */
export type Acceptance = { tags: string[]; ruling: Ruling | null };

type Refused = {
  refusal: SmtpReply;
  /** Why this recipient refuses it; undefined where only another one does. */
  own?: Pick<RecipientRefusal, 'reply' | 'decidedBy'>;
};
export type Decision = Acceptance | Refused;
export const isRefused = (decision: Decision): decision is Refused => 'refusal' in decision;

/** What a recipient would do if it were alone. */
export type RecipientReply = {
  reply: SmtpReply | undefined;
  /** What happens here when the email is accepted, by this recipient or by another one. */
  accepted: Accepted;
  /** Undefined without rules. */
  outcome: RuleOutcome | undefined;
  /** Undefined when no hook was asked. */
  hook?: HookAnswer;
};

/** Whether all that is left to ask is a hook. */
export const isDelivered = ({ reply, accepted }: RecipientReply): boolean =>
  reply === undefined && accepted.action === null;

/** @param isUtf8 whether the client reads UTF-8 in replies */
export const afterHook = (
  own: RecipientReply,
  hook: HookAnswer,
  isUtf8: boolean,
): RecipientReply => ({
  ...own,
  hook,
  reply: hookReply(hook, isUtf8),
  accepted: ACCEPTED_BY_HOOK[hook.decision],
});

/** Whether the hook is to be asked is not known. */
export const withoutHook = (own: RecipientReply): RecipientReply => ({
  ...own,
  accepted: { action: 'hold', reason: 'not_evaluated' },
});

const ACCEPTED_BY_HOOK: Record<HookAnswer['decision'], Accepted> = {
  accept: DELIVERED,
  hold: { action: 'hold', reason: 'hook' },
  drop: { action: 'drop', reason: 'hook' },
  refuse: { action: 'hold', reason: 'refused_by_hook' },
  defer: { action: 'hold', reason: 'deferred_by_hook' },
};

/**
 * @param replies what each recipient would reply
 * @param mayAskAgain whether the sender is asked to repeat the email for all recipients while one of them
 * cannot decide. Otherwise that one holds it (D190). Called only for such an email
 */
export function decideTogether(
  replies: readonly RecipientReply[],
  mayAskAgain: () => boolean,
): Decision[] {
  const smtpReplies = replies.map(({ reply }) => reply);
  const later = smtpReplies.find((reply) => reply !== undefined && isTemporary(reply));
  const isAccepted = smtpReplies.includes(undefined);
  const asksAgain = later !== undefined && (!isAccepted || mayAskAgain());
  const refusal = asksAgain ? later : isAccepted ? undefined : smtpReplies[0];
  return replies.map((one) => (refusal ? { refusal, ...ownOf(one) } : acceptanceOf(one)));
}

/** Each recipient replies for itself (RFC 2033 §4.2). */
export const decideEach = (replies: readonly RecipientReply[]): Decision[] =>
  replies.map((one) => (one.reply ? { refusal: one.reply, ...ownOf(one) } : acceptanceOf(one)));

const ownOf = ({ reply, outcome, hook }: RecipientReply): Pick<Refused, 'own'> =>
  reply ? { own: { reply, decidedBy: hook ? BY_HOOK : lastOf(outcome) } } : {};

const BY_HOOK: DecidedBy = { kind: 'hook', name: 'hook', scope: null };

/** A rule that refuses ends the evaluation. */
function lastOf(outcome: RuleOutcome | undefined): DecidedBy | undefined {
  const last = outcome?.trace.rules.at(-1);
  return last && { kind: last.is_built_in ? 'field' : 'rule', name: last.name, scope: last.scope };
}

/** @param facts of this recipient's rules; called only when it has some */
export function recipientReply(
  recipient: DecidedFor,
  facts: () => ExpressionFacts,
): RecipientReply {
  const { account_rules: account = [], rules: address = [] } = recipient;
  const rules = rulesInOrder({ fields: recipient, account, address });
  if (rules.length === 0) return { reply: undefined, accepted: DELIVERED, outcome: undefined };
  const outcome = evaluateInOrder(rules, facts());
  return { reply: outcome.reply, accepted: outcome.accepted, outcome };
}

/** Whether something decides about the email of this recipient that needs all of the email. */
export const isProtected = ({
  account_rules = [],
  rules = [],
  hook,
  allowed_attachments,
}: Pick<Recipient, 'account_rules' | 'rules' | 'hook' | 'allowed_attachments'>): boolean =>
  hook !== undefined ||
  allowed_attachments !== undefined ||
  [...account_rules, ...rules].some(({ action }) => PROTECTING.has(action));

/**
 * It is held instead of delivered: the email was not read as a whole (D174), or a filter was not
 * evaluated.
 */
export const heldBecause = (
  reason: 'cut' | 'not_evaluated',
  { tags, ruling }: Acceptance,
): Acceptance => ({
  tags,
  ruling: ruling?.action ? ruling : { rules: [], facts: [], ...ruling, action: 'hold', reason },
});

function acceptanceOf({ accepted, outcome, hook }: RecipientReply): Acceptance {
  const { tags: added = [], trace = { rules: [], facts: [] } } = outcome ?? {};
  const tags = hook ? tagsTogether(added, hook.tags) : added;
  if (!outcome && !hook && accepted.action === null) return { tags, ruling: null };
  const called = hook && {
    hook: { decision: hook.decision, error: hook.error, duration_ms: hook.durationMs },
  };
  return { tags, ruling: { ...accepted, ...trace, ...called } };
}

/**
 * What happens to an email at each of its recipients. SMTP has one reply to DATA for all of them: the
 * email is refused only if every recipient refuses it (D55). LMTP has one for each.
 */
import type { Ruling } from '../delivery/ruling.ts';
import type { ExpressionFacts } from '../expression/variables.ts';
import { type AttachmentFacts, attachmentDecision } from '../mail/allowed-attachments.ts';
import { type HookAnswer, hookReply } from '../hook/hook-answer.ts';
import { senderDecision } from '../mail/allowed-senders.ts';
import type { Authentication } from '../mail/authentication.ts';
import type { Virus } from '../mail/virus.ts';
import type { Recipient } from '../address/recipient.ts';
import {
  attachmentTooBig,
  attachmentTypeRefused,
  ruleRefused,
  senderNotAllowed,
  type SmtpReply,
  spamRefused,
  tryLater,
  virusRefused,
} from '../smtp/smtp-reply.ts';
import { evaluateRules, PROTECTING, type RuleOutcome, tagsTogether } from './rules.ts';

export type DecidedFor = Pick<
  Recipient,
  | 'refuse_infected'
  | 'allowed_senders'
  | 'allowed_attachments'
  | 'spam_refuse_above'
  | 'account_rules'
  | 'rules'
>;

export type EmailFacts = {
  /** Undefined when this installation authenticates nobody. */
  authentication: Authentication | undefined;
  headers: Parameters<typeof senderDecision>[1]['headers'];
  attachments: readonly AttachmentFacts[];
  spamScore: number;
  /** Undefined when nothing scans for malware. */
  virus: Pick<Virus, 'verdict'> | undefined;
};

/** What was decided at one recipient. The ruling is null when nothing was asked. */
export type Decided = { tags: string[]; ruling: Ruling | null };

export type Refused = { refusal: SmtpReply };
export type Decision = Decided | Refused;
export const isRefused = (decision: Decision): decision is Refused => 'refusal' in decision;

/** What a recipient would reply if it were alone. */
export type Alone = {
  reply: SmtpReply | undefined;
  /** When another recipient accepts the email: why this one holds it; undefined: it delivers it. */
  otherwise: Ruling['reason'] | undefined;
  outcome: RuleOutcome | undefined;
  /** Undefined when no hook was asked. */
  hook?: HookAnswer;
};

/** Whether all that is left to ask is a hook. */
export const isDelivered = ({ reply, outcome }: Alone): boolean =>
  reply === undefined && (outcome?.action ?? 'deliver') === 'deliver';

/** @param isUtf8 whether the client reads UTF-8 in replies */
export const afterHook = (alone: Alone, hook: HookAnswer, isUtf8: boolean): Alone => ({
  ...alone,
  hook,
  reply: hookReply(hook, isUtf8),
  otherwise: HELD_INSTEAD[hook.decision],
});

const HELD_INSTEAD: Partial<Record<HookAnswer['decision'], Ruling['reason']>> = {
  refuse: 'refused_by_hook',
  defer: 'deferred_by_hook',
};

/**
 * @param alone what each recipient would reply
 * @param mayAskAgain whether the sender is asked to repeat the email for all recipients while one of them
 * cannot decide. Otherwise that one holds it (D190). Called only for such an email
 */
export function decideTogether(alone: readonly Alone[], mayAskAgain: () => boolean): Decision[] {
  const replies = alone.map(({ reply }) => reply);
  const later = replies.find(isTemporary);
  const isAccepted = replies.includes(undefined);
  const asksAgain = later !== undefined && (!isAccepted || mayAskAgain());
  const refusal = asksAgain ? later : isAccepted ? undefined : replies[0];
  return alone.map((one) => (refusal ? { refusal } : decidedOf(one)));
}

/** Each recipient replies for itself (RFC 2033 §4.2). */
export const decideEach = (alone: readonly Alone[]): Decision[] =>
  alone.map((one) => (one.reply ? { refusal: one.reply } : decidedOf(one)));

/** The sender repeats the email. */
const isTemporary = (reply: SmtpReply | undefined): boolean =>
  reply !== undefined && reply.code < 500;

/** @param facts of this recipient's expressions; called only when it has rules */
export function decideAlone(
  recipient: DecidedFor,
  email: EmailFacts,
  facts: () => ExpressionFacts,
): Alone {
  const { allowed_senders, allowed_attachments, account_rules, rules } = recipient;
  const { spam_refuse_above: limit } = recipient;
  if (recipient.refuse_infected && email.virus?.verdict === 'infected')
    return { reply: virusRefused, otherwise: 'infected', outcome: undefined };
  const sender = allowed_senders && senderDecision(allowed_senders, email);
  if (sender === 'refused')
    return { reply: senderNotAllowed, otherwise: 'sender_not_allowed', outcome: undefined };
  if (sender === 'later')
    return { reply: tryLater, otherwise: 'sender_not_checked', outcome: undefined };
  const attachments =
    allowed_attachments && attachmentDecision(allowed_attachments, email.attachments);
  if (attachments === 'type_refused' || attachments === 'too_big')
    return {
      reply: attachments === 'too_big' ? attachmentTooBig : attachmentTypeRefused,
      otherwise: 'attachment_not_allowed',
      outcome: undefined,
    };
  const outcome =
    account_rules || rules
      ? evaluateRules({ account: account_rules ?? [], address: rules ?? [] }, facts())
      : undefined;
  if (outcome?.action === 'refuse')
    return { reply: ruleRefused, otherwise: 'refused_by_rule', outcome };
  if (outcome?.action === 'later')
    return { reply: tryLater, otherwise: 'sender_not_checked', outcome };
  if (limit !== undefined && email.spamScore > limit)
    return { reply: spamRefused, otherwise: undefined, outcome };
  return { reply: undefined, otherwise: undefined, outcome };
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

/** An email that was not read as a whole is held instead of delivered (D174). */
export const heldUnread = ({ tags, ruling }: Decided): Decided => ({
  tags,
  ruling: ruling?.action
    ? ruling
    : { rules: [], facts: [], ...ruling, action: 'hold', reason: 'cut' },
});

function decidedOf({ otherwise, outcome, hook }: Alone): Decided {
  const { action = 'deliver', tags: added = [], trace = { rules: [], facts: [] } } = outcome ?? {};
  const tags = hook ? tagsTogether(added, hook.tags) : added;
  const called = hook && {
    hook: { decision: hook.decision, error: hook.error, duration_ms: hook.durationMs },
  };
  const ruling = (ruled: Pick<Ruling, 'action' | 'reason'>): Decided => ({
    tags,
    ruling: { ...ruled, ...trace, ...called },
  });
  if (otherwise !== undefined) return ruling({ action: 'hold', reason: otherwise });
  if (action === 'hold' || action === 'drop')
    return ruling({ action, reason: outcome?.isCut ? 'cut' : 'rule' });
  if (hook?.decision === 'hold' || hook?.decision === 'drop')
    return ruling({ action: hook.decision, reason: 'hook' });
  return outcome || hook ? ruling({ action: null, reason: null }) : { tags, ruling: null };
}

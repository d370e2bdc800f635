/**
 * Decides at RCPT whether a recipient is accepted. The order of the checks is the policy (spec 3,
 * D7, D8, D21).
 */
import { isExpired } from '../address/address.ts';
import { type PayloadSettings } from '../address/payload-settings.ts';
import type { Hook } from '../address/hook.ts';
import type { Rule } from '../address/rule.ts';
import type { Redactable } from '../delivery/retention.ts';
import type { StoredAllowedAttachments } from '../mail/allowed-attachments.ts';
import type { StoredAllowedSenders } from '../mail/allowed-senders.ts';
import type { CheckedTag } from '../reply/reply-address.ts';
import type { ReplyKeyGenerations } from '../reply/reply-key.ts';
import {
  accountSuspended,
  addressDisabled,
  noSuchAddress,
  quotaSpent,
  type SmtpReply,
} from './smtp-reply.ts';

/** An address, as RCPT needs it. */
export type Recipient = {
  id: string;
  account_id: string;
  environment: 'live' | 'test';
  address: string;
  is_enabled: boolean;
  expires_at: Date | null;
  deleted_at: Date | null;
  /** Absent unless the account is suspended. */
  is_suspended?: true;
  /**
   * The text after the plus in the sender's spelling; absent without a plus, or when the address's
   * own name has it.
   */
  plus_tag?: string;
  /** Absent unless reply addresses are turned on. */
  replies?: ReplyKeyGenerations & { only: boolean };
  /** What the tag of this recipient proves; absent unless reply addresses are turned on. */
  reply?: CheckedTag;
  /** Absent for the default payload. */
  payload?: PayloadSettings;
  /** Spam score above which mail is refused; absent for never. */
  spam_refuse_above?: number;
  /** Absent when it accepts email that contains malware. */
  refuse_infected?: true;
  /** Absent when it accepts email of everybody. */
  allowed_senders?: StoredAllowedSenders;
  /** Absent when it accepts all attachments. */
  allowed_attachments?: StoredAllowedAttachments;
  /** Absent for no limit. */
  max_per_hour?: number;
  /** Rules of its account, and its own; absent for none. */
  account_rules?: readonly Rule[];
  rules?: readonly Rule[];
  /** That decides about its email after its rules: its own, or its account's; absent for none. */
  hook?: Hook;
  /** Entries of the lists that its rules and filters name, by name; absent for none. */
  lists?: ReadonlyMap<string, ReadonlySet<string>>;
  /** Further receivers of its email, besides the address itself; absent for none. */
  receivers?: readonly FurtherReceiver[] | undefined;
  /** Absent when records and events may contain everything. */
  redact?: readonly Redactable[];
};

/** A further receiver, as a gateway needs it. */
export type FurtherReceiver = {
  id: string;
  payload: PayloadSettings;
  /** Filter; absent or null for all email. */
  when?: string | null;
};

export type RecipientFacts = {
  recipient: Recipient | undefined;
  /** Whether the plan's emails are used up and it bills no more. */
  isQuotaSpent?: boolean;
  now: Date;
};

type Check = (facts: RecipientFacts) => SmtpReply | undefined;

const addressIsUnknown: Check = ({ recipient }) =>
  recipient === undefined ? noSuchAddress : undefined;
const addressIsDeleted: Check = ({ recipient }) =>
  recipient?.deleted_at ? noSuchAddress : undefined;
const addressIsExpired: Check = ({ recipient, now }) =>
  recipient && isExpired(recipient, now) ? noSuchAddress : undefined;
/** Before all checks with another reply: nobody finds out that the address exists. */
const replyIsRequired: Check = ({ recipient }) =>
  recipient?.replies?.only && recipient.reply?.status !== 'valid' ? noSuchAddress : undefined;
const addressIsDisabled: Check = ({ recipient }) =>
  recipient?.is_enabled === false ? addressDisabled : undefined;
const accountIsSuspended: Check = ({ recipient }) =>
  recipient?.is_suspended ? accountSuspended : undefined;
/** Test emails are never billed, so they have no quota (D11). */
const quotaIsSpent: Check = ({ recipient, isQuotaSpent }) =>
  isQuotaSpent && recipient?.environment === 'live' ? quotaSpent : undefined;

const CHECKS: readonly Check[] = [
  addressIsUnknown,
  addressIsDeleted,
  addressIsExpired,
  replyIsRequired,
  addressIsDisabled,
  accountIsSuspended,
  quotaIsSpent,
];

/** The reply that refuses this recipient; `undefined` accepts it. */
export function refusalOf(facts: RecipientFacts): SmtpReply | undefined {
  for (const check of CHECKS) {
    const reply = check(facts);
    if (reply) return reply;
  }
  return undefined;
}

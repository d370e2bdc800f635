/**
 * Decides at RCPT whether a recipient is accepted. The order of the checks is the policy (spec 3,
 * D7, D8, D21).
 */
import { isExpired } from '../address/address.ts';
import type { Recipient } from '../address/recipient.ts';
import {
  accountSuspended,
  addressDisabled,
  noSuchAddress,
  quotaSpent,
  type SmtpReply,
} from './smtp-reply.ts';

type RecipientFacts = {
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

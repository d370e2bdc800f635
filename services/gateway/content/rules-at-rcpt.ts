/**
 * Rules that RCPT can decide (D278), in the thread of small emails: an expression of a tenant never
 * holds the thread that speaks SMTP. What it does not decide in time is decided at the end of DATA.
 */
import { LRUCache } from 'lru-cache';

import { withDeadline } from '../../adapters/async/deadline.ts';
import { sourceNetwork } from '../../core/network/network.ts';
import { type KnownAtRcpt, mayRefuseAtRcpt } from '../../core/decision/at-rcpt.ts';
import type { Recipient } from '../../core/address/recipient.ts';
import type { SmtpReply } from '../../core/smtp/smtp-reply.ts';
import type { ContentQueue } from './content-queue.ts';
import type { createSendLists } from './shared-lists.ts';

/** Undefined when the end of DATA decides. Never throws. */
export type RulesAtRcpt = (
  recipient: Recipient,
  known: KnownAtRcpt,
) => Promise<SmtpReply | undefined>;

/** Rules of connections take less than a millisecond. The client waits for as long. */
const DEADLINE_MS = 250;
/** After a missed deadline, the end of DATA decides for the account. */
const SLOW_MS = 60_000;
const SLOW_MAX = 10_000;

export function createRulesAtRcpt(
  run: ContentQueue['run'],
  sendLists: ReturnType<typeof createSendLists>,
): RulesAtRcpt {
  const slow = new LRUCache<string, true>({ max: SLOW_MAX, ttl: SLOW_MS });
  return async function rulesAtRcpt(recipient, known) {
    const { account_id, account_rules, rules, lists, plus_tag } = recipient;
    if (!mayRefuseAtRcpt(recipient) || slow.has(account_id)) return undefined;
    const sent = sendLists({
      ...(account_rules && { account_rules }),
      ...(rules && { rules }),
      ...(lists && { lists }),
      ...(plus_tag !== undefined && { plus_tag }),
    });
    const holders = [sourceNetwork(known.remoteIp), account_id];
    const refusal = run(
      'refusalAtRcpt',
      { accountId: account_id, recipient: sent, known },
      { holders },
    );
    try {
      return await withDeadline(DEADLINE_MS, refusal);
    } catch {
      slow.set(account_id, true); // or the thread has ended
      return undefined;
    }
  };
}

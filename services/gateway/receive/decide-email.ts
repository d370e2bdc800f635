/** What happens to an email at each of its recipients: its rules decide, then its hook. */
import { LRUCache } from 'lru-cache';

import { digestOfRaw } from '../../core/delivery/mail-event.ts';
import { createFilter } from '../../core/expression/filter.ts';
import {
  afterHook,
  type RecipientReply,
  recipientReply,
  decideEach,
  decideTogether,
  type Decision,
  isDelivered,
  withoutHook,
} from '../../core/decision/decision.ts';
import { sourceNetwork } from '../../core/network/network.ts';
import { hookBody } from '../../core/webhook/hook-payload.ts';
import type { GatewayMetrics } from '../process/metrics.ts';
import type { RecipientEmail } from './stored-event.ts';
import type { AskHook } from './hooks.ts';
import { mapInGroups } from './limited-concurrency.ts';
import type { ReceivedMail } from './received-mail.ts';
import { inStage } from '../process/stage.ts';

/** For each email, in their order. */
type DecideEmail = (
  received: ReceivedMail,
  emails: readonly RecipientEmail[],
) => Promise<readonly Decision[]>;

/** For one email to many recipients, so many hooks are asked at the same time. */
const HOOKS_TOGETHER = 4;
/** Left for storing the email before its reply is due. */
const STORE_MS = 5_000;

export function createDecideEmail(
  askHook: AskHook,
  metrics: Pick<GatewayMetrics, 'hookAsked'>,
  clock: () => Date,
): DecideEmail {
  const mayAskAgain = createAskedAgain(clock);
  return async function decideEmail(received, emails) {
    const { raw, replyBy, isUtf8, envelope, repliesEach } = received;
    const source = sourceNetwork(envelope.remoteIp);
    const until = new Date(replyBy.getTime() - STORE_MS);

    const decideRecipient = async (at: RecipientEmail): Promise<RecipientReply> => {
      const { own, hook, tags } = inStage('rules', () => byRules(at));
      if (!hook) return own;
      const { id: addressId, account_id: accountId } = at.accepted.recipient;
      const answer = await askHook(
        {
          hook,
          accountId,
          addressId,
          eventId: at.eventId,
          emailBytes: raw.byteLength,
          until,
          source,
        },
        () => inStage('rules', () => hookBody(at.payload, tags)),
      );
      metrics.hookAsked(answer);
      return afterHook(own, answer, isUtf8);
    };

    const replies = await mapInGroups(emails, HOOKS_TOGETHER, decideRecipient);
    if (repliesEach) return decideEach(replies);
    return decideTogether(replies, () => mayAskAgain(received));
  };
}

/** What the rules of a recipient decide, and its hook if that is to be asked. */
function byRules({ accepted: { recipient }, facts }: RecipientEmail) {
  const own = recipientReply(recipient, () => facts);
  const { hook } = recipient;
  if (!hook || !isDelivered(own)) return { own };
  const tags = own.outcome?.tags;
  const { passes, isNotEvaluated } = createFilter({ ...facts, tags })(hook.when);
  if (isNotEvaluated) return { own: withoutHook(own) };
  return passes ? { own, hook, tags } : { own };
}

/** How long an email for several recipients waits at its sender because of one that cannot decide. */
const ASKED_AGAIN_MS = 900_000;
/** Senders pause for hours between later tries. */
const REMEMBERED_MS = 86_400_000;
const REMEMBERED_MAX = 10_000;

/** Whether the sender may be asked to repeat this email, since when it came first. */
function createAskedAgain(clock: () => Date): (received: ReceivedMail) => boolean {
  const firstMs = new LRUCache<string, number>({ max: REMEMBERED_MAX, ttl: REMEMBERED_MS });
  return ({ raw, recipients }) => {
    const key = [digestOfRaw(raw), ...recipients.map(({ recipient }) => recipient.id)].join(' ');
    const nowMs = clock().getTime();
    const first = firstMs.get(key) ?? nowMs;
    firstMs.set(key, first);
    return nowMs - first < ASKED_AGAIN_MS;
  };
}

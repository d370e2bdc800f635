/** Makes one attempt to deliver an email: a signed POST, of large payloads by a thread of its own. */
import type { WebhookResult, Webhooks } from '../adapters/http/webhook.ts';
import type { QueuedMail } from '../adapters/stream/pull.ts';
import type { CallReceiver } from '../platform/receiver-call.ts';
import type { WebhookTarget } from '../core/address/address.ts';
import { isNotification } from '../core/delivery/mail-event.ts';
import { formatHeaders } from '../core/webhook/cloud-event.ts';
import type { Observation, Permit } from './attempt-limits.ts';
import type { LargePosts } from './large-posts.ts';
import { type Post, postSigned } from './signed-post.ts';
import type { KeysOf } from './target-keys.ts';

/** @param target undefined when the address or the notification no longer exists */
export type MakeAttempt = (
  mail: Pick<QueuedMail, 'event' | 'payload'>,
  target: WebhookTarget | undefined,
  sent: Pick<Post, 'retryCount' | 'traceparent'>,
  permit: Permit,
) => Promise<WebhookResult>;

export function createAttempt(
  io: {
    webhooks: Pick<Webhooks, 'post'>;
    largePosts: Pick<LargePosts, 'post'>;
    callReceiver: CallReceiver;
    keysOf: KeysOf;
  },
  userAgent: string,
  clock: () => Date,
): MakeAttempt {
  /** Always releases the permit. */
  return async function attempt({ event, payload }, target, sent, permit) {
    let observation: Observation | undefined; // stays undefined when the receiver was not called
    try {
      if (target === undefined) {
        const what = isNotification(event.event_id) ? 'notification' : 'address';
        return impossible(`the ${what} no longer exists`);
      }
      const formats = formatHeaders({
        ...target,
        eventId: event.event_id,
        receivedAt: new Date(event.received_at_ms),
      });
      const keys = io.keysOf(target);
      const result = await io.callReceiver(target, async ({ headers, connection }) => {
        const post = {
          ...sent,
          eventId: event.event_id,
          url: target.webhook_url,
          userAgent,
          keys,
          headers: formats,
          credentials: headers,
          connection,
          withHeaders: true,
        };
        const posted =
          event.payload_in === 'bucket'
            ? await io.largePosts.post(post, permit.requestStarted)
            : await postSigned([payload], post, io.webhooks, clock(), permit.requestStarted);
        return posted ?? impossible('the payload is no longer stored');
      });
      if (result.outcome.kind === 'blocked') return result;
      observation = {
        durationMs: result.durationMs,
        isFailure: result.outcome.kind === 'busy' || result.outcome.kind === 'unreachable',
      };
      return result;
    } finally {
      permit.release(observation);
    }
  };
}

const impossible = (reason: string): WebhookResult => ({
  outcome: { kind: 'blocked', reason },
  durationMs: 0,
  excerpt: null,
  error: reason,
});

/**
 * One sample webhook, sent now under the dispatcher's rules. It is neither
 * recorded nor counted.
 */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';

import { describeSchema, EXAMPLE, exampleOf } from '../../core/resource/api-reference.ts';
import type { Webhooks } from '../../adapters/http/webhook.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { BeginAttemptTrace } from '../../platform/attempt-trace.ts';
import type { CallReceiver } from '../../platform/receiver/receiver-call.ts';
import { signingSecrets, type WebhookTarget } from '../../core/address/address.ts';
import { AppError } from '../../core/error/app-error.ts';
import { AttemptView } from '../../core/delivery/attempt-view.ts';
import { ID_RANDOM_BYTES, newId } from '../../core/id/ids.ts';
import { formatHeaders } from '../../core/webhook/cloud-event.ts';
import { testBody } from '../../core/webhook/formats/test-body.ts';
import { signatureHeaders, signingKeys } from '../../core/webhook/signature.ts';
import { VERSION } from '../../core/version.ts';

const { time: _now, ...testExample } = exampleOf(AttemptView);

export const WebhookTestView = AttemptView.omit({ time: true }).extend({
  event_id: z.string().describe('event_id of the sample payload; no delivery has it'),
});
describeSchema(WebhookTestView, 'WebhookTest', { event_id: EXAMPLE.event_id, ...testExample });
type WebhookTest = z.infer<typeof WebhookTestView>;

/**
 * Sends a sample to a receiver or a notification of the caller. @throws AppError `conflict` while too
 * many are in flight, or when there is no URL
 */
export type TestWebhook = (
  target: WebhookTarget,
  sample: (eventId: string) => object,
  now: Date,
) => Promise<WebhookTest>;

type WebhookTestDependencies = {
  webhooks: Pick<Webhooks, 'post'>;
  callReceiver: CallReceiver;
  beginTrace: BeginAttemptTrace;
};

/** A receiver can take half a minute, so the test webhooks of an account in flight are bounded. */
const MAX_IN_FLIGHT_PER_ACCOUNT = 5;

export function createTestWebhook(
  { webhooks, callReceiver, beginTrace }: WebhookTestDependencies,
  log: Log,
): TestWebhook {
  const inFlight = new Map<string, number>();

  return async function testWebhook(target, sample, now) {
    const { id, account_id: accountId, webhook_url: url } = target;
    if (target.mode === 'pull')
      throw new AppError(
        'conflict',
        'This receiver has the mode pull: Inlet posts nothing to it, so there is nothing to test',
      );
    if (url === null)
      throw new AppError(
        'conflict',
        'This address has no webhook URL, so there is nothing to test',
      );
    const running = inFlight.get(accountId) ?? 0;
    if (running >= MAX_IN_FLIGHT_PER_ACCOUNT)
      throw new AppError(
        'conflict',
        `${MAX_IN_FLIGHT_PER_ACCOUNT} test webhooks of this account are in progress. Wait for their responses`,
      );
    inFlight.set(accountId, running + 1);
    try {
      const eventId = newId('evt', now, randomBytes(ID_RANDOM_BYTES));
      const keys = signingSecrets(target, now).map(signingKeys);
      const { body, contentType } = testBody(sample(eventId), target.format, keys, now);
      const signed = signatureHeaders({ eventId, body, keys, now });
      const trace = beginTrace(eventId, { isStored: false });
      const result = await callReceiver(target, ({ headers, connection }) =>
        webhooks.post(
          url,
          {
            'content-type': contentType,
            'user-agent': `Inlet/${VERSION}`,
            traceparent: trace.traceparent,
            ...formatHeaders({ ...target, eventId, receivedAt: now }),
            ...signed,
          },
          body,
          { connection, credentials: headers },
        ),
      );
      const { outcome, durationMs, error, excerpt, location, detail } = result;
      trace.attempted({
        accountId,
        addressId: id,
        url,
        attempt: 1,
        startedAt: now,
        durationMs,
        outcome,
      });
      log.info('webhook.tested', {
        event_id: eventId,
        trace_id: trace.traceId,
        address_id: id,
        account_id: accountId,
        outcome: outcome.kind,
        reason: detail ?? error ?? undefined,
      });
      return {
        event_id: eventId,
        outcome: outcome.kind,
        status_code: 'status' in outcome ? outcome.status : null,
        latency_ms: durationMs,
        error,
        excerpt,
        location: location ?? null,
      };
    } finally {
      const left = (inFlight.get(accountId) ?? 1) - 1;
      if (left > 0) inFlight.set(accountId, left);
      else inFlight.delete(accountId);
    }
  };
}

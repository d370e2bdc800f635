/**
 * One sample webhook, sent now under the same rules as those of the dispatcher. It is neither
 * recorded nor counted.
 */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';

import type { Addresses } from '../../adapters/mongo/addresses.ts';
import type { Webhooks } from '../../adapters/http/webhook.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { BeginAttemptTrace } from '../../platform/attempt-trace.ts';
import {
  type AddressScope,
  signingSecrets,
  type WebhookTarget,
} from '../../core/account/address.ts';
import { AppError, notFound } from '../../core/app-error.ts';
import { AttemptView } from '../../core/delivery/delivery-view.ts';
import { ID_RANDOM_BYTES, newId } from '../../core/ids.ts';
import { signatureHeaders, signingKeys } from '../../core/delivery/signature.ts';
import { testPayload } from '../../core/mail/test-payload.ts';
import { VERSION } from '../../core/version.ts';

export const WebhookTestView = AttemptView.omit({ time: true }).extend({
  event_id: z.string().describe('event_id of the sample payload; no delivery has it'),
});
export type WebhookTest = z.infer<typeof WebhookTestView>;

/** @throws AppError `not_found`, or `conflict` while too many are in flight */
export type TestWebhook = (
  scope: AddressScope,
  addressId: string,
  now: Date,
) => Promise<WebhookTest>;

type Needs = {
  addresses: Pick<Addresses, 'find'>;
  /** Webhook URL and signing secrets of the address, including previous secrets. */
  target: (addressId: string) => Promise<WebhookTarget | undefined>;
  webhooks: Pick<Webhooks, 'post'>;
  beginTrace: BeginAttemptTrace;
};

/** A receiver can take half a minute, so the test webhooks of an account in flight are bounded. */
const MAX_IN_FLIGHT_PER_ACCOUNT = 5;

export function createTestWebhook(
  { addresses, target: targetOf, webhooks, beginTrace }: Needs,
  log: Log,
): TestWebhook {
  const inFlight = new Map<string, number>();

  return async function testWebhook(scope, addressId, now) {
    const address = await addresses.find(scope, addressId, now);
    const target = address && (await targetOf(addressId));
    if (target === undefined) throw notFound('address');
    const running = inFlight.get(scope.account_id) ?? 0;
    if (running >= MAX_IN_FLIGHT_PER_ACCOUNT)
      throw new AppError(
        'conflict',
        `${MAX_IN_FLIGHT_PER_ACCOUNT} test webhooks of this account are in progress. Wait for their responses`,
      );
    inFlight.set(scope.account_id, running + 1);
    try {
      const eventId = newId('evt', now, randomBytes(ID_RANDOM_BYTES));
      const body = Buffer.from(JSON.stringify(testPayload(target, eventId, now)));
      const signed = signatureHeaders({
        eventId,
        body,
        keys: signingSecrets(target, now).map(signingKeys),
        now,
      });
      const trace = beginTrace(eventId, { isStored: false });
      const { outcome, durationMs, error, excerpt, detail } = await webhooks.post(
        target.webhook_url,
        {
          'content-type': 'application/json',
          'user-agent': `Inlet/${VERSION}`,
          traceparent: trace.traceparent,
          ...signed,
        },
        body,
      );
      const accountId = scope.account_id;
      trace.attempted({
        accountId,
        addressId,
        url: target.webhook_url,
        attempt: 1,
        startedAt: now,
        durationMs,
        outcome,
      });
      log.info('webhook.tested', {
        event_id: eventId,
        trace_id: trace.traceId,
        addressId,
        accountId,
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
      };
    } finally {
      const left = (inFlight.get(scope.account_id) ?? 1) - 1;
      if (left > 0) inFlight.set(scope.account_id, left);
      else inFlight.delete(scope.account_id);
    }
  };
}

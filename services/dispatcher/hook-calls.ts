/** Calls deciding hooks for gateways (D61): a signed POST, as for webhooks, with a key of its own (D311). */
import type { WebhookResult, Webhooks } from '../adapters/http/webhook.ts';
import type { CallHook } from '../adapters/messages/hook-calls.ts';
import type { Tracing } from '../adapters/tracing/span.ts';
import type { Directory } from '../platform/address-directory.ts';
import type { WebhookTarget } from '../core/address/address.ts';
import { ANSWER_MAX_BYTES, type HookResponse } from '../core/decision/hook-answer.ts';
import { questionId } from '../core/id/ids.ts';
import { mailTrace, traceparent } from '../core/id/trace-context.ts';
import { postSigned } from './attempt/signed-post.ts';
import type { KeysOf } from './attempt/target-keys.ts';

/** Gateways limit what they ask; this bounds what all of them together ask of one dispatcher. */
const CALLS_MAX = 512;

type HookCallDependencies = {
  /** By address: its secrets sign. */
  targets: Pick<Directory<WebhookTarget>, 'get'>;
  webhooks: Pick<Webhooks, 'post'>;
  /** The keys that sign questions. */
  keysOf: KeysOf;
  tracing: Pick<Tracing, 'isSampled'> | undefined;
};

export function createCallHook(
  { targets, webhooks, keysOf, tracing }: HookCallDependencies,
  userAgent: string,
  clock: () => Date,
): CallHook {
  let inFlight = 0;

  const post: CallHook = async ({ url, event_id: eventId, address_id, timeout_ms }, payload) => {
    const target = await targets.get(address_id);
    if (target === undefined) return noResponse('the address no longer exists');
    const { traceId, acceptSpanId } = mailTrace(eventId);
    const result = await postSigned(
      [payload],
      {
        eventId: questionId(eventId),
        attempt: { retryCount: 0 },
        url,
        userAgent,
        keys: keysOf(target),
        traceparent: traceparent(traceId, acceptSpanId, tracing?.isSampled(traceId) ?? false),
        timeoutMs: timeout_ms,
        excerptBytes: ANSWER_MAX_BYTES + 1, // a longer answer is not JSON
      },
      webhooks,
      clock(),
      () => undefined,
    );
    return responseOf(result);
  };

  return async function callHook(call, payload) {
    if (inFlight >= CALLS_MAX) return noResponse('too many hooks are called');
    inFlight++;
    try {
      return await post(call, payload);
    } catch {
      // MongoDB is away, or a key is missing: the hook is not to blame
      return { ...noResponse('the secrets of the address could not be read'), wasNotCalled: true };
    } finally {
      inFlight--;
    }
  };
}

const noResponse = (error: string): HookResponse => ({
  status: null,
  body: null,
  error,
  durationMs: 0,
});

const responseOf = ({ outcome, excerpt, error, durationMs }: WebhookResult): HookResponse => ({
  status: 'status' in outcome ? outcome.status : null,
  body: excerpt,
  error,
  durationMs,
});

/** One signed POST of the exact bytes. */
import { setImmediate as yieldToEvents } from 'node:timers/promises';

import type { PostOptions, WebhookResult, Webhooks } from '../adapters/http/webhook.ts';
import { type AttemptFacts, piecesOfAttempt, slicesOf } from '../core/webhook/payload-bytes.ts';
import { type SigningKeys, startSigning } from '../core/webhook/signature.ts';

/** A webhook without its payload. */
export type Post = {
  eventId: string;
  attempt: AttemptFacts;
  url: string;
  userAgent: string;
  keys: readonly SigningKeys[];
  traceparent: string;
  /** What this receiver gets besides. */
  headers?: Readonly<Record<string, string>>;
} & PostOptions;

/** Hashed and encrypted without a break; between slices the event loop runs. */
const SLICE_BYTES = 128 * 1024;

/**
 * @param payload as the first attempt sends it, in pieces
 * @param onCall called when the request starts: from then on the time is the receiver's
 */
export async function postSigned(
  payload: readonly Uint8Array[],
  { eventId, attempt, url, userAgent, keys, traceparent, headers, ...options }: Post,
  webhooks: Pick<Webhooks, 'post'>,
  now: Date,
  onCall: () => void,
): Promise<WebhookResult> {
  const body = [...slicesOf(piecesOfAttempt(payload, attempt), SLICE_BYTES)];
  const signing = startSigning({ eventId, keys, now });
  for (const [index, piece] of body.entries()) {
    if (index > 0) await yieldToEvents();
    signing.update(piece);
  }
  const signatures = await signing.headers();
  onCall();
  return webhooks.post(
    url,
    {
      'content-type': 'application/json',
      'user-agent': userAgent,
      traceparent,
      ...headers,
      ...signatures,
    },
    body,
    options,
  );
}

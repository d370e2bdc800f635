/** One signed POST of the exact bytes. */
import { setImmediate as yieldToEvents } from 'node:timers/promises';

import type { PostOptions, WebhookResult, Webhooks } from '../../adapters/http/webhook.ts';
import type { WebhookFormat } from '../../core/receiver/webhook-format.ts';
import { attemptBody } from '../../core/webhook/formats/attempt-body.ts';
import { slicesOfBody } from '../../core/webhook/formats/body.ts';
import type { AttemptFacts } from '../../core/webhook/payload-bytes.ts';
import { type SigningKeys, startSigning } from '../../core/webhook/signature.ts';

/** A webhook without its payload. */
export type Post = {
  eventId: string;
  /** Absent for `inlet`. */
  format?: WebhookFormat | undefined;
  /** Only for the format `raw`: see {@link attemptBody}. */
  recipient?: string | undefined;
  attempt: AttemptFacts;
  url: string;
  userAgent: string;
  keys: readonly SigningKeys[];
  traceparent: string;
  /** What this receiver gets in addition. */
  headers?: Readonly<Record<string, string>>;
} & PostOptions;

/** Hashed and encrypted without a break; between slices the event loop runs. */
const SLICE_BYTES = 128 * 1024;

/**
 * @param stored the payload as the first attempt sends it, in pieces; for `raw`, the email
 * @param onCall called when the request starts: from then on the time is the receiver's
 */
export async function postSigned(
  stored: readonly Uint8Array[],
  {
    eventId,
    format,
    recipient,
    attempt,
    url,
    userAgent,
    keys,
    traceparent,
    headers,
    ...options
  }: Post,
  webhooks: Pick<Webhooks, 'post'>,
  now: Date,
  onCall: () => void,
): Promise<WebhookResult> {
  const written = attemptBody(stored, { format, recipient, attempt, keys, now });
  const body = [...slicesOfBody(written.pieces, SLICE_BYTES)];
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
      'content-type': written.contentType,
      'user-agent': userAgent,
      traceparent,
      ...headers,
      ...signatures,
    },
    body,
    options,
  );
}

/** One signed POST of the exact bytes. */
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { WebhookResult, Webhooks } from '../adapters/http/webhook.ts';
import { piecesWithRetryCount } from '../core/mail/payload.ts';
import { slicesOf } from '../core/mail/payload-bytes.ts';
import { type SigningKeys, startSigning } from '../core/delivery/signature.ts';

/** What is to be posted, but for the payload. */
export type Post = {
  eventId: string;
  /** Attempts before this one. */ retryCount: number;
  url: string;
  userAgent: string;
  keys: readonly SigningKeys[];
};

/** Hashed, and encrypted, between two turns of the event loop. */
const SLICE_BYTES = 128 * 1024;

/** @param payload as the first attempt sends it, in pieces, @param called is told when all that follows is the receiver's time */
export async function postSigned(
  payload: readonly Uint8Array[],
  { eventId, retryCount, url, userAgent, keys }: Post,
  webhooks: Pick<Webhooks, 'post'>,
  now: Date,
  called: () => void,
): Promise<WebhookResult> {
  const body = [...slicesOf(piecesWithRetryCount(payload, retryCount), SLICE_BYTES)];
  const signing = startSigning({ eventId, keys, now });
  for (const [index, piece] of body.entries()) {
    if (index > 0) await nextTurn();
    signing.update(piece);
  }
  called();
  return webhooks.post(
    url,
    { 'content-type': 'application/json', 'user-agent': userAgent, ...signing.headers() },
    body,
  );
}

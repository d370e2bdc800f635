/** Runs in the thread that posts large payloads. Each export is a job for large-posts.ts. */
import type { MessagePort } from 'node:worker_threads';

import type { NatsOptions } from '../adapters/stream/connection.ts';
import { ownBuckets } from '../adapters/stream/thread-connection.ts';
import { threadData } from '../adapters/process/thread.ts';
import {
  createWebhooks,
  type WebhookResult,
  type WebhookOptions,
} from '../adapters/http/webhook.ts';
import { type Post, postSigned } from './signed-post.ts';

export type LargePostOptions = { nats: NatsOptions; webhooks: Omit<WebhookOptions, 'lookup'> };

const options = threadData as LargePostOptions;
const buckets = ownBuckets(options.nats);
const webhooks = createWebhooks(options.webhooks);

/** @param called gets a message when the request starts. Resolves with undefined without a payload. */
export async function post({
  called,
  ...request
}: Post & { called: MessagePort }): Promise<WebhookResult | undefined> {
  const payload = await (await buckets()).bodies.pieces(request.eventId);
  return (
    payload &&
    (await postSigned(payload, request, webhooks, new Date(), () => called.postMessage(null, [])))
  );
}

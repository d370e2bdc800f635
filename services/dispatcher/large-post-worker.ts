/** What runs in the thread that posts large payloads: each export is a job. See large-posts.ts. */
import {
  createWebhooks,
  type WebhookResult,
  type WebhookOptions,
} from '../adapters/http/webhook.ts';
import { threadData } from '../adapters/process/thread.ts';
import { createBodies } from '../adapters/stream/bodies.ts';
import type { NatsOptions } from '../adapters/stream/connection.ts';
import { threadStreams } from '../adapters/stream/thread-connection.ts';
import { type Post, postSigned } from './signed-post.ts';

export type LargePostOptions = { nats: NatsOptions; webhooks: Omit<WebhookOptions, 'lookup'> };

const options = threadData as LargePostOptions;
const streams = threadStreams(options.nats);
const webhooks = createWebhooks(options.webhooks);

/**
 * @param report is called when the receiver is called; resolves with undefined when the payload is
 * no longer stored
 */
export async function post(
  request: Post,
  report: (value: unknown) => void,
): Promise<WebhookResult | undefined> {
  const { bodies } = await streams();
  const payload = await createBodies(bodies).pieces(request.eventId);
  return (
    payload && (await postSigned(payload, request, webhooks, new Date(), () => report(undefined)))
  );
}

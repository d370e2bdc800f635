/** What runs in the thread that posts large payloads: each export is a job. See large-posts.ts. */
import type { AgentOptions } from '../../adapters/http/agents.ts';
import { createWebhooks, type WebhookResult } from '../../adapters/http/webhook.ts';
import { serveJobs, threadData } from '../../adapters/threads/serve-jobs.ts';
import type { NatsOptions } from '../../adapters/stream/connection/connection.ts';
import { openObject } from '../../adapters/stream/objects/object-reader.ts';
import type { KeyOf } from '../../adapters/stream/objects/sealed-content.ts';
import { threadStreams } from '../../adapters/stream/thread-connection.ts';
import type { ContentKeys } from '../../core/secret/content-key.ts';
import { recipientIn } from '../../core/webhook/formats/stored-payload.ts';
import { type Post, postSigned } from './signed-post.ts';
import { type Fault, orFault } from '../outcome/thread-faults.ts';

export type LargePostOptions = { nats: NatsOptions; webhooks: Omit<AgentOptions, 'lookup'> };

/** `contentKeys`: decrypt what is stored, if that is encrypted. */
export type LargePost = Post & { contentKeys?: ContentKeys | undefined };
type LargePostRequest = LargePost & { clockAheadMs: number };

const options = threadData as LargePostOptions;
const streams = threadStreams(options.nats);
const webhooks = createWebhooks(options.webhooks);

/**
 * @param request `clockAheadMs`: the time of the main thread minus this thread's own clock (D166)
 * @param report is called when the receiver is called; resolves with undefined when the payload is
 * no longer stored
 */
export const post = (
  request: LargePostRequest,
  report: (value: unknown) => void,
): Promise<WebhookResult | undefined | Fault> => orFault(postStored(request, report));

async function postStored(
  { clockAheadMs, contentKeys, ...request }: LargePostRequest,
  report: (value: unknown) => void,
): Promise<WebhookResult | undefined> {
  const { manager, bodies, linked } = await streams();
  const keyOf: KeyOf = () => contentKeys;
  const isRaw = request.format === 'raw';
  // Each chunk is a request with a timeout: a consumer would wait forever if its server died.
  const stored = await openObject(manager, isRaw ? linked : bodies, request.eventId, keyOf);
  if (stored === undefined) return undefined;
  const recipient =
    request.recipient ?? (isRaw ? await storedRecipient(request.eventId, keyOf) : undefined);
  const pieces = await Array.fromAsync(stored.chunks);
  const now = new Date(Date.now() + clockAheadMs);
  return postSigned(pieces, { ...request, recipient }, webhooks, now, () => report(undefined));
}

/** The recipient that the payload in the bucket names. */
async function storedRecipient(eventId: string, keyOf: KeyOf): Promise<string | undefined> {
  const { manager, bodies } = await streams();
  const payload = await openObject(manager, bodies, eventId, keyOf);
  for await (const beginning of payload?.chunks ?? []) return recipientIn(beginning);
  return undefined;
}

serveJobs({ post });

/**
 * A worker thread reads, signs and posts what is in object buckets: large payloads, and the emails of
 * receivers with the format `raw`. In the main thread they would delay all other deliveries.
 */
import type { WebhookResult } from '../../adapters/http/webhook.ts';
import { createThread } from '../../adapters/threads/thread.ts';
import type * as jobs from './large-post-worker.ts';
import { unlessFault } from '../outcome/thread-faults.ts';

export type LargePosts = AsyncDisposable & {
  /**
   * @param onCall runs when the receiver is called; resolves with undefined when the payload, or the
   * email, is not stored
   */
  post(post: jobs.LargePost, onCall: () => void): Promise<WebhookResult | undefined>;
};

export function createLargePosts(
  options: jobs.LargePostOptions,
  clock: () => Date = () => new Date(),
): LargePosts {
  const file = new URL('large-post-worker.ts', import.meta.url);
  const thread = createThread<typeof jobs>(file, options);
  return {
    post: (post, onCall) => {
      const clockAheadMs = clock().getTime() - Date.now();
      return unlessFault(thread.run('post', { ...post, clockAheadMs }, { onReport: onCall }));
    },
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  };
}

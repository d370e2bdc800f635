/** A thread reads, signs and posts the payloads in the bucket, which would block the event loop. */
import { MessageChannel } from 'node:worker_threads';

import { createThread } from '../adapters/process/thread.ts';
import type { WebhookResult } from '../adapters/http/webhook.ts';
import type * as jobs from './large-post-worker.ts';
import type { Post } from './signed-post.ts';

export type LargePosts = AsyncDisposable & {
  /**
   * Resolves with undefined when the payload is no longer stored.
   * @param called called when the request starts: from then on the time is the receiver's
   */
  post(post: Post, called: () => void): Promise<WebhookResult | undefined>;
};

export function createLargePosts(options: jobs.LargePostOptions): LargePosts {
  const thread = createThread<typeof jobs>(
    new URL('large-post-worker.ts', import.meta.url),
    options,
  );
  return {
    post: async (post, called) => {
      const { port1: here, port2: there } = new MessageChannel();
      here.once('message', called);
      try {
        return await thread.run('post', { ...post, called: there }, [there]);
      } finally {
        here.off('message', called).close(); // a late message would count a call that has ended
      }
    },
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  };
}

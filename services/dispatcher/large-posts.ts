/** Payloads that lie in the bucket are read, signed and posted by a thread of their own: they would hold up the loop that delivers all others. */
import { MessageChannel } from 'node:worker_threads';

import { createThread } from '../adapters/process/thread.ts';
import type { WebhookResult } from '../adapters/http/webhook.ts';
import type * as jobs from './large-post-worker.ts';
import type { Post } from './signed-post.ts';

export type LargePosts = AsyncDisposable & {
  /** @param called is told when all that follows is the receiver's time; resolves with undefined when the payload is gone */
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
        here.off('message', called).close(); // too late it would count a call that has ended
      }
    },
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  };
}

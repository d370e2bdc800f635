/** Stores large payloads from a thread of its own: hashing and sending them would hold up the loop that serves all connections. */
import { JetStreamApiError } from '@nats-io/jetstream';

import type { Bodies } from './bodies.ts';
import type * as jobs from './body-worker.ts';
import type { NatsOptions } from './connection.ts';
import { createThread } from '../process/thread.ts';

type Bucket = jobs.Put['bucket'];

export type BodyThread = AsyncDisposable & Record<Bucket, Pick<Bodies, 'put'>>;

export function createBodyThread(options: NatsOptions): BodyThread {
  const thread = createThread<typeof jobs>(new URL('body-worker.ts', import.meta.url), options);
  const into = (bucket: Bucket): Pick<Bodies, 'put'> => ({
    put: async (eventId, pieces) => {
      const refused = await thread.run('put', { bucket, eventId, pieces });
      if (refused) throw new JetStreamApiError(refused);
    },
  });
  return {
    bodies: into('bodies'),
    rawMails: into('rawMails'),
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  };
}

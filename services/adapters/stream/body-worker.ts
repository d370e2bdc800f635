/** What runs in the thread that stores large payloads: each export is a job. See body-thread.ts. */
import { JetStreamApiError } from '@nats-io/jetstream';

import type { PayloadPiece } from '../../core/mail/payload-bytes.ts';
import type { NatsOptions } from './connection.ts';
import { type OwnBuckets, ownBuckets } from './thread-connection.ts';
import { threadData } from '../process/thread.ts';

/** Pieces in memory that the threads share are not copied. */
export type Put = { bucket: keyof OwnBuckets; eventId: string; pieces: readonly PayloadPiece[] };
/** What JetStream has against it. */
type PutRefused = ConstructorParameters<typeof JetStreamApiError>[0];

const buckets = ownBuckets(threadData as NatsOptions);

export async function put({ bucket, eventId, pieces }: Put): Promise<PutRefused | undefined> {
  try {
    await (await buckets())[bucket].put(eventId, pieces);
    return undefined;
  } catch (error) {
    if (error instanceof JetStreamApiError) return error.apiError(); // between threads it would lose its class
    throw error;
  }
}

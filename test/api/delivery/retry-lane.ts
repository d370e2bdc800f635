/** What is in the RETRY lane of a system that runs in this process. */
import { jetstreamManager } from '@nats-io/jetstream';

import {
  DISPATCHER_CONSUMER,
  retryStream,
} from '../../../services/adapters/stream/events/streams.ts';
import type { InProcess } from '../../support/start-in-process.ts';

/** Messages in the RETRY lane, and those that its consumers will deliver again. */
export async function retryLane({ pipeline }: InProcess, eventId = '*') {
  const manager = await jetstreamManager(pipeline.nats.connection);
  const found = { messages: 0, awaited: 0 };
  for (const partition of [0, 1]) {
    const stream = retryStream(partition);
    const filter = { subjects_filter: `*.*.*.*.${eventId}` };
    const { state } = await manager.streams.info(stream, filter);
    found.messages += Object.keys(state.subjects ?? {}).length;
    found.awaited += (await manager.consumers.info(stream, DISPATCHER_CONSUMER)).num_ack_pending;
  }
  return found;
}

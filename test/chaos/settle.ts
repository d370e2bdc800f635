/**
 * Waits after the faults until every email has reached its end, or until nothing changes any more.
 * An audit before that would count emails in flight as lost.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';

import { onceJetStreamAnswers } from '../../services/adapters/stream/connection/outage.ts';
import {
  DISPATCHER_CONSUMER,
  existingPartitions,
  mailStream,
  retryStream,
} from '../../services/adapters/stream/events/streams.ts';
import type { Field } from './field.ts';

export type Settled = {
  /** Messages that no dispatcher has settled. */
  onStreams: number;
  /** Records with a final status. */
  final: number;
  /** Time since the faults. */
  ms: number;
  isComplete: boolean;
};

const POLL_MS = 500;
/** Longer than each delay of a retry, a NAK, an acknowledgment wait and an election. */
export const UNCHANGED_MS = 60_000;
const WITHIN_MS = 1_500_000;
const REPORT_MS = 15_000;

/**
 * @param accepted emails that must have a final record
 * @param unchangedMs after this time without a change, it waits no longer
 */
export async function settle(
  { nats, mongo }: Pick<Field, 'nats' | 'mongo'>,
  accepted: number,
  report: (line: string) => void,
  unchangedMs = UNCHANGED_MS,
): Promise<Settled> {
  const startedMs = Date.now();
  const manager = await jetstreamManager(nats.connection);
  const records = mongo.db.collection('deliveries');
  let seen = '';
  let changedMs = startedMs;
  let reportedMs = startedMs;
  for (; ; await sleep(POLL_MS)) {
    const onStreams = await onceJetStreamAnswers(() => unsettled(manager));
    const final = await records.countDocuments({ status: { $in: ['delivered', 'failed'] } });
    const now = Date.now();
    const result = { onStreams, final, ms: now - startedMs };
    if (final >= accepted && onStreams === 0) return { ...result, isComplete: true };
    if (seen !== `${onStreams} ${final}`) {
      seen = `${onStreams} ${final}`;
      changedMs = now;
    }
    if (now - changedMs > unchangedMs || now - startedMs > WITHIN_MS)
      return { ...result, isComplete: false };
    if (now - reportedMs < REPORT_MS) continue;
    reportedMs = now;
    report(`${onStreams} messages on the streams, ${final} of ${accepted} records final`);
  }
}

async function unsettled(manager: JetStreamManager): Promise<number> {
  let messages = 0;
  for (const partition of await existingPartitions(manager)) {
    const { num_pending, num_ack_pending } = await manager.consumers.info(
      mailStream(partition),
      DISPATCHER_CONSUMER,
    );
    const { state } = await manager.streams.info(retryStream(partition));
    messages += num_pending + num_ack_pending + state.messages;
  }
  return messages;
}

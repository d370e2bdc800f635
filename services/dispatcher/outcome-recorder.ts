/**
 * Writes outcomes, and emails without one, to MongoDB in batches. While MongoDB is down they wait
 * here, and their emails stay unacknowledged on the stream.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import type { Deliveries, DeliveryChange } from '../adapters/mongo/deliveries.ts';
import type { Log } from '../adapters/process/log.ts';
import { createBatching } from './batching.ts';

const MAX_BATCH = 500;
/** A batch costs six commands, however large. Only a slot waits for it. */
const LINGER_MS = 150;
/** A third of the slots: the others continue meanwhile. */
const ENOUGH_CHANGES = 80;
const RETRY_MS = 500;

/** Resolves once the change is written. @throws only after `giveUp` was aborted */
export type RecordOutcome = (change: DeliveryChange) => Promise<void>;

export function createOutcomeRecorder(
  deliveries: Pick<Deliveries, 'record'>,
  clock: () => Date,
  recorded: (durationMs: number) => void,
  giveUp: AbortSignal,
  log: Log,
): RecordOutcome {
  return createBatching<DeliveryChange, void>(
    async (changes) => {
      const needed = withoutRepeats(changes);
      for (;;) {
        const startedAt = performance.now();
        try {
          await deliveries.record(needed, clock());
          recorded(performance.now() - startedAt);
          return changes.map(() => undefined);
        } catch (cause) {
          if (giveUp.aborted) throw new Error('record outcomes', { cause });
          log.warn('outcomes.not_recorded', { outcomes: changes.length, error: cause });
          await sleep(RETRY_MS);
        }
      }
    },
    { maxItems: MAX_BATCH, lingerMs: LINGER_MS, enoughItems: ENOUGH_CHANGES },
  );
}

/** Of the changes that one event has in a batch, an attempt makes those without one superfluous. */
function withoutRepeats(changes: readonly DeliveryChange[]): DeliveryChange[] {
  const withAttempt = changes.filter(({ attempt }) => attempt !== undefined);
  const written = new Set(withAttempt.map(({ event }) => event.event_id));
  const waiting = changes.filter(({ attempt, event: { event_id } }) => {
    if (attempt !== undefined || written.has(event_id)) return false;
    written.add(event_id);
    return true;
  });
  return [...withAttempt, ...waiting];
}

/** The email has no attempt yet: its record shows that it is pending (D34). */
export const asPending = ({
  event,
  storedAt,
}: Pick<DeliveryChange, 'event' | 'storedAt'>): DeliveryChange => ({
  event,
  storedAt,
  attempt: undefined,
  status: 'pending',
  nextAttemptAt: null,
});

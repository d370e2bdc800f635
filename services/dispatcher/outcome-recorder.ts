/**
 * Writes outcomes to MongoDB in batches. While MongoDB is down they wait here, and their emails
 * stay unacknowledged on the stream.
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
      for (;;) {
        const startedAt = performance.now();
        try {
          await deliveries.record(changes, clock());
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

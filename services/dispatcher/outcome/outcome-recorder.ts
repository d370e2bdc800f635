/**
 * Writes outcomes, and emails without one, to MongoDB in batches. While MongoDB is down they wait
 * here, and their emails stay unacknowledged on the stream. An outcome that MongoDB refuses delays
 * no other.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { isAnswer, isTemporary } from '../../adapters/mongo/database/errors.ts';
import type { Deliveries } from '../../adapters/mongo/delivery/deliveries.ts';
import { createInterruptionLog } from '../../adapters/process/interruption-log.ts';
import type { Log } from '../../adapters/process/log.ts';
import { createBatches } from '../../adapters/async/batches.ts';
import type { QueuedMail } from '../../adapters/stream/pull.ts';
import { type DeliveryState, revisionOf } from '../../core/delivery/delivery.ts';
import type { DispatchEvent, Settlement } from '../../core/delivery/delivery-event.ts';

/**
 * A batch costs six commands, however large: 80 outcomes take 57 µs each of a dispatcher's CPU, 200
 * take 40. More would delay other emails: the process does nothing else for 5 ms to write so many.
 * A crash repeats the attempts that have no record.
 */
const MAX_BATCH = 200;
/** No slot waits for it. */
const LINGER_MS = 150;
const RETRY_MS = 500;
/**
 * After so many tries, a batch of several is halved until what fails alone waits apart: then it
 * delays no other, even if its error is one that Inlet does not know.
 */
const TRIES_TOGETHER = 20;
/** Longer than a write that finds no MongoDB. */
const QUIET_MS = 10_000;

/**
 * Resolves once the event is written, with what becomes of its message. Undefined for an email that is to
 * be attempted, and when MongoDB refuses the outcome of an attempt, or that an email waits, for good.
 * @throws when MongoDB refuses another end of an email, or after `giveUp` was aborted
 */
export type RecordOutcome = (event: DispatchEvent) => Promise<Settlement | undefined>;

/** With the error of a change that MongoDB refuses. */
type Written = { refusal?: unknown };
/** A change that fails alone is written later than those of its batch. */
type Writing = { written: Promise<Written> };

export function createOutcomeRecorder(
  deliveries: Pick<Deliveries, 'record'>,
  clock: () => Date,
  metrics: { recorded(durationMs: number): void; refused(): void },
  giveUp: AbortSignal,
  log: Log,
): RecordOutcome {
  const interruptions = createInterruptionLog(log, { quietMs: QUIET_MS });
  giveUp.addEventListener('abort', () => interruptions[Symbol.dispose]());
  const settlements = new WeakMap<DispatchEvent, Settlement>();

  /** @throws when MongoDB refuses the changes, or has answered with other errors `maxTries` times */
  const writeTogether = async (changes: readonly DispatchEvent[], maxTries: number) => {
    for (let answers = 0; ;) {
      const startedAt = performance.now();
      try {
        const byId = await deliveries.record(changes, clock());
        for (const change of changes) {
          const settlement = byId.get(change.mail.event_id);
          if (settlement) settlements.set(change, settlement);
        }
        return metrics.recorded(performance.now() - startedAt);
      } catch (error) {
        if (giveUp.aborted) throw new Error('record outcomes', { cause: error });
        if (!isTemporary(error)) throw error;
        interruptions.report('warn', 'outcomes.not_recorded', { outcomes: changes.length, error });
        if (isAnswer(error) && ++answers >= maxTries) throw error;
        await sleep(RETRY_MS);
      }
    }
  };

  const writeApart = (change: DispatchEvent): Promise<Written> => {
    const written = writeTogether([change], Infinity).then(
      () => ({}),
      (refusal: unknown) => {
        if (giveUp.aborted) throw refusal;
        return { refusal };
      },
    );
    written.catch(() => undefined); // its email awaits it when the rest of its batch is written
    return written;
  };

  /** Halves a batch that MongoDB refuses, until the changes are found that fail alone. */
  const write = async (
    changes: readonly DispatchEvent[],
    maxTries = TRIES_TOGETHER,
  ): Promise<[DispatchEvent, Writing][]> => {
    const every = (written: Promise<Written>): [DispatchEvent, Writing][] =>
      changes.map((change) => [change, { written }]);
    try {
      await writeTogether(changes, maxTries);
      return every(Promise.resolve({}));
    } catch (refusal) {
      if (giveUp.aborted) throw refusal;
      const [change, ...others] = changes;
      if (change === undefined) return [];
      if (others.length === 0)
        return every(isTemporary(refusal) ? writeApart(change) : Promise.resolve({ refusal }));
    }
    const half = Math.ceil(changes.length / 2);
    const first = await write(changes.slice(0, half), 1);
    return [...first, ...(await write(changes.slice(half), 1))];
  };

  const writingOf = createBatches<DispatchEvent, Writing | undefined>(
    async (changes) => {
      const writing = new Map<DispatchEvent, Writing>();
      for (const round of inRounds(withoutWaits(changes)))
        for (const [change, its] of await write(round)) writing.set(change, its);
      const ofEmail = new Map<string, Settlement>();
      for (const change of changes) {
        const settlement = settlements.get(change);
        if (settlement) ofEmail.set(change.mail.event_id, settlement);
      }
      for (const change of changes) {
        const settlement = ofEmail.get(change.mail.event_id);
        if (settlement && !writing.has(change)) settlements.set(change, settlement);
      }
      return changes.map((change) => writing.get(change));
    },
    { max: MAX_BATCH, lingerMs: LINGER_MS },
  );
  return async function recordOutcome(change) {
    const result = await (await writingOf(change))?.written;
    if (result === undefined || !('refusal' in result)) return settlements.get(change);
    if (!isOutcome(change)) return undefined; // its attempt says so
    if (change.kind !== 'attempted') throw new Error('record the email', { cause: result.refusal });
    metrics.refused();
    log.error('outcome.refused', { event_id: change.mail.event_id, error: result.refusal });
    return undefined;
  };
}

/** Without waits of events that have an outcome, or another wait. */
function withoutWaits(changes: readonly DispatchEvent[]): DispatchEvent[] {
  const outcomes = changes.filter(isOutcome);
  const written = new Set(outcomes.map(({ mail }) => mail.event_id));
  const timedFirst = changes.toSorted(
    (one, other) => Number(one.kind === 'stored') - Number(other.kind === 'stored'),
  );
  const waiting = timedFirst.filter((one) => {
    const { event_id } = one.mail;
    if (isOutcome(one) || written.has(event_id)) return false;
    written.add(event_id);
    return true;
  });
  return [...outcomes, ...waiting];
}

/**
 * Each event once in a round. After a lost acknowledgment, an event is in both lanes, so a batch
 * can have two attempts of it. The second must find the first recorded, or it is counted twice.
 */
function inRounds(changes: readonly DispatchEvent[]): DispatchEvent[][] {
  const rounds: DispatchEvent[][] = [];
  const written = new Map<string, number>();
  for (const change of changes) {
    const round = written.get(change.mail.event_id) ?? 0;
    written.set(change.mail.event_id, round + 1);
    (rounds[round] ??= []).push(change);
  }
  return rounds;
}

const WAITS = new Set<DispatchEvent['kind']>(['stored', 'delayed', 'kept']);
/** It says more than that the email waits. */
const isOutcome = ({ kind }: DispatchEvent): boolean => !WAITS.has(kind);

/** What each event of a message says: its email, and the record as its dispatcher read it. */
export const seenBy = (
  { event: mail, storedAt }: Pick<QueuedMail, 'event' | 'storedAt'>,
  found: Pick<DeliveryState, 'revision'> | undefined,
): Pick<DispatchEvent, 'mail' | 'storedAt' | 'revision'> => ({
  mail,
  storedAt,
  revision: revisionOf(found ?? {}),
});

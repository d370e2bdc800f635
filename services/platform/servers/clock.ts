/**
 * The clock of a service (D166). It asks MongoDB and NATS for their times, reports a difference, and
 * corrects its own time by MongoDB's.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import type { Log } from '../../adapters/process/log.ts';
import { ANY, type Meter } from '../../adapters/process/meter.ts';
import {
  bestReading,
  CLOCK_DIFFERS_MS,
  CLOCK_WRONG_MS,
  offsetMs,
  type Reading,
  readingOf,
  timeNow,
  withReading,
} from '../../core/servers/clocks.ts';

export type Clock = AsyncDisposable & {
  now: () => Date;
  /** How far this process's own clock is ahead of each server's, in seconds. */
  offsets: () => Record<string, number>;
  /** False when it is too far from a server's for certificates and signatures. */
  isUsable: () => boolean;
};

/** Resolves with the time of a server; with undefined when it does not tell it now. */
export type AskTime = () => Promise<Date | undefined>;

type Options = {
  /** For tests. */
  everyMs?: number;
  ownTime?: () => number;
};

const EVERY_MS = 10_000;
const FIRST_AGAIN_MS = 250;

/**
 * The first server is the one whose clock counts. This resolves when it has told its time: a process
 * that worked by its own clock until then could put emails to sleep for days.
 */
export async function startClock(
  servers: Readonly<Record<string, AskTime>>,
  meter: Meter,
  log: Log,
  { everyMs = EVERY_MS, ownTime = Date.now }: Options = {},
): Promise<Clock> {
  const readings = new Map<string, Reading[]>();
  const best = new Map<string, Reading | undefined>(); // `now` is called for each email several times
  const differing = new Set<string>();
  const [leading = ''] = Object.keys(servers);
  const offsetOf = (name: string): number | undefined => {
    const reading = best.get(name);
    return reading && offsetMs(reading, performance.now(), ownTime());
  };

  const report = (name: string): void => {
    const offset = offsetOf(name) ?? 0;
    const differs = Math.abs(offset) > CLOCK_DIFFERS_MS;
    if (differs === differing.has(name)) return;
    const facts = { server: name, ahead_s: Math.round(offset) / 1_000 };
    if (differs) log.warn('clock.differs', facts);
    else log.info('clock.agrees', facts);
    if (differs) differing.add(name);
    else differing.delete(name);
  };

  const ask = async (name: string, askTime: AskTime): Promise<void> => {
    const sentMs = performance.now();
    const theirs = await askTime().catch(() => undefined); // its connection is reported elsewhere
    if (theirs === undefined) return;
    const reading = readingOf(sentMs, performance.now(), theirs);
    const kept = withReading(readings.get(name) ?? [], reading);
    readings.set(name, kept);
    best.set(name, bestReading(kept));
    report(name);
  };

  let asking: Promise<unknown> | undefined;
  const askAll = (): void => {
    asking ??= Promise.all(Object.entries(servers).map(([name, of]) => ask(name, of))).finally(
      () => (asking = undefined),
    );
  };
  const [first] = Object.values(servers);
  for (; first && !readings.has(leading); await sleep(FIRST_AGAIN_MS)) await ask(leading, first);
  askAll();
  const timer = setInterval(askAll, everyMs);

  const offsets = (): Record<string, number> =>
    Object.fromEntries(
      Object.keys(servers).flatMap((name) => {
        const offset = offsetOf(name);
        return offset === undefined ? [] : [[name, Math.round(offset) / 1_000]];
      }),
    );
  registerClockGauge(meter, offsets);

  return {
    now: () => new Date(timeNow(best.get(leading), performance.now(), ownTime())),
    offsets,
    isUsable: () =>
      Object.keys(servers).every((name) => Math.abs(offsetOf(name) ?? 0) <= CLOCK_WRONG_MS),
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await asking;
    },
  };
}

export function registerClockGauge(
  { gauge }: Meter,
  offsets: () => Readonly<Record<string, number>>,
): void {
  gauge(
    'inlet_clock_offset_seconds',
    "how far this process's clock is ahead of a server's; absent until the server has told its time",
    { server: ANY },
    (set) => {
      for (const [server, seconds] of Object.entries(offsets())) set({ server }, seconds);
    },
  );
}

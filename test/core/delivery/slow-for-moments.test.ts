/** One address in simulated time: how late its emails are after its receiver was slow for a moment. */
import { expect, test } from 'vitest';

import {
  afterAttempt,
  decideStart,
  LATER_MAX_MS,
  mayRun,
  newPace,
  newPool,
  PATIENCE_MS,
  scheduleTime,
  withScheduled,
} from '../../../services/core/delivery/pacing.ts';

const CONCURRENCY = 10;
/** Of payloads so small that bytes do not matter. */
const EMAIL = { payloadBytes: 1, account: { failing: 0, bytes: 0 } };

type Receiver = (startedMs: number) => { durationMs: number; isFailure: boolean };

/**
 * @param arrivals times of new emails, in milliseconds
 * @returns when the last attempt ended, and how often an email returned from the RETRY lane
 */
function simulate(arrivals: readonly number[], receiver: Receiver, untilMs = Infinity) {
  const events: { at: number; run: (now: number) => void }[] = [];
  const on = (at: number, run: (now: number) => void) => events.push({ at, run });
  const pool = newPool(384, 1e9);
  const inFlight = new Set<{ at: number }>();
  let waiting: { since: number }[] = []; // in memory
  let pace = newPace(CONCURRENCY);
  let lastEndMs = 0;
  let wakes = 0;

  const oldestMs = (now: number) => now - Math.min(now, ...[...inFlight].map(({ at }) => at));
  const start = (startedMs: number) => {
    const call = { at: startedMs };
    inFlight.add(call);
    pace.running++;
    pool.attempts.used++;
    const attempt = receiver(startedMs);
    on(startedMs + attempt.durationMs, (now) => {
      inFlight.delete(call);
      pool.attempts.used--;
      pace = afterAttempt({ ...pace, running: pace.running - 1 }, attempt, CONCURRENCY, now);
      lastEndMs = now;
      while (waiting.length > 0 && mayRun(pace, pool, EMAIL)) {
        waiting.shift();
        start(now);
      }
    });
  };
  const sleepUntil = (at: number, now: number) => {
    pace = withScheduled(pace, at, now);
    on(at, (then) => {
      wakes++;
      arrive(then, true);
    });
  };
  const arrive = (now: number, wasScheduled: boolean) => {
    const facts = { ...EMAIL, wasScheduled, waiting: waiting.length, oldestMs: oldestMs(now) };
    const decision = decideStart(pace, pool, facts, now);
    if (decision.kind === 'now') return start(now);
    if (decision.kind === 'later') return sleepUntil(decision.at, now);
    const waiter = { since: now };
    waiting.push(waiter);
    on(now + PATIENCE_MS, (then) => {
      if (!waiting.includes(waiter)) return;
      waiting = waiting.filter((one) => one !== waiter);
      sleepUntil(scheduleTime(pace, oldestMs(then), then), then);
    });
  };

  for (const at of arrivals) on(at, (now) => arrive(now, false));
  while (events.length > 0) {
    const next = events.reduce((first, one) => (one.at < first.at ? one : first));
    if (next.at > untilMs) break;
    events.splice(events.indexOf(next), 1);
    next.run(next.at);
  }
  return { lastEndMs, wakes };
}

const hangs: Receiver = () => ({ durationMs: 30_000, isFailure: true });
const every = (ms: number, count: number) => Array.from({ length: count }, (_, i) => i * ms);

test.each([
  { slowMs: 1_500, seconds: 6 },
  { slowMs: 3_000, seconds: 6 },
  { slowMs: 700, seconds: 10 },
  { slowMs: 20_000, seconds: 40 },
])('500 emails, $slowMs ms each for $seconds s, then 20: late by about as long', (slow) => {
  const slowUntilMs = slow.seconds * 1_000;
  const { lastEndMs } = simulate(every(12, 500), (startedMs) => ({
    durationMs: startedMs < slowUntilMs ? slow.slowMs : 20,
    isFailure: false,
  }));
  expect(lastEndMs).toBeLessThan(3 * slowUntilMs + 3_000);
});

test('an email for a receiver that hangs returns every ten minutes, and few times more at first', () => {
  const { wakes } = simulate(every(1_000, 300), hangs, 4 * LATER_MAX_MS);
  expect(wakes / 300).toBeLessThan(4 + 2);
});

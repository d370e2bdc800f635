/** One address in simulated time: how late its emails are after its receiver was slow for a moment. */
import { expect, test } from 'vitest';

import {
  afterAttempt,
  decideStart,
  newClaim,
  MEMORY_WAIT_MS,
  schedule,
  SLEEP_MAX_MS,
  SLEEP_MIN_MS,
} from '../../../services/core/delivery/claim.ts';

const CONCURRENCY = 10;

type Receiver = (startedMs: number) => { durationMs: number; isFailure: boolean };

/**
 * @param arrivals times of new emails, in milliseconds
 * @returns when the last attempt ended, and how often an email returned from the RETRY lane
 */
function simulate(arrivals: readonly number[], receiver: Receiver, untilMs = Infinity) {
  const events: { at: number; run: (now: number) => void }[] = [];
  const on = (at: number, run: (now: number) => void) => events.push({ at, run });
  let waiting: { since: number }[] = []; // in memory
  let claim = newClaim(CONCURRENCY);
  let lastEndMs = 0;
  let wakes = 0;

  const mayRun = () => claim.held < Math.floor(claim.limit);
  const start = (startedAt: number) => {
    const request = { startedAt };
    claim.requests.add(request);
    claim.held++;
    const attempt = receiver(startedAt);
    on(startedAt + attempt.durationMs, (now) => {
      claim.requests.delete(request);
      claim = afterAttempt({ ...claim, held: claim.held - 1 }, attempt, CONCURRENCY, now);
      lastEndMs = now;
      while (waiting.length > 0 && mayRun()) {
        waiting.shift();
        start(now);
      }
    });
  };
  const sleep = (now: number) => {
    const scheduled = schedule(claim, SLEEP_MIN_MS.address, now);
    claim = scheduled.claim;
    on(scheduled.at, (then) => {
      wakes++;
      arrive(then, true);
    });
  };
  const arrive = (now: number, wasScheduled: boolean) => {
    const facts = { wasScheduled, waiting: waiting.length, mayRun: mayRun() };
    const decision = decideStart(claim, facts, now);
    if (decision === 'now') return start(now);
    if (decision === 'later') return sleep(now);
    const waiter = { since: now };
    waiting.push(waiter);
    on(now + MEMORY_WAIT_MS, (then) => {
      if (!waiting.includes(waiter)) return;
      waiting = waiting.filter((one) => one !== waiter);
      sleep(then);
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
  const { wakes } = simulate(every(1_000, 300), hangs, 4 * SLEEP_MAX_MS.ever);
  expect(wakes / 300).toBeLessThan(4 + 2);
});

/** An interruption that fails thousands of emails is a few log lines, with a count. */
import { expect, test, vi } from 'vitest';

import { createInterruptionLog } from '../../../services/adapters/process/interruption-log.ts';
import { createLog } from '../../../services/adapters/process/log.ts';

type Line = { level: string; event: string; event_id: string; error: string; repeated?: number };

/** A log under a fake clock. */
function setUp() {
  const lines: Line[] = [];
  const log = createLog('info', {}, { write: (line) => void lines.push(JSON.parse(line) as Line) });
  const interruptions = createInterruptionLog(log, { now: Date.now });
  const fail = (id: number, cause: Error = new RangeError(`no responders: mail.${id}`)) =>
    interruptions.report('error', 'mail.handed_back', {
      event_id: `evt_${id}`,
      error: new Error(`publish retry.${id}`, { cause }),
    });
  return { lines, fail, interruptions };
}

test('the first failure is logged in full, and a count follows when the interruption has ended', async () => {
  vi.useFakeTimers();
  try {
    const { lines, fail } = setUp();
    for (let id = 0; id < 3_000; id++) {
      expect(fail(id)).toBe(id === 0);
      if (id % 1_000 === 999) await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(lines).toMatchObject([
      {
        level: 'error',
        event: 'mail.handed_back',
        event_id: 'evt_0',
        error: 'publish retry.0: no responders: mail.0',
      },
    ]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatchObject({
      level: 'error',
      event: 'mail.handed_back',
      event_id: 'evt_2999',
      repeated: 2_999,
      seconds: 2,
    });
    fail(3_000);
    expect(lines).toHaveLength(3); // another interruption
  } finally {
    vi.useRealTimers();
  }
});

test('a long interruption is reported every minute, so that it is not forgotten', async () => {
  vi.useFakeTimers();
  try {
    const { lines, fail } = setUp();
    for (let second = 0; second < 150; second++) {
      fail(second);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    await vi.advanceTimersByTimeAsync(10_000);
    expect(lines.map(({ repeated }) => repeated ?? 0)).toEqual([0, 59, 60, 30]);
  } finally {
    vi.useRealTimers();
  }
});

test('another reason is another interruption, and a single failure has no count', async () => {
  vi.useFakeTimers();
  try {
    const { lines, fail } = setUp();
    fail(1);
    fail(2, Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }));
    fail(3, new TypeError('bug'));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(lines.map(({ event_id }) => event_id)).toEqual(['evt_1', 'evt_2', 'evt_3']);
  } finally {
    vi.useRealTimers();
  }
});

test('a process that stops reports what it has counted', () => {
  const { lines, fail, interruptions } = setUp();
  fail(1);
  fail(2);
  interruptions[Symbol.dispose]();
  expect(lines.map(({ repeated }) => repeated)).toEqual([undefined, 1]);
});

test('the first few are logged in full, kinds apart, and very many kinds are one', () => {
  const lines: { ip: number; repeated?: number }[] = [];
  const log = createLog('info', {}, { write: (line) => void lines.push(JSON.parse(line)) });
  const interruptions = createInterruptionLog(log, { inFull: 3 });
  const report = (ip: number, kind: number) =>
    interruptions.report('info', 'connection.ended', { ip }, `lost ${kind}`);
  for (let i = 0; i < 10; i++) report(i, 0);
  expect(lines.map(({ ip }) => ip)).toEqual([0, 1, 2]);
  lines.length = 0;
  for (let kind = 1; kind < 5_000; kind++) report(kind, kind);
  expect(lines).toHaveLength(999 + 3); // the other kinds are one
  lines.length = 0;
  interruptions[Symbol.dispose]();
  expect(lines.map(({ ip, repeated }) => [ip, repeated])).toEqual([
    [9, 7],
    [4_999, 3_997],
  ]);
});

/** A service compares its clock with those of servers (D166). */
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';

import { createLog } from '../../services/adapters/process/log.ts';
import { createMeter } from '../../services/adapters/process/meter.ts';
import { type AskTime, startClock } from '../../services/platform/servers/clock.ts';
import { until } from '../support/until.ts';

const DAY_MS = 86_400_000;

async function started(shiftMs: number, servers: Record<string, AskTime>) {
  const lines: Record<string, unknown>[] = [];
  const log = createLog(
    'info',
    {},
    { write: (line) => void lines.push(JSON.parse(line) as never) },
  );
  const registry = new Registry();
  const options = { everyMs: 20, ownTime: () => Date.now() + shiftMs };
  const clock = await startClock(servers, createMeter(registry), log, options);
  return { clock, lines, registry };
}

const right: AskTime = async () => new Date();
const late: AskTime = async () => new Date(Date.now() - DAY_MS);
const away: AskTime = async () => {
  throw new Error('away');
};

test.each([
  [3_000, true],
  [-DAY_MS, false],
  [DAY_MS, false],
  [-Date.now(), false],
])(
  'of a clock that is %i ms ahead, the time is corrected, and the difference reported',
  async (shiftMs, isUsable) => {
    const { clock, lines, registry } = await started(shiftMs, { mongodb: right, nats: right });
    await using _ = clock;
    expect(Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(1_000);
    await until('both servers', () => Object.keys(clock.offsets()).length === 2);
    expect(clock.isUsable()).toBe(isUsable);
    expect(clock.offsets().nats).toBeCloseTo(shiftMs / 1_000, -1);
    expect(await registry.metrics()).toMatch(/inlet_clock_offset_seconds\{server="nats"\} -?\d/);
    await until('a second round', () => clock.offsets().mongodb !== undefined);
    const reports = lines.filter(({ event }) => event === 'clock.differs');
    expect(new Set(reports.map(({ server }) => server))).toEqual(new Set(['mongodb', 'nats']));
    expect(reports).toHaveLength(2);
  },
);

test('a start waits until the first server has told its time', async () => {
  let requested = 0;
  const frozen: AskTime = async () => (++requested < 3 ? away() : new Date());
  await using clock = (await started(DAY_MS, { mongodb: frozen, nats: away })).clock;
  expect(Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(1_000);
});

test('a server that does not answer changes nothing; one that differs alone makes the service unusable', async () => {
  await using alone = (await started(0, { mongodb: right, nats: async () => undefined })).clock;
  expect(alone.offsets()).toEqual({ mongodb: expect.closeTo(0, 1) });
  expect(alone.isUsable()).toBe(true);
  await using split = (await started(0, { mongodb: right, nats: late })).clock;
  await until('NATS', () => split.offsets().nats !== undefined);
  expect(split.isUsable()).toBe(false);
  expect(Math.abs(split.now().getTime() - Date.now())).toBeLessThan(1_000); // MongoDB's counts
});

/** The storm reports a dispatcher that does not start, when it happens. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';

import type { ClusterNode } from '../support/nats-cluster.ts';
import { until } from '../support/until.ts';
import type { Chance } from './chance.ts';
import { createDispatcher, type Dispatcher } from './field.ts';
import { startStorm } from './storm.ts';

const STORM_MS = 3_000;
const nothing = () => Promise.resolve();
const crashed = () => Promise.reject(new Error('exited with 1'));

/** The shortest pauses, and always the first victim; no calamity. */
const chance: Chance = {
  next: () => 0.5,
  between: (low) => low,
  oneOf: ([first]) => {
    if (first === undefined) throw new Error('nothing to choose from');
    return first;
  },
  fork: () => chance,
};

const dispatcher = (start: () => Promise<void>): Dispatcher => ({
  name: 'dispatcher-1',
  kill: nothing,
  stop: nothing,
  start,
  failedStarts: () => 0,
});

const node = (start: () => Promise<void>): ClusterNode => ({
  name: 'n1',
  monitorUrl: '',
  pid: () => 1,
  isUp: () => true,
  kill: nothing,
  stop: nothing,
  start,
});

function storm(
  starts: { dispatcher: () => Promise<void>; node?: () => Promise<void> },
  startWithinMs: number,
) {
  const lines: string[] = [];
  const cluster = {
    url: '',
    nodes: [node(starts.node ?? nothing)],
    healthy: nothing,
    [Symbol.asyncDispose]: nothing,
  };
  const { over } = startStorm(
    {
      cluster,
      dispatchers: [dispatcher(starts.dispatcher)],
      disk: undefined,
      wipe: nothing,
      mongodPid: undefined,
      clocks: [],
      [Symbol.asyncDispose]: nothing,
    },
    chance,
    Date.now() + STORM_MS,
    () => startWithinMs,
    (line) => lines.push(line),
  );
  const faults = () => lines.filter((line) => line.startsWith('FAULT'));
  return { over, faults };
}

test('a late start is reported before it ends, once', async () => {
  let starts = 0;
  const { over, faults } = storm(
    {
      dispatcher: async () => {
        if (starts++ > 0) return;
        await until('the report', () => faults().length > 0);
        await sleep(1_000); // a second report would come now
      },
    },
    400,
  );
  const { lateStarts, longestStartMs } = await over;
  expect(lateStarts).toBe(1);
  expect(longestStartMs).toBeGreaterThan(400);
  expect(faults()).toEqual([
    expect.stringMatching(/^FAULT: dispatcher-1 did not start in \d+ ms with all nodes up$/),
  ]);
});

test('the time while a node is down does not count', async () => {
  let isNodeBack = false;
  let waitedMs = 0;
  const { over } = storm(
    {
      node: async () => {
        if (!isNodeBack) await sleep(4_000);
        isNodeBack = true;
      },
      dispatcher: async () => {
        const startedMs = Date.now();
        await until('the node', () => isNodeBack);
        waitedMs = Math.max(waitedMs, Date.now() - startedMs);
      },
    },
    30_000,
  );
  const { longestStartMs } = await over;
  expect(longestStartMs).toBeLessThan(waitedMs / 2);
});

test('a dispatcher that never starts ends the storm', async () => {
  const { over } = storm(
    { dispatcher: () => Promise.reject(new Error('dispatcher-1 did not run')) },
    30_000,
  );
  await expect(over).rejects.toThrow('dispatcher-1 did not run');
});

test('a start that crashes is reported, counted and repeated', async () => {
  const lines: string[] = [];
  const results = [crashed, crashed, () => Promise.resolve({ kill: nothing, stop: nothing })];
  const one = createDispatcher(
    'dispatcher-1',
    () => (results.shift() ?? crashed)(),
    (line) => lines.push(line),
  );
  await one.start();
  expect(one.failedStarts()).toBe(2);
  expect(lines).toEqual(Array(2).fill('FAULT: dispatcher-1 did not start: exited with 1'));
});

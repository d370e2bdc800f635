/** What was at its limit: one row for each sign, and what comes first of two. */
import { describe, expect, test } from 'vitest';

import { type LimitName, LIMITS, limitOf } from '../../../services/core/bench/limit.ts';
import { percentile, percentilesOf, type StepFacts } from '../../../services/core/bench/step.ts';

const RECEIVING = { accept: 8, recipient: 0.5, authentication: 1, content: 2, store: 4 };
const GATEWAY = {
  pods: 2,
  cpuPerThousand: 1,
  busiestCores: 0.3,
  limitCores: null,
  meanMs: RECEIVING,
};
const DISPATCHER = {
  pods: 2,
  cpuPerThousand: 0.8,
  busiestCores: 0.2,
  limitCores: null,
  meanMs: { attempt: 3, record: 8 },
  delayed: 0,
};
/** A step that reaches its rate. */
const REACHED: StepFacts = {
  askedPerSecond: 200,
  acceptedPerSecond: 199,
  deliveredPerSecond: 199,
  accepted: 12_000,
  refusals: {},
  missing: 0,
  replyMs: { p50: 6, p99: 30 },
  webhookMs: { p50: 9, p99: 50 },
  sender: { cores: 0.2, busyShare: 0.2 },
  nodeBusyShare: 0.4,
  gateway: GATEWAY,
  dispatcher: DISPATCHER,
};
const SLOW_REPLIES = { acceptedPerSecond: 150, replyMs: { p50: 300, p99: 600 } };
const LATE_WEBHOOKS = { webhookMs: { p50: 4_000, p99: 9_000 } };
const gateway = (change: object) => ({ gateway: { ...GATEWAY, ...change } });
const times = (change: Partial<typeof RECEIVING>) =>
  gateway({ meanMs: { ...RECEIVING, accept: 300, ...change } });
const dispatcher = (change: object) => ({ dispatcher: { ...DISPATCHER, ...change } });

const TABLE: [sentence: string, limit: LimitName, because: RegExp, facts: Partial<StepFacts>][] = [
  ['the rate is reached', 'none', /reached/, {}],
  [
    'a component that is busy is no limit while nothing is late',
    'none',
    /reached/,
    { ...dispatcher({ busiestCores: 0.99 }), sender: { cores: 1, busyShare: 0.99 } },
  ],
  [
    'replies are late by the objective, although the rate is reached',
    'nats',
    /of 1201 ms, an email waited for NATS to store it for 1190/,
    { replyMs: { p50: 900, p99: 1_300 }, ...times({ accept: 1_200, store: 1_190 }) },
  ],
  [
    'the sender is busy: nothing else is proven',
    'sender',
    /busy for 90 %/,
    { ...SLOW_REPLIES, sender: { cores: 1, busyShare: 0.9 }, ...times({ store: 290 }) },
  ],
  [
    'the node of the sender is busy: everything on it is slow',
    'node',
    /busy for 98 %/,
    { ...SLOW_REPLIES, nodeBusyShare: 0.98, ...times({ store: 290 }) },
  ],
  [
    'emails are refused: the most frequent reply',
    'refusals',
    /^13 emails were refused: 452 4.3.1 full$/,
    { refusals: { '450 4.7.1 slow down': 1, '452 4.3.1 full': 12 } },
  ],
  [
    'a gateway at its CPU limit, also when NATS looks slow',
    'gateway',
    /busiest gateway used 0.49 cores of 0.5/,
    {
      ...SLOW_REPLIES,
      gateway: { ...GATEWAY, busiestCores: 0.49, limitCores: 0.5, meanMs: RECEIVING },
    },
  ],
  [
    'emails wait for a thread of the gateway',
    'gateway',
    /an email read or waited for a thread of the gateway for 295/,
    { ...SLOW_REPLIES, ...times({}) },
  ],
  [
    'NATS takes most of the time',
    'nats',
    /NATS to store it for 280/,
    { ...SLOW_REPLIES, ...times({ store: 280 }) },
  ],
  [
    'the DNS takes most of the time',
    'dns',
    /the DNS for 280/,
    { ...SLOW_REPLIES, ...times({ authentication: 280 }) },
  ],
  [
    'recipients are slow to look up',
    'mongodb',
    /its recipient to be looked up for 800/,
    { ...SLOW_REPLIES, ...times({ recipient: 800 }) },
  ],
  [
    'a dispatcher uses its thread',
    'dispatcher',
    /busiest dispatcher used 0.95 cores$/,
    { ...LATE_WEBHOOKS, ...dispatcher({ busiestCores: 0.95 }) },
  ],
  [
    'a dispatcher at its CPU limit, before MongoDB that looks slow',
    'dispatcher',
    /0.45 cores of 0.5/,
    {
      ...LATE_WEBHOOKS,
      ...dispatcher({ busiestCores: 0.45, limitCores: 0.5, meanMs: { attempt: 3, record: 500 } }),
    },
  ],
  [
    'outcomes are slow to write',
    'mongodb',
    /took 250 ms for a batch/,
    { ...LATE_WEBHOOKS, ...dispatcher({ meanMs: { attempt: 3, record: 250 } }) },
  ],
  [
    'one account has its share of the slots',
    'slots',
    /^900 emails waited/,
    { ...LATE_WEBHOOKS, ...dispatcher({ delayed: 900 }) },
  ],
  [
    'attempts are slow, and the receiver is idle: the network between them',
    'receiver',
    /an attempt took 150 ms/,
    { ...LATE_WEBHOOKS, ...dispatcher({ meanMs: { attempt: 150, record: 8 } }) },
  ],
  ['webhooks are late without a sign', 'dispatcher', /nothing else is slow/, LATE_WEBHOOKS],
  ['webhooks are missing', 'dispatcher', /nothing else is slow/, { missing: 1 }],
  [
    'late without metrics of gateways',
    'unknown',
    /could not be read/,
    { ...SLOW_REPLIES, gateway: null },
  ],
  [
    'late without metrics of dispatchers',
    'unknown',
    /could not be read/,
    { ...LATE_WEBHOOKS, dispatcher: null },
  ],
];

test.each(TABLE)('%s: %s', (_sentence, name, because, facts) => {
  const limit = limitOf({ ...REACHED, ...facts });
  expect(limit).toEqual({ name, because: expect.stringMatching(because) as string });
});

test('every limit has a row', () => {
  expect(LIMITS.filter((name) => !TABLE.some(([, limit]) => limit === name))).toEqual([]);
});

describe('percentiles', () => {
  test('by nearest rank', () => {
    expect(percentilesOf([4, 1, 3, 2])).toEqual({ p50: 2, p99: 4 });
    expect(percentile([], 0.5)).toBeNaN();
  });
});

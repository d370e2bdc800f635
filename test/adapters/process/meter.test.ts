/** Metrics with listed labels begin at 0, others when they first occur. */
import { Registry } from 'prom-client';
import { beforeEach, expect, test } from 'vitest';

import { ANY, createMeter, type Meter } from '../../../services/adapters/process/meter.ts';

let registry: Registry;
let meter: Meter;
beforeEach(() => {
  registry = new Registry();
  meter = createMeter(registry);
});

const series = async () =>
  (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));

test('a counter begins at 0 for all combinations of its lists', async () => {
  const refused = meter.counter('refused_total', 'refusals', {
    command: ['mail', 'rcpt'],
    reply: ['full', 'later'],
  });
  refused.inc({ command: 'rcpt', reply: 'later' }, 3);
  expect(await series()).toEqual([
    'refused_total{command="mail",reply="full"} 0',
    'refused_total{command="mail",reply="later"} 0',
    'refused_total{command="rcpt",reply="full"} 0',
    'refused_total{command="rcpt",reply="later"} 3',
  ]);
});

test('a label without a list has no series until it occurs, begins with the lists of others, and ends', async () => {
  const mails = meter.counter('mails_total', 'mails', { account: ANY, status: ['fine', 'bad'] });
  expect(await series()).toEqual([]);
  mails.begin({ account: 'acc' });
  mails.inc({ account: 'acc', status: 'bad' });
  mails.inc({ account: 'other', status: 'bad' });
  expect(await series()).toEqual([
    'mails_total{account="acc",status="fine"} 0',
    'mails_total{account="acc",status="bad"} 1',
    'mails_total{account="other",status="bad"} 1',
  ]);
  mails.end({ account: 'acc' });
  expect(await series()).toEqual(['mails_total{account="other",status="bad"} 1']);
});

test('a histogram begins at 0, too', async () => {
  meter.histogram('wait_seconds', 'waits', { paced: ['true'] }, [1]);
  expect(await series()).toEqual([
    'wait_seconds_bucket{le="1",paced="true"} 0',
    'wait_seconds_bucket{le="+Inf",paced="true"} 0',
    'wait_seconds_sum{paced="true"} 0',
    'wait_seconds_count{paced="true"} 0',
  ]);
});

test('a gauge that is read has only the series that the reading sets', async () => {
  let queued: number | undefined = 2;
  let lanes = ['mail', 'retry'];
  meter.gauge('queued', 'queued', {}, (set) => {
    if (queued !== undefined) set({}, queued);
  });
  meter.gauge('ready', 'ready', { lane: ANY }, async (set) => {
    await Promise.resolve();
    for (const lane of lanes) set({ lane }, 1);
  });
  expect(await series()).toEqual(['queued 2', 'ready{lane="mail"} 1', 'ready{lane="retry"} 1']);
  [queued, lanes] = [undefined, ['mail']];
  expect(await series()).toEqual(['ready{lane="mail"} 1']);
});

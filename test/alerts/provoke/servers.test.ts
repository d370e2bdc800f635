/** Servers that end, or are slow. */
import { afterAll, beforeAll, test } from 'vitest';

import type { Address } from '../../../services/core/address/address.ts';
import { until } from '../../support/until.ts';
import { type Bed, startBed } from './bed.ts';
import { startMonitoring } from './monitoring.ts';
import { provoked } from './provocation.ts';
import { pulses, repeatedly } from './pulses.ts';

const parts = new AsyncDisposableStack();
let bed: Bed;

beforeAll(async () => {
  const monitoring = parts.use(await startMonitoring('servers'));
  const run = { gateway: {}, dispatcher: {}, api: {} };
  bed = parts.use(await startBed({ monitoring, namespace: 'servers', run }));
});
afterAll(() => parts.disposeAsync());

const callApi = () =>
  fetch(`${bed.apiUrl}/addresses`, { headers: { authorization: `Bearer ${bed.token}` } }).then(
    (response) => response.arrayBuffer(),
    () => undefined,
  );

test('no NATS', async () => {
  const to = await bed.address('/well');
  await bed.send(to.address);
  await using _load = bed.load(4, to.address);
  await provoked(bed, {
    alerts: ['InletNatsDisconnected', 'InletJetStreamUnavailable', 'InletMailDeferred'],
    provoke: () => bed.nats.kill(),
    mend: () => bed.nats.restart(),
  });
});

test('no MongoDB', async () => {
  const addresses: Address[] = [];
  for (let i = 0; i < 20; i++) addresses.push(await bed.address(`/away-${i}`));
  await using _calls = repeatedly(200, () => void callApi());
  const dispatcher = bed.service('dispatcher').pid();
  await provoked(bed, {
    alerts: ['InletMongodbDisconnected', 'InletApiErrors', 'InletMailNaks', 'InletSweepFailing'],
    provoke: async () => {
      process.kill(dispatcher, 'SIGSTOP');
      for (const { address: to } of addresses) await bed.send(to);
      await bed.mongod.kill();
      process.kill(dispatcher, 'SIGCONT');
    },
    mend: () => bed.mongod.restart(),
  });
  await until('the emails', () =>
    addresses.every((_, i) => bed.receiver.received(`/away-${i}`).length > 0),
  );
});

test('a slow MongoDB', async () => {
  const to = await bed.address('/well');
  await using _calls = repeatedly(250, () => void callApi());
  await using _known = bed.load(4, to.address);
  let unknown = 0;
  await using _unknown = bed.load(4, () => `nobody-${unknown++}@in.example`);
  let slow: AsyncDisposable;
  await provoked(bed, {
    alerts: ['InletApiSlow', 'InletRecipientsSlow', 'InletRecordsSlow'],
    provoke: () => {
      slow = pulses(bed.mongod.pid(), { stoppedMs: 5_000, runningMs: 500 });
    },
    mend: () => slow[Symbol.asyncDispose](),
  });
});

test('a slow NATS', async () => {
  const to = await bed.address('/well');
  await using _load = bed.load(5, to.address);
  let slow: AsyncDisposable;
  await provoked(bed, {
    alerts: ['InletStoreSlow'],
    provoke: () => {
      slow = pulses(bed.nats.pid(), { stoppedMs: 2_000, runningMs: 300 });
    },
    mend: () => slow[Symbol.asyncDispose](),
  });
});

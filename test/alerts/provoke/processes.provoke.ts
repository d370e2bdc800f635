/** Processes that end, hang, restart, or lose their servers. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, test } from 'vitest';

import type { Address } from '../../../services/core/address/address.ts';
import { createNamespace, type TestNamespace } from '../../operator/namespace.ts';
import { startTestDns } from '../../support/dns-server.ts';
import { type KubeApi, startKubeApi } from '../../support/kube-api/server.ts';
import { account, address } from '../../support/manifests.ts';
import { testDir } from '../../support/servers.ts';
import { until } from '../../support/until.ts';
import { type Bed, type Component, pulses, startBed } from './bed.ts';
import { startMonitoring } from './monitoring.ts';
import { provoked } from './provocation.ts';

const parts = new AsyncDisposableStack();
const SHIFTED_CLOCK = new URL('../../support/shifted-clock.mjs', import.meta.url).href;
let bed: Bed;
let kube: KubeApi;
let space: TestNamespace;
let clock: string;

beforeAll(async () => {
  const monitoring = parts.use(await startMonitoring('processes'));
  kube = parts.use(await startKubeApi());
  const dns = parts.use(await startTestDns());
  clock = join(parts.use(await testDir()).path, 'clock');
  await writeFile(clock, '0');
  bed = parts.use(
    await startBed({
      monitoring,
      namespace: 'processes',
      settings: { DNS_SERVERS: dns.address },
      run: {
        gateway: {},
        dispatcher: { NODE_OPTIONS: `--import ${SHIFTED_CLOCK}`, CLOCK_SHIFT_FILE: clock },
        api: {},
        operator: {
          KUBECONFIG: await kube.kubeconfig(),
          LEASE_DURATION: '3s',
          LEASE_NAME: 'processes',
        },
      },
    }),
  );
  space = createNamespace({ kube, mongo: bed.mongo });
});
afterAll(() => parts.disposeAsync());

test.each<[Component, string]>([
  ['gateway', 'InletGatewayAbsent'],
  ['dispatcher', 'InletDispatcherAbsent'],
  ['api', 'InletApiAbsent'],
  ['operator', 'InletOperatorAbsent'],
])('no %s', async (component, alert) => {
  await provoked(bed, {
    alerts: [alert],
    how: `the only ${component} was killed, and started again`,
    provoke: () => bed.service(component).kill(),
    mend: () => bed.service(component).start(),
  });
});

test('a process that hangs', () =>
  provoked(bed, {
    alerts: ['InletProcessUnreachable'],
    how: 'a dispatcher was stopped with SIGSTOP, and continued',
    provoke: () => process.kill(bed.service('dispatcher').pid(), 'SIGSTOP'),
    mend: () => process.kill(bed.service('dispatcher').pid(), 'SIGCONT'),
  }));

test('a process that restarts', async () => {
  let isDone = false;
  let restarting: Promise<void> = Promise.resolve();
  await provoked(bed, {
    alerts: ['InletProcessRestarting'],
    how: 'an API was killed and started until the alert fired',
    provoke: () => {
      restarting = (async () => {
        while (!isDone) {
          await bed.service('api').kill();
          await bed.service('api').start();
          await sleep(2_000);
        }
      })();
    },
    mend: async () => {
      isDone = true;
      await restarting;
    },
  });
});

test('too little CPU', async () => {
  let slow: AsyncDisposable;
  await provoked(bed, {
    alerts: ['InletEventLoopBlocked'],
    how: 'a gateway was stopped for 0.7 of each second',
    provoke: () => {
      slow = pulses(bed.service('gateway').pid(), { stoppedMs: 700, runningMs: 300 });
    },
    mend: () => slow[Symbol.asyncDispose](),
  });
});

test('a clock that is wrong', () =>
  provoked(bed, {
    alerts: ['InletClocksDiffer'],
    how: 'the clock of a dispatcher was set 5 s ahead, and back',
    provoke: () => writeFile(clock, '5000'),
    mend: () => writeFile(clock, '0'),
  }));

test('no NATS', async () => {
  const to = await bed.address('/well');
  await bed.send(to.address);
  await using _load = bed.load(4, to.address);
  await provoked(bed, {
    alerts: ['InletNatsDisconnected', 'InletJetStreamUnavailable', 'InletMailDeferred'],
    how: 'NATS was killed while emails arrived, and started again',
    provoke: () => bed.nats.kill(),
    mend: () => bed.nats.restart(),
    finds: { nats: 'NATS is down' },
  });
});

test('no leader', async () => {
  await provoked(bed, {
    alerts: ['InletOperatorWithoutLeader'],
    how: 'the API server refused all requests for Leases',
    provoke: () =>
      kube.faults.order({ status: 403, message: 'forbidden' }, { on: /leases/, times: Infinity }),
    mend: () => kube.faults.heal(),
  });
});

test('resources that cannot be reconciled', async () => {
  await provoked(bed, {
    alerts: ['InletOperatorErrors'],
    how: 'the API server refused to create Secrets, for 100 addresses',
    provoke: () => {
      kube.faults.order(
        { status: 403, message: 'forbidden' },
        { on: 'create secrets', times: Infinity },
      );
      space.apply(account('shop', { email: 'shop@a.example' }));
      for (let i = 0; i < 100; i++)
        space.apply(address(`orders-${i}`, 'https://hooks.example.com/'));
    },
    mend: () => kube.faults.heal(),
  });
});

test('no MongoDB', async () => {
  const addresses: Address[] = [];
  for (let i = 0; i < 20; i++) addresses.push(await bed.address(`/away-${i}`));
  const call = () =>
    fetch(`${bed.apiUrl}/addresses`, { headers: { authorization: `Bearer ${bed.token}` } }).then(
      (response) => response.arrayBuffer(),
      () => undefined,
    );
  const timer = setInterval(() => void call(), 200);
  const dispatcher = bed.service('dispatcher').pid();
  await provoked(bed, {
    alerts: ['InletMongodbDisconnected', 'InletApiErrors', 'InletMailNaks', 'InletSweepFailing'],
    how: 'MongoDB was killed while emails waited and requests were made, and started again',
    provoke: async () => {
      process.kill(dispatcher, 'SIGSTOP');
      for (const { address: to } of addresses) await bed.send(to);
      await bed.mongod.kill();
      process.kill(dispatcher, 'SIGCONT');
    },
    mend: () => bed.mongod.restart(),
  });
  clearInterval(timer);
  await until('the emails', () =>
    addresses.every((_, i) => bed.receiver.received(`/away-${i}`).length > 0),
  );
});

test('a slow MongoDB', async () => {
  const to = await bed.address('/well');
  const call = () =>
    fetch(`${bed.apiUrl}/addresses`, { headers: { authorization: `Bearer ${bed.token}` } }).then(
      (response) => response.arrayBuffer(),
      () => undefined,
    );
  const timer = setInterval(() => void call(), 250);
  await using _known = bed.load(4, to.address);
  let unknown = 0;
  await using _unknown = bed.load(4, () => `nobody-${unknown++}@in.example`);
  let slow: AsyncDisposable;
  await provoked(bed, {
    alerts: ['InletApiSlow', 'InletRecipientsSlow', 'InletRecordsSlow'],
    how: 'MongoDB was stopped for 5 of each 5.5 seconds',
    provoke: () => {
      slow = pulses(bed.mongod.pid(), { stoppedMs: 5_000, runningMs: 500 });
    },
    mend: () => slow[Symbol.asyncDispose](),
  });
  clearInterval(timer);
});

test('a slow NATS', async () => {
  const to = await bed.address('/well');
  await using _load = bed.load(5, to.address);
  let slow: AsyncDisposable;
  await provoked(bed, {
    alerts: ['InletStoreSlow'],
    how: 'NATS was stopped for 2 of each 2.3 seconds',
    provoke: () => {
      slow = pulses(bed.nats.pid(), { stoppedMs: 2_000, runningMs: 300 });
    },
    mend: () => slow[Symbol.asyncDispose](),
  });
});

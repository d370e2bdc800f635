/** Processes that end, hang, restart or have too little CPU, and the operator. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, test } from 'vitest';

import { createNamespace, type TestNamespace } from '../../operator/namespace.ts';
import { startTestDns } from '../../support/dns-server.ts';
import { type KubeApi, startKubeApi } from '../../support/kube-api/server.ts';
import { account, address } from '../../support/manifests.ts';
import { testDir } from '../../support/servers.ts';
import { type Bed, type Component, startBed } from './bed.ts';
import { startMonitoring } from './monitoring.ts';
import { provoked } from './provocation.ts';
import { pulses, repeatedly } from './pulses.ts';

const parts = new AsyncDisposableStack();
const SHIFTED_CLOCK = new URL('../../support/shifted-clock.mjs', import.meta.url).href;
const SCRAPED_WITHIN_MS = 2_000;
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
    provoke: () => bed.service(component).kill(),
    mend: () => bed.service(component).start(),
  });
});

test('a process that hangs', () =>
  provoked(bed, {
    alerts: ['InletProcessUnreachable'],
    provoke: () => process.kill(bed.service('dispatcher').pid(), 'SIGSTOP'),
    mend: () => process.kill(bed.service('dispatcher').pid(), 'SIGCONT'),
  }));

test('a process that restarts', async () => {
  let restarting: AsyncDisposable;
  await provoked(bed, {
    alerts: ['InletProcessRestarting'],
    provoke: () => {
      restarting = repeatedly(SCRAPED_WITHIN_MS, async () => {
        await bed.service('api').kill();
        await bed.service('api').start();
      });
    },
    mend: () => restarting[Symbol.asyncDispose](),
  });
});

test('too little CPU', async () => {
  let slow: AsyncDisposable;
  await provoked(bed, {
    alerts: ['InletEventLoopBlocked'],
    provoke: () => {
      slow = pulses(bed.service('gateway').pid(), { stoppedMs: 700, runningMs: 300 });
    },
    mend: () => slow[Symbol.asyncDispose](),
  });
});

test('a clock that is wrong', () =>
  provoked(bed, {
    alerts: ['InletClocksDiffer'],
    provoke: () => writeFile(clock, '5000'),
    mend: () => writeFile(clock, '0'),
  }));

test('no leader', async () => {
  await provoked(bed, {
    alerts: ['InletOperatorWithoutLeader'],
    provoke: () =>
      kube.faults.order({ status: 403, message: 'forbidden' }, { on: /leases/, times: Infinity }),
    mend: () => kube.faults.heal(),
  });
});

test('resources that cannot be reconciled', async () => {
  await provoked(bed, {
    alerts: ['InletOperatorErrors'],
    provoke: () => {
      kube.faults.order(
        { status: 500, message: 'etcdserver: request timed out' },
        { on: 'create secrets', times: Infinity },
      );
      space.apply(account('shop', { email: 'shop@a.example' }));
      for (let i = 0; i < 100; i++) space.apply(address(`orders-${i}`, bed.receiver.url('/well')));
    },
    mend: () => kube.faults.heal(),
  });
});

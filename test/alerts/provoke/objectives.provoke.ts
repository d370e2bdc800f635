/** Objectives that are missed, and a day without email. */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { pulses, startBed } from './bed.ts';
import { type Monitoring, startMonitoring } from './monitoring.ts';
import { provoked } from './provocation.ts';

const SECOND_MS = 1_000;
const parts = new AsyncDisposableStack();
let monitoring: Monitoring;

beforeAll(async () => {
  monitoring = parts.use(await startMonitoring('objectives'));
});
afterAll(() => parts.disposeAsync());

test.concurrent('all objectives are missed', async () => {
  await using bed = await startBed({
    monitoring,
    namespace: 'objectives',
    run: { gateway: {}, dispatcher: { RETRY_SCHEDULE: '1s' } },
  });
  const { address } = await bed.address('/refusing');
  bed.receiver.answer('/refusing', () => 404);
  await using slow = new AsyncDisposableStack();
  await using _load = bed.load(4, address);
  await provoked(bed, {
    alerts: [
      'InletSloAcceptanceFast',
      'InletSloAcceptanceSlow',
      'InletSloFirstAttemptFast',
      'InletSloFirstAttemptSlow',
      'InletSloDeliveryFast',
      'InletSloDeliverySlow',
    ],
    how:
      'NATS was stopped for 1.5 of each 2.5 seconds, the dispatcher for 7 of each 8, and the receiver ' +
      'answered 404; then all was well',
    provoke: () => {
      slow.use(pulses(bed.nats.pid(), { stoppedMs: 1_500, runningMs: 1_000 }));
      slow.use(pulses(bed.service('dispatcher').pid(), { stoppedMs: 7_000, runningMs: 1_000 }));
    },
    mend: async () => {
      await slow.disposeAsync();
      bed.receiver.answer('/refusing', () => 204);
    },
    withinMs: 900 * SECOND_MS,
  });
});

test.concurrent('no email', async () => {
  await using bed = await startBed({ monitoring, namespace: 'no-mail', run: { gateway: {} } });
  const { address } = await bed.address('/well');
  await provoked(bed, {
    alerts: ['InletNoMail'],
    how: '200 emails arrived within a minute, and then none for a scaled day',
    provoke: async () => {
      for (let i = 0; i < 200; i++) expect(await bed.send(address)).toBe(true);
    },
    mend: async () => {
      for (let i = 0; i < 20; i++) await bed.send(address);
    },
    finds: { dig: 'no domain', nc: 'no domain' },
    withinMs: 2_400 * SECOND_MS,
  });
});

/** Objectives that are missed. */
import { afterAll, beforeAll, test } from 'vitest';

import { startBed } from './bed.ts';
import { type Monitoring, startMonitoring } from './monitoring.ts';
import { provoked } from './provocation.ts';
import { pulses } from './pulses.ts';

const SECOND_MS = 1_000;
const parts = new AsyncDisposableStack();
let monitoring: Monitoring;

beforeAll(async () => {
  monitoring = parts.use(await startMonitoring('objectives'));
});
afterAll(() => parts.disposeAsync());

test('all objectives are missed', async () => {
  await using bed = await startBed({
    monitoring,
    namespace: 'objectives',
    run: { gateway: {}, dispatcher: { RETRY_SCHEDULE: '1s' } },
  });
  const refused = (await bed.address('/refusing')).address;
  const accepted: string[] = []; // many, because an address with many emails is paced
  for (let i = 0; i < 20; i++) accepted.push((await bed.address('/well')).address);
  bed.receiver.answer('/refusing', () => 404);
  let sent = 0;
  const next = () => (sent++ % 2 === 0 ? refused : String(accepted[sent % accepted.length]));
  await using slow = new AsyncDisposableStack();
  await using _load = bed.load(4, next);
  await provoked(bed, {
    alerts: [
      'InletSloAcceptanceFast',
      'InletSloAcceptanceSlow',
      'InletSloFirstAttemptFast',
      'InletSloFirstAttemptSlow',
      'InletSloDeliveryFast',
      'InletSloDeliverySlow',
    ],
    provoke: () => {
      slow.use(pulses(bed.nats.pid(), { stoppedMs: 1_500, runningMs: 1_000 }));
      slow.use(pulses(bed.service('dispatcher').pid(), { stoppedMs: 7_000, runningMs: 3_000 }));
    },
    mend: async () => {
      await slow.disposeAsync();
      bed.receiver.answer('/refusing', () => 204);
    },
    withinMs: 900 * SECOND_MS,
  });
});

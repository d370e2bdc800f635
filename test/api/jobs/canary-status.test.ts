/** What the metrics say about the canary of the operator. */
import { expect, test } from 'vitest';

import { createNewestDelivered } from '../../../services/adapters/mongo/delivery/newest-delivered.ts';
import { startCanaryStatus } from '../../../services/api/jobs/canary-status.ts';
import type { ApiMetrics } from '../../../services/api/process/metrics.ts';
import { startInProcess } from '../../support/start-in-process.ts';
import { until } from '../../support/until.ts';
import { useInFile } from '../../support/use-in-file.ts';

const ADDRESS = 'canary@in.example';

const whole = await useInFile(
  startInProcess({
    CANARY_ADDRESS: ADDRESS,
    CANARY_MAX_AGE: '7m',
    RETRY_SCHEDULE: '1h',
  }),
);

const metric = async (name: string): Promise<number> => {
  const text = await (await fetch(`${whole.api.metricsUrl}/metrics`)).text();
  return Number(new RegExp(`^${name}(?:\\{.*\\})? (.+)$`, 'm').exec(text)?.[1]);
};

test('the age and duration of the newest one that was delivered', async () => {
  expect(await metric('inlet_canary_max_age_seconds')).toBe(420);
  expect(await metric('inlet_canary_last_success_timestamp_seconds')).toBe(0);

  const newest = createNewestDelivered(whole.api.mongo.db);
  expect(await newest(ADDRESS)).toBeUndefined();
  const { id } = await whole.address('/canary', { local_part: 'canary' });
  whole.pipeline.receiver.answer('/canary', (count) => (count === 1 ? 200 : 503));
  const before = Date.now();
  await whole.send(ADDRESS, 'Inlet canary 1');
  const found = await until('its delivery', () => newest(ADDRESS));
  expect(found.received_at.getTime()).toBeGreaterThanOrEqual(before - 1_000);
  expect(found.delivered_at.getTime()).toBeGreaterThanOrEqual(found.received_at.getTime());

  await whole.send(ADDRESS, 'Inlet canary 2'); // its receiver is down
  await until('its failure', async () => {
    const { body } = await whole.api.ask('GET', `/v1/deliveries?address_id=${id}&status=retrying`);
    return (body.data as object[]).length === 1;
  });
  expect(await newest(id)).toEqual(found);

  const seen = new Map<string, number>();
  const gauge = (name: string) => ({ set: (value: number) => void seen.set(name, value) });
  const canary = { maxAge: gauge('max'), lastSuccess: gauge('last'), duration: gauge('took') };
  let round: Promise<unknown> | undefined;
  await using status = startCanaryStatus(
    {
      newestDelivered: newest,
      metrics: { canary } as unknown as Pick<ApiMetrics, 'canary'>,
      startSweep: (_name, _everyMs, run) => {
        round = run(new Date(), () => new Date());
        return { [Symbol.asyncDispose]: () => Promise.resolve() };
      },
    },
    { address: ADDRESS, maxAgeMs: 60_000 },
  );
  await round;
  expect(status).toBeDefined();
  expect(seen.get('max')).toBe(60);
  expect(seen.get('last')).toBe(found.received_at.getTime() / 1_000);
  expect(seen.get('took')).toBeGreaterThanOrEqual(0);
});

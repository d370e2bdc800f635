/**
 * Many resources after a restart: the operator checks all and writes nothing. `SCALE_RESOURCES=1000`
 * for a long run.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';

import { until } from '../support/until.ts';
import { account, address } from '../support/manifests.ts';
import { kubectl } from './kubectl.ts';
import { type OperatorBed, startOperatorBed } from './operator-bed.ts';
import type { Operator } from './operator-process.ts';

const COUNT = Number(process.env.SCALE_RESOURCES ?? 100);
const LONG_MS = 60_000 + 300 * COUNT;
const WRITES = /^(create|update|patch) (?!leases)/;

let bed: OperatorBed;
beforeAll(async () => {
  bed = await startOperatorBed();
});
afterAll(() => bed?.[Symbol.asyncDispose]());

const settled = (operator: Operator) =>
  operator.metric('inlet_operator_reconciles_total', 'kind="InboundAddress",result="settled"');
const written = async (operator: Operator) =>
  [...(await operator.requests())]
    .filter(([what]) => WRITES.test(what))
    .reduce((sum, [, count]) => sum + count, 0);
const seconds = (sinceMs: number) => ((performance.now() - sinceMs) / 1_000).toFixed(1);

test(`${COUNT} resources are reconciled once, and cause no write after a restart`, async () => {
  const { namespace } = bed;
  const all = Array.from({ length: COUNT }, (_, i) =>
    stringify(address(`many-${i}`, `https://hooks.example.com/${i}`)),
  ).join('---\n');
  await namespace.apply(account());
  await kubectl(['-n', namespace.name, 'create', '-f', '-'], all);
  const rare = { resyncMs: 3_600_000, watchMs: 60_000, leaseMs: 10_000 };

  let startedMs = performance.now();
  const first = await bed.start({}, { ...rare, kubeRequestsPerSecond: 1_000 });
  await until(
    'all addresses',
    async () =>
      (await bed.pipeline.mongo.db
        .collection('addresses')
        .countDocuments({ 'managed_by.namespace': namespace.name })) === COUNT,
    LONG_MS,
  );
  await until('all to be reconciled', async () => (await settled(first)) >= COUNT, LONG_MS);
  process.stdout.write(
    `${COUNT} new resources: ${seconds(startedMs)} s, ${await written(first)} writes to the Kubernetes API\n`,
  );
  await first[Symbol.asyncDispose]();
  const before = await bed.pipeline.mongo.db
    .collection('addresses')
    .find({}, { projection: { updated_at: 1 }, sort: { _id: 1 } })
    .toArray();

  startedMs = performance.now();
  await using second = await bed.start({}, rare);
  await until('all to be checked', async () => (await settled(second)) >= COUNT, LONG_MS);
  const requests = [...(await second.requests()).values()].reduce((sum, count) => sum + count, 0);
  process.stdout.write(
    `${COUNT} resources after a restart: ${seconds(startedMs)} s, ` +
      `${await written(second)} writes, ${requests} requests in all\n`,
  );
  expect(await written(second)).toBe(0);
  expect(
    await bed.pipeline.mongo.db
      .collection('addresses')
      .find({}, { projection: { updated_at: 1 }, sort: { _id: 1 } })
      .toArray(),
  ).toEqual(before);
});

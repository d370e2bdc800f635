/** While nobody watches, the mail path pays nothing: no consumer, no query, no message. */
import { jetstreamManager } from '@nats-io/jetstream';
import { expect, test } from 'vitest';

import { until } from '../../support/until.ts';
import { startInProcess } from '../../support/start-in-process.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { openStream } from './event-source.ts';

const system = await useInFile(startInProcess());

/** Names of the consumers of all MAIL partitions. */
async function consumers(): Promise<string[]> {
  const manager = await jetstreamManager(system.pipeline.nats.connection);
  const names: string[] = [];
  for await (const stream of manager.streams.names())
    if (stream.startsWith('MAIL-'))
      for await (const { name } of manager.consumers.list(stream)) names.push(name);
  return names;
}

/** How often the index of the audit trail was used: each read of the hub uses it once. */
async function readsOfTheTrail(): Promise<number> {
  const indexes = await system.api.mongo.db
    .collection('events')
    .aggregate<{ name: string; accesses: { ops: unknown } }>([{ $indexStats: {} }])
    .toArray();
  return Number(indexes.find(({ name }) => name === 'account_type_time')?.accesses.ops);
}

test('without a watcher there is no consumer but that of dispatchers, and no read', async () => {
  const { address, id } = await system.address('/unwatched');
  const before = await readsOfTheTrail();
  for (let i = 0; i < 20; i++) await system.send(address, `unwatched ${i}`);
  await until('all deliveries', async () => {
    const { body } = await system.api.ask(
      'GET',
      `/v1/deliveries?status=delivered&address_id=${id}`,
    );
    return (body.data as unknown[]).length === 20;
  });
  expect(new Set(await consumers())).toEqual(new Set(['dispatcher']));
  expect((await readsOfTheTrail()) - before).toBe(0);
});

test('a watcher adds one consumer for each partition and about one read a second', async () => {
  const before = await readsOfTheTrail();
  const startedAt = Date.now();
  await using first = await openStream(system.api);
  await using second = await openStream(system.api);
  await first.nth('stream.ready');
  await second.nth('stream.ready');
  await until('the consumers', async () => (await consumers()).length === 4);
  await until('three reads', async () => (await readsOfTheTrail()) - before >= 3);
  const seconds = (Date.now() - startedAt) / 1_000;
  expect((await readsOfTheTrail()) - before).toBeLessThan(seconds + 4);
});

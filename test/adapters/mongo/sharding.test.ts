/**
 * M.3: the shard keys of docs/scaling.md, on two shards with the indexes of this release. mongod
 * itself refuses a key that a unique index does not begin with.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Document, MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { ensureIndexes } from '../../../services/adapters/mongo/database/connection.ts';
import { createDeliveries } from '../../../services/adapters/mongo/delivery/deliveries.ts';
import { INDEXES } from '../../../services/adapters/mongo/stores.ts';
import { newAddress } from '../../support/new-address.ts';
import { changeTo, mailEvent } from '../../support/mail-events.ts';
import { testMongo } from '../../support/servers.ts';
import { SHARD_KEYS, shardCommands, shardKeyOf } from '../../support/shard-keys.ts';
import { type ShardedCluster, startShardedCluster } from '../../support/sharded-cluster.ts';

const EMAILS = 20;
/** Not `aggregate`, which reads the records first: a shard cannot be its router in a transaction, as mongos can. */
const REPEATED = ['insert', 'update', 'delete', 'find'];

let cluster: ShardedCluster;
beforeAll(async () => {
  cluster = await startShardedCluster();
  await ensureIndexes(cluster.primary, Object.values(INDEXES));
  for (const [collection, key] of Object.entries(SHARD_KEYS))
    await cluster.shard(collection, shardKeyOf(key));
});
afterAll(() => cluster[Symbol.asyncDispose]());

test('M.3: docs/scaling.md has the commands for these keys', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../docs/scaling.md'), 'utf8');
  for (const command of shardCommands('inlet')) expect(page).toContain(command);
});

test('M.3: addresses stay whole, because a resource has one address only', async () => {
  await expect(cluster.shard('addresses', { address: 1 })).rejects.toThrow(/unique index/);
});

test('M.3: a repeated id is refused, whichever shard has it', async () => {
  const documents = Array.from({ length: EMAILS }, (_, i) => ({ _id: `evt_twice_${i}` }));
  await cluster.route({ insert: 'deliveries', documents, ordered: false });
  const again = await cluster.route({ insert: 'deliveries', documents, ordered: false });
  expect(again.n).toBe(0);
  for (const shard of [cluster.primary, cluster.other])
    expect(await shard.collection<{ _id: string }>('deliveries').countDocuments()).toBeGreaterThan(
      0,
    );
});

describe('M.3: the transaction of a dispatcher', () => {
  let commands: Document[];
  beforeAll(async () => {
    commands = await commandsOfRecording();
  });

  test('writes to both shards, and all of it', async () => {
    const before = await cluster.acrossShards();
    await cluster.transact(commands);
    expect(await cluster.acrossShards()).toBe(before + 1);
    expect(await counted('deliveries', { status: 'delivered' })).toBe(EMAILS);
    expect(await counted('events', { type: 'webhook.delivered' })).toBe(EMAILS);
    const usage = await cluster.route({ find: 'usage_daily', filter: {} });
    const days = (usage.cursor as { firstBatch: { received: number }[] }).firstBatch;
    expect(days.reduce((total, { received }) => total + received, 0)).toBe(EMAILS);
  });

  test('leaves nothing on any shard when a record exists already', async () => {
    // without a sort, the shards answer in any order
    const all = { find: 'usage_daily', filter: {}, sort: { _id: 1 } };
    const usage = await cluster.route(all);
    await expect(cluster.transact(commands)).rejects.toThrow(/E11000/);
    expect(await cluster.route(all)).toMatchObject({
      cursor: { firstBatch: (usage.cursor as { firstBatch: object[] }).firstBatch },
    });
    expect(await counted('events', { type: 'webhook.delivered' })).toBe(EMAILS);
  });

  test('has one shard for each id, and a list asks both', async () => {
    for (const [collection, filter] of Object.entries({
      deliveries: { _id: 'evt_1' },
      events: { _id: 'evt_1' },
      usage_daily: { account_id: 'acc_1', environment: 'live', day: { $gte: '2026-01-01' } },
      addresses: { address: { $in: ['a@in.example', '*@in.example'] }, superseded_by: null },
    }))
      expect([collection, await cluster.routing(collection, filter)]).toEqual([
        collection,
        'SINGLE_SHARD',
      ]);
    const list = { account_id: 'acc_1', environment: 'live', status: 'delivered' };
    expect(await cluster.routing('deliveries', list)).toMatch(/^SHARD_MERGE/);
  });
});

async function counted(collection: string, filter: Document): Promise<number> {
  const pipeline = [{ $match: filter }, { $count: 'n' }];
  const { cursor } = await cluster.route({ aggregate: collection, pipeline, cursor: {} });
  return (cursor as { firstBatch: { n: number }[] }).firstBatch[0]?.n ?? 0;
}

/** The commands of a batch of outcomes, as a dispatcher sends them to a MongoDB that is not sharded. */
async function commandsOfRecording(): Promise<Document[]> {
  await using database = await testMongo();
  await using client = new MongoClient(database.uri, { monitorCommands: true });
  const commands: Document[] = [];
  client.on('commandStarted', ({ commandName, command }) => {
    const { lsid: _, txnNumber, startTransaction: _s, autocommit: _a, ...sent } = command;
    if (txnNumber === undefined || !REPEATED.includes(commandName)) return;
    const { $db: _d, $clusterTime: _c, readConcern: _r, writeConcern: _w, ...plain } = sent;
    commands.push(plain);
  });
  const db = client.db();
  await ensureIndexes(db, Object.values(INDEXES));
  const at = new Date();
  const changes = Array.from({ length: EMAILS }, () =>
    changeTo('delivered', mailEvent(newAddress('https://receiver.example/'), at)),
  );
  await createDeliveries(db).record(changes, at);
  return commands;
}

/** What the connection to MongoDB waits for: a server that starts, and a build of an index. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';

import { createLog } from '../../../../services/adapters/process/log.ts';
import {
  connectMongo,
  ensureIndexes,
} from '../../../../services/adapters/mongo/database/connection.ts';
import { isTemporary } from '../../../../services/adapters/mongo/database/errors.ts';
import { atMost } from '../../../support/slowdown.ts';
import { startTestMongod } from '../../../support/servers.ts';
import { until } from '../../../support/until.ts';

const log = createLog('silent');

test('an index build continues and is awaited when the primary steps down, and after an outage', async () => {
  await using server = await startTestMongod({ enableTestCommands: 1 });
  await using mongo = await connectMongo(server.url, log);
  await mongo.db.collection('things').insertOne({ name: 'one' }); // an empty one has no build
  const admin = mongo.client.db('admin');
  const holdBuilds = (mode: 'alwaysOn' | 'off') =>
    admin.command({ configureFailPoint: 'hangAfterStartingIndexBuild', mode });
  await holdBuilds('alwaysOn');
  const warned: string[] = [];
  const recorded = { info: () => undefined, warn: (event: string) => void warned.push(event) };
  const wanted = [{ collection: 'things', indexes: [{ key: { name: 1 }, name: 'name' }] }];
  const ensured = ensureIndexes(mongo.db, wanted, { log: recorded });
  const isBuilding = async () =>
    (await admin.command({ currentOp: 1, 'command.createIndexes': 'things' }))['inprog'].length > 0;
  await until('the build to start', isBuilding);
  await admin.command({ replSetStepDown: 1, secondaryCatchUpPeriodSecs: 0, force: true });
  await until('a retry', () => warned.length > 0);
  await holdBuilds('off');
  await ensured;
  expect((await mongo.db.collection('things').indexes()).map(({ name }) => name)).toContain('name');
  expect(new Set(warned)).toEqual(new Set(['mongodb.awaited']));

  await server.kill();
  const error: unknown = await ensureIndexes(mongo.db, wanted, { withinMs: 3_000 }).catch(
    (fault: unknown) => fault,
  );
  expect([isTemporary(error), error]).toEqual([true, error]);
  const repeated = ensureIndexes(mongo.db, wanted);
  await server.restart();
  await repeated;
});

test('a first connect waits for the server', async () => {
  await using server = await startTestMongod();
  await server.stop();
  const connecting = connectMongo(server.url, log);
  await sleep(2_500); // longer than one try
  await server.restart();
  await using mongo = await connecting;
  await expect(mongo.ping()).resolves.toBeUndefined();
});

test('an outage is detected within seconds, distinguished from faults, and ends', async () => {
  await using server = await startTestMongod();
  await using mongo = await connectMongo(server.url, log);
  const things = mongo.db.collection('things');
  await things.insertOne({ number: 1 });
  expect(mongo.isConnected()).toBe(true);

  await server.kill();
  for (const work of [
    () => things.insertOne({ number: 2 }),
    () => things.findOne({}),
    () => mongo.ping(),
  ]) {
    const startedAt = Date.now();
    const error: unknown = await work().catch((fault: unknown) => fault);
    // the error itself shows when it is none
    expect([isTemporary(error), error]).toEqual([true, error]);
    expect(isTemporary(new Error('do this', { cause: error }))).toBe(true);
    expect(Date.now() - startedAt).toBeLessThan(atMost(6_000));
  }
  await until('a heartbeat to notice it', () => !mongo.isConnected());
  await server.restart();
  await until('MongoDB to answer again', () =>
    mongo.ping().then(
      () => true,
      () => false,
    ),
  );
  expect(await things.insertOne({ number: 3 })).toMatchObject({ acknowledged: true });
  const fault: unknown = await things
    .find({ $nonsense: 1 })
    .toArray()
    .catch((error: unknown) => error);
  expect(isTemporary(fault)).toBe(false);
});

/** `inlet admin mongodb status` asks each member, also when none accepts writes. */
import { expect, inject, test } from 'vitest';

import { connectMongo } from '../../services/adapters/mongo/database/connection.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { freePort } from '../../services/standalone/processes/ports.ts';
import { runCommand } from '../support/inlet-command.ts';
import { startMongoReplicaSet } from '../support/mongo-replica-set.ts';
import { testDir } from '../support/servers.ts';

type Shown = { host: string; state: string; behind_seconds: number | null; fault?: string };
const status = async (uri: string) => {
  const { code, out, err } = await runCommand(['admin', 'mongodb', 'status'], {
    env: { MONGODB_URI: uri },
  });
  return { code, err, members: (JSON.parse(out) as { members: Shown[] }).members };
};

test('each member has its state, its lag and its disk; one that is away says why', async () => {
  await using dir = await testDir();
  await using members = await startMongoReplicaSet(inject('mongodBinary'), dir.path);
  await using mongo = await connectMongo(members.url, createLog('silent'));
  await mongo.db.collection('some').insertOne({}, { writeConcern: { w: 3 } });
  const whole = await status(members.url);
  expect([whole.code, whole.err]).toEqual([0, '']);
  expect(whole.members.map(({ state }) => state).toSorted()).toEqual([
    'primary',
    'secondary',
    'secondary',
  ]);
  for (const member of whole.members)
    expect(member).toMatchObject({
      behind_seconds: expect.any(Number) as number,
      disk_size_bytes: expect.any(Number) as number,
      slow_operations: [],
    });
  // the others are found by the primary
  const hosts = (found: typeof whole) => found.members.map(({ host }) => host).toSorted();
  expect(hosts(await status(members.primaryUrl))).toEqual(hosts(whole));

  await members.loseMajority();
  const lost = await status(members.url);
  expect(lost.members.filter(({ fault }) => fault?.includes('ECONNREFUSED'))).toHaveLength(2);
});

test('when no member accepts writes, the command says so and exits with 1', async () => {
  const { code, err, members } = await status(`mongodb://127.0.0.1:${await freePort()}/inlet`);
  expect([code, err]).toEqual([1, expect.stringContaining('no member of MongoDB accepts writes')]);
  expect(members).toMatchObject([{ state: 'unreachable', disk_size_bytes: null }]);
});

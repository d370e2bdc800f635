/** The connection to MongoDB: database names, indexes, outages. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { createLog } from '../../../../services/adapters/process/log.ts';
import { makeCertificate } from '../../../../services/adapters/tls/certificates.ts';
import {
  connectMongo,
  ensureIndexes,
} from '../../../../services/adapters/mongo/database/connection.ts';
import {
  isDuplicateKey,
  isTemporary,
} from '../../../../services/adapters/mongo/database/errors.ts';
import { testDir, testMongo } from '../../../support/servers.ts';
import { startTestDatabase } from '../../../support/test-database.ts';

const log = createLog('silent');

test('the database is the one in the URI, else inlet', async () => {
  await using database = await testMongo();
  await using named = await connectMongo(database.uri, log);
  expect(named.db.databaseName).toBe(database.databaseName);
  await named.ping();
  const bare = new URL(database.uri);
  bare.pathname = '/';
  await using unnamed = await connectMongo(bare.href, log);
  expect(unnamed.db.databaseName).toBe('inlet');
});

test('with a certificate authority, the connection uses TLS', async () => {
  await using database = await testMongo(); // it speaks no TLS
  await using dir = await testDir();
  const caFile = join(dir.path, 'ca.crt');
  await writeFile(caFile, (await makeCertificate(['localhost'])).ca);
  await expect(connectMongo(database.uri, log, { withinMs: 0, caFile })).rejects.toThrow(
    'connect to MongoDB',
  );
  const absent = { withinMs: 0, caFile: join(dir.path, 'absent.crt') };
  await expect(connectMongo(database.uri, log, absent)).rejects.toMatchObject({
    cause: { message: expect.stringContaining('absent.crt') },
  });
});

test('indexes can be created by several processes at the same time, and again', async () => {
  await using mongo = await startTestDatabase();
  const wanted = [
    { collection: 'things', indexes: [{ key: { name: 1 }, name: 'name', unique: true }] },
  ];
  await Promise.all([1, 2, 3, 4].map(() => ensureIndexes(mongo.db, wanted)));
  await ensureIndexes(mongo.db, wanted);
  expect((await mongo.db.collection('things').indexes()).map(({ name }) => name)).toEqual([
    '_id_',
    'name',
  ]);

  const things = mongo.db.collection<{ name: string }>('things');
  await things.insertOne({ name: 'one' });
  const error: unknown = await things.insertOne({ name: 'one' }).catch((fault: unknown) => fault);
  expect([isDuplicateKey(error), isTemporary(error)]).toEqual([true, false]);
});

test('an index of an earlier release is dropped after the current ones are created, and again', async () => {
  await using mongo = await startTestDatabase();
  await ensureIndexes(mongo.db, [
    { collection: 'things', indexes: [{ key: { name: 1 }, name: 'name', unique: true }] },
  ]);
  const wanted = [
    {
      collection: 'things',
      indexes: [{ key: { name: 1, owner: 1 }, name: 'name_of_owner', unique: true }],
      former: ['name'],
    },
  ];
  await Promise.all([1, 2, 3].map(() => ensureIndexes(mongo.db, wanted)));
  await ensureIndexes(mongo.db, wanted);
  expect((await mongo.db.collection('things').indexes()).map(({ name }) => name)).toEqual([
    '_id_',
    'name_of_owner',
  ]);
});

test('an index that conflicts with an existing one reports the collection', async () => {
  await using mongo = await startTestDatabase();
  await ensureIndexes(mongo.db, [
    { collection: 'things', indexes: [{ key: { name: 1 }, name: 'name' }] },
  ]);
  await expect(
    ensureIndexes(mongo.db, [
      { collection: 'things', indexes: [{ key: { name: 1 }, name: 'name', unique: true }] },
    ]),
  ).rejects.toThrow('create the indexes of things');
});

test('a URI that can never work fails immediately', async () => {
  await expect(connectMongo('mongodb://127.0.0.1:1/?nonsense=1', log)).rejects.toThrow('nonsense');
});

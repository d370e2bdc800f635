/**
 * The servers that standalone and the tests start: data survives a kill, ports stay the same,
 * errors are one sentence.
 */
import { join } from 'node:path';

import { MongoClient } from 'mongodb';
import { expect, inject, test } from 'vitest';

import { startMongod } from '../../services/standalone/processes/mongod.ts';
import { startNatsServer } from '../../services/standalone/processes/nats-server.ts';
import { startTestMongod, startTestNats, testDir, testMongo } from '../support/servers.ts';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';

test('a message that nats-server acknowledged survives kill -9 and a restart on the same port', async () => {
  await using nats = await startTestNats();
  const first = await connect({ servers: nats.url });
  await (await jetstreamManager(first)).streams.add({ name: 'S', subjects: ['s'] });
  await jetstream(first).publish('s', 'kept');
  const pid = nats.pid();
  await Promise.all([first.closed(), nats.kill(), first.close()]);
  await nats.restart();
  expect(nats.pid()).not.toBe(pid);

  const second = await connect({ servers: nats.url });
  const message = await (await jetstreamManager(second)).streams.getMessage('S', { seq: 1 });
  expect(message?.string()).toBe('kept');
  await second.close();
});

test('nats-server accepts further JetStream settings', async () => {
  await using nats = await startTestNats({ jetstream: { max_file_store: '1MB' } });
  const connection = await connect({ servers: nats.url });
  expect((await (await jetstreamManager(connection)).getAccountInfo()).limits).toBeDefined();
  expect(connection.info?.max_payload).toBe(8 * 1024 * 1024);
  await connection.close();
});

test('a majority write survives kill -9 of mongod and a restart on the same port', async () => {
  await using mongod = await startTestMongod();
  await using client = new MongoClient(mongod.url);
  await client
    .db('d')
    .collection('c')
    .insertOne({ kept: true }, { writeConcern: { w: 'majority' } });
  await mongod.kill();
  await mongod.restart();
  expect(await client.db('d').collection('c').findOne({})).toMatchObject({ kept: true });
});

test('mongod opens its data on another port than before', async () => {
  await using dir = await testDir();
  const options = {
    binary: inject('mongodBinary'),
    dataDir: join(dir.path, 'data'),
    logFile: join(dir.path, 'log'),
  };
  const first = await startMongod(options);
  await first.stop();
  await using second = await startMongod(options);
  expect(second.port).not.toBe(first.port);
  await using client = new MongoClient(second.url);
  await client
    .db('d')
    .collection('c')
    .insertOne({}, { writeConcern: { w: 'majority' } });
});

test('each test file has its own database, with transactions', async () => {
  await using one = await testMongo();
  await using other = await testMongo();
  expect(one.databaseName).not.toBe(other.databaseName);
  await using client = new MongoClient(one.uri);
  await client.withSession((session) =>
    session.withTransaction(() => client.db().collection('c').insertOne({}, { session })),
  );
  expect(await client.db().collection('c').countDocuments()).toBe(1);
});

test('a server that exits while starting is reported with its reason', async () => {
  await using dir = await testDir();
  const options = {
    binary: inject('natsServerBinary'),
    dataDir: join(dir.path, 'data'),
    logFile: join(dir.path, 'log'),
    server: { nonsense: 1 },
  };
  await expect(startNatsServer(options)).rejects.toMatchObject({
    message: 'nats-server exited while starting',
    cause: { message: expect.stringContaining('nonsense') },
  });
});

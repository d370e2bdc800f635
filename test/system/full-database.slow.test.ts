/**
 * The disk of MongoDB is full, which needs a file system of its own: mongod ends itself. Email that was accepted
 * waits, and other email is deferred. Once the volume is larger, all of it is delivered.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';

import { startMongod } from '../../services/standalone/processes/mongod.ts';
import { startPipeline } from '../support/pipeline.ts';
import { testDir } from '../support/servers.ts';
import { smallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

const MIB = 1024 * 1024;

test('a full disk of MongoDB defers email and loses none', async (context) => {
  await using dir = await testDir();
  await using disk = await smallDisk(dir.path, 700);
  if (disk === undefined) {
    context.skip();
    return;
  }
  await using logs = await testDir();
  const start = (port = 0) =>
    startMongod({
      binary: inject('mongodBinary'),
      dataDir: join(dir.path, 'db'),
      logFile: join(logs.path, 'mongod.log'),
      port,
    });
  const full = await start();
  await using pipeline = await startPipeline({ mongoUri: full.url });
  const { receiver, mailer, mongo } = pipeline;
  const known = await pipeline.address('/known');
  const other = await pipeline.address('/other');
  const send = ({ address }: { address: string }, subject: string) =>
    mailer
      .sendMail({ from: 'bob@sender.example', to: address, subject, text: subject })
      .then(() => 250)
      .catch(({ responseCode }: { responseCode?: number }) => responseCode);
  expect(await send(known, 'before')).toBe(250);
  await receiver.nth('/known', 1);

  const filler = mongo.db.collection('filler');
  while (!full.hasExited())
    await filler.insertOne({ bytes: randomBytes(8 * MIB) }).catch(() => undefined);
  const answers = [await send(known, 'meanwhile'), await send(other, 'meanwhile')];
  expect([250, 451]).toContain(answers[0]); // 250 while the gateway remembers the address
  expect(answers[1]).toBe(451);

  await disk.enlarge(4_096);
  await using _ = await start(full.port);
  const accepted = async () => (await send(other, 'after')) === 250;
  await until('email to be accepted again', accepted, 120_000);
  await receiver.nth('/known', answers[0] === 250 ? 2 : 1);
  await receiver.nth('/other', 1);
  const records = mongo.db.collection('deliveries');
  await until(
    'every accepted email to have its record',
    async () =>
      (await records.countDocuments({ status: 'delivered' })) ===
      receiver.received('/known').length + receiver.received('/other').length,
  );
});

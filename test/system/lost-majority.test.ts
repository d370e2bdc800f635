/**
 * D288: MongoDB's primary loses its majority between a write and its use, and the next primary does not have the
 * write. What a gateway has accepted meanwhile is delivered: its key was not taken back.
 */
import { createTransport, type Transporter } from 'nodemailer';
import { type Db, MongoClient } from 'mongodb';
import { expect, inject, test } from 'vitest';

import { createAccounts } from '../../services/adapters/mongo/account/accounts.ts';
import {
  ACCOUNT_KEYS,
  createAccountKeys,
  type StoredAccountKey,
} from '../../services/adapters/mongo/account/account-keys.ts';
import { createSecretBox } from '../../services/adapters/mongo/database/secrets.ts';
import { readConfig } from '../../services/adapters/process/config.ts';
import { startDispatcher } from '../../services/dispatcher/dispatcher.ts';
import { DispatcherConfig } from '../../services/dispatcher/process/config.ts';
import { startGateway } from '../../services/gateway/gateway.ts';
import { GatewayConfig } from '../../services/gateway/process/config.ts';
import { startMongoReplicaSet } from '../support/mongo-replica-set.ts';
import { log, startPipeline } from '../support/pipeline.ts';
import { testDir } from '../support/servers.ts';
import { until } from '../support/until.ts';

test('no email is accepted under a key that a failover takes back', async () => {
  await using dir = await testDir();
  await using members = await startMongoReplicaSet(inject('mongodBinary'), dir.path);
  await using pipeline = await startPipeline({
    env: { ENCRYPT_CONTENT: 'true' },
    mongoUri: members.url,
    withDispatcher: false,
  });
  const { settings, receiver, mailer, mongo } = pipeline;
  const accounts = createAccounts(mongo.db);
  const box = createSecretBox([Buffer.from(settings.SECRET_KEYS ?? '', 'base64')]);
  const former = await accounts.create({ email: 'former@a.example', name: 'Former' });
  await createAccountKeys(mongo.db, box).ensure(former.id); // so that their collection is there
  const { id } = await accounts.create({ email: 'ann@a.example', name: 'Ann' });
  const { address: to } = await pipeline.address('/mail', { account_id: id });
  const send = (by: Transporter, subject: string): Promise<boolean> =>
    by.sendMail({ from: 'bob@sender.example', to, subject, text: subject }).then(
      () => true,
      () => false,
    );

  await members.loseMajority();
  {
    await using other = await startGateway(readConfig(GatewayConfig, settings), log);
    const through = { host: '127.0.0.1', port: Number(other.announce.smtp_port), ignoreTLS: true };
    void send(createTransport(through), 'makes the key');
    await using primary = new MongoClient(members.primaryUrl);
    const keyIn = (db: Db) => db.collection<StoredAccountKey>(ACCOUNT_KEYS).findOne({ _id: id });
    const alone = primary.db(mongo.db.databaseName);
    await until('a key that no other member has', () => keyIn(alone));
    expect(await keyIn(mongo.db)).toBeNull();
  } // and this gateway goes away with its write
  const subjects = Array.from({ length: 5 }, (_, at) => `without a majority ${at}`);
  const answers = await Promise.all(subjects.map((subject) => send(mailer, subject)));
  const accepted = subjects.filter((_, at) => answers[at]);
  await members.failOver();
  await until('an email after the failover', () => send(mailer, 'afterwards'));

  await using _dispatcher = await startDispatcher(readConfig(DispatcherConfig, settings), log);
  const records = mongo.db.collection<{ subject: string; status: string }>('deliveries');
  await until('all outcomes', async () => {
    const ended = { status: { $in: ['delivered', 'failed'] } };
    return (await records.countDocuments(ended)) >= accepted.length + 1;
  });
  const delivered = receiver.received('/mail').map(({ payload }) => payload.headers.subject);
  expect(new Set(delivered)).toEqual(new Set([...accepted, 'afterwards']));
});

/**
 * Replies while a server behind the gateway is down or full: 451 or 452, never 250 without the
 * email on disk, never a 5xx (D21).
 */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';

import { createAddresses } from '../../../services/adapters/mongo/address/addresses.ts';
import { connectMongo } from '../../../services/adapters/mongo/database/connection.ts';
import { createSecretBox } from '../../../services/adapters/mongo/database/secrets.ts';
import { newAddress } from '../../support/new-address.ts';
import { log, startPipeline } from '../../support/pipeline.ts';
import { startTestMongod } from '../../support/servers.ts';
import { dialogue, play } from '../../support/smtp-play.ts';
import { until } from '../../support/until.ts';
import { rawMail as raw, sendByHand } from '../send-by-hand.ts';
import { storedMails } from '../stored-mail.ts';

test('checklist 14: without NATS: not ready, 451; with NATS again: ready, the email is stored once', async () => {
  await using pipeline = await startPipeline({ withDispatcher: false });
  const readyz = async () =>
    (await fetch(pipeline.metricsUrls.gateway.replace('/metrics', '/readyz'))).status;
  expect(await readyz()).toBe(200);
  const { address, id } = await pipeline.address('/unused');
  expect(await sendByHand(pipeline.smtpPort, address, raw('before'))).toMatch(/^250 /);
  await pipeline.natsServer.kill();
  expect(await sendByHand(pipeline.smtpPort, address, raw('the mail'))).toBe(
    '451 4.3.0 Temporary failure, try again later',
  );
  await until('not ready', async () => (await readyz()) === 503);
  expect(await (await fetch(pipeline.metricsUrls.gateway)).text()).toMatch(
    /inlet_backend_connected\{backend="nats",component="gateway"\} 0/,
  ); // the page comes all the same
  await pipeline.natsServer.restart();
  await until('a 250', async () =>
    (await sendByHand(pipeline.smtpPort, address, raw('the mail'))).startsWith('250 '),
  );
  await until('ready', async () => (await readyz()) === 200);
  const subjects = async () =>
    (await storedMails(pipeline.nats, id)).map(({ event }) => event.subject);
  await until('the connection of the test', () => pipeline.nats.isConnected());
  expect(await subjects()).toHaveLength(2);
  expect(new Set(await subjects())).toEqual(new Set(['before', 'the mail']));
});

test('checklist 15, D21: without MongoDB, cached addresses receive mail and others get 451', async () => {
  await using mongod = await startTestMongod();
  await using mongo = await connectMongo(mongod.url, log);
  await using pipeline = await startPipeline({
    withDispatcher: false,
    env: { MONGODB_URI: mongod.url },
  });
  const addresses = createAddresses(mongo.db, createSecretBox([randomBytes(32)]));
  const [known, unknown] = [
    newAddress('https://receiver.example/'),
    newAddress('https://receiver.example/'),
  ];
  for (const address of [known, unknown]) await addresses.insert(address);
  expect(await sendByHand(pipeline.smtpPort, known.address, raw('before'))).toMatch(/^250 /);

  await mongod.kill();
  expect(await sendByHand(pipeline.smtpPort, known.address, raw('during'))).toMatch(/^250 /);
  expect(await sendByHand(pipeline.smtpPort, unknown.address, raw('during'))).toBe(
    '451 4.3.0 Temporary failure, try again later',
  );
  expect(await sendByHand(pipeline.smtpPort, 'nobody@in.example', raw('during'))).toBe(
    '451 4.3.0 Temporary failure, try again later',
  );

  await mongod.restart();
  await until('a 250', async () =>
    (await sendByHand(pipeline.smtpPort, unknown.address, raw('after'))).startsWith('250 '),
  );
  expect(await sendByHand(pipeline.smtpPort, 'nobody@in.example', raw('after'))).toBe(
    '550 5.1.1 No such address',
  );
  expect(
    new Set((await storedMails(pipeline.nats, known.id)).map(({ event }) => event.subject)),
  ).toEqual(new Set(['before', 'during']));
});

test('checklist 7, 14: a full partition: 452, and what was taken before stays', async () => {
  await using pipeline = await startPipeline({
    withDispatcher: false,
    env: { PARTITIONS: '1', STREAM_MAX_BYTES: '200000' },
  });
  const { address, id } = await pipeline.address('/unused');
  const replies: string[] = [];
  while (replies.every((reply) => reply.startsWith('250 ')) && replies.length < 30)
    replies.push(
      await sendByHand(pipeline.smtpPort, address, raw(`mail ${replies.length}`, 50_000)),
    );
  expect(replies.at(-1)).toBe('452 4.3.1 Queue is full, try again later');
  expect(replies.length).toBeGreaterThan(1);
  expect((await storedMails(pipeline.nats, id)).map(({ event }) => event.subject)).toEqual(
    replies.slice(0, -1).map((_, i) => `mail ${i}`),
  );
});

test('above its limit of connections the gateway replies 421; refusals are counted by command and reply', async () => {
  await using pipeline = await startPipeline({
    withDispatcher: false,
    env: { MAX_CONNECTIONS: '2' },
  });
  {
    await using _one = await dialogue(pipeline.smtpPort);
    await using _two = await dialogue(pipeline.smtpPort);
    await using three = await dialogue(pipeline.smtpPort);
    expect(three.greeting).toBe('421 4.3.2 Too many connections, try again later');
    expect(await three.end()).toBe('');
  }
  await until('a free place', async () => {
    await using next = await dialogue(pipeline.smtpPort);
    return next.greeting.startsWith('220 ');
  });
  await play(pipeline.smtpPort, [
    ['EHLO mx.sender.example', '250'],
    ['MAIL FROM:<ann@sender.example>', '250'],
    ['RCPT TO:<nobody@in.example>', '550'],
  ]);
  expect(await (await fetch(pipeline.metricsUrls.gateway)).text()).toMatch(
    /inlet_mails_refused_total\{command="rcpt",reply="no_such_address",code="550",component="gateway"\} 1/,
  );
});

test('the last tenth of the connections is for networks that hold few of them', async () => {
  await using pipeline = await startPipeline({
    withDispatcher: false,
    env: { MAX_CONNECTIONS: '20' },
  });
  const crowd = await Promise.all(
    Array.from({ length: 20 }, () => dialogue(pipeline.smtpPort, '127.0.9.1')),
  );
  expect(crowd.filter(({ greeting }) => greeting.startsWith('220 '))).toHaveLength(18);
  await using other = await dialogue(pipeline.smtpPort, '127.0.9.2');
  expect(other.greeting).toMatch(/^220 /);
  for (const { socket } of crowd) socket.destroy();
});

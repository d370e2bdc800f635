/** Like outages.test.ts, after times that are fixed, and with disks that fill. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';

import { createAddresses } from '../../../services/adapters/mongo/address/addresses.ts';
import { connectMongo } from '../../../services/adapters/mongo/database/connection.ts';
import { createSecretBox } from '../../../services/adapters/mongo/database/secrets.ts';
import { newAddress } from '../../support/new-address.ts';
import { log, startPipeline } from '../../support/pipeline.ts';
import { startTestMongod } from '../../support/servers.ts';
import { dialogue } from '../../support/smtp-play.ts';
import { rawMail as raw, sendByHand } from '../send-by-hand.ts';
import { storedMails } from '../stored-mail.ts';

test('when all connections are in use, the longest idle one is closed; one with an email is not', async () => {
  await using pipeline = await startPipeline({
    withDispatcher: false,
    env: { MAX_CONNECTIONS: '3' },
  });
  const { address } = await pipeline.address('/unused');
  await using sender = await dialogue(pipeline.smtpPort);
  for (const line of ['EHLO a', 'MAIL FROM:<a@b.example>', `RCPT TO:<${address}>`, 'DATA'])
    await sender.say(line);
  await using oldest = await dialogue(pipeline.smtpPort);
  await using old = await dialogue(pipeline.smtpPort);
  const trickle = setInterval(() => oldest.socket.write('NOOP\r\n'), 1_000);
  await sleep(10_500);
  clearInterval(trickle);
  await using one = await dialogue(pipeline.smtpPort);
  await using two = await dialogue(pipeline.smtpPort);
  await using three = await dialogue(pipeline.smtpPort);
  expect([one, two, three].map(({ greeting }) => greeting.slice(0, 4))).toEqual([
    '220 ',
    '220 ',
    '421 ',
  ]);
  expect(await oldest.end()).toMatch(/421 4\.3\.2 Too many connections, try again later\r\n$/);
  expect(await old.hear()).toMatch(/^421 4\.3\.2 /);
  expect(await sender.say('Subject: x\r\n\r\nx\r\n.')).toMatch(/^250 /);
});

test('without MongoDB, a cached catch-all receives mail for names cached as unknown, not for others', async () => {
  await using mongod = await startTestMongod();
  await using mongo = await connectMongo(mongod.url, log);
  await using pipeline = await startPipeline({
    withDispatcher: false,
    env: { MONGODB_URI: mongod.url },
  });
  await createAddresses(mongo.db, createSecretBox([randomBytes(32)])).insert(
    newAddress('https://receiver.example/', { address: '*@own.example' }),
  );
  expect(await sendByHand(pipeline.smtpPort, 'ann@own.example', raw('before'))).toMatch(/^250 /);

  await mongod.kill();
  await sleep(5_100); // unknown keys are looked up again after 5 s
  expect(await sendByHand(pipeline.smtpPort, 'ann@own.example', raw('during'))).toMatch(/^250 /);
  expect(await sendByHand(pipeline.smtpPort, 'bob@own.example', raw('during'))).toMatch(
    /^451 4\.3\.0 /,
  );
});

test.each([
  ['a full disk of NATS', { PARTITIONS: '1' }, { max_file_store: 3_000_000 }, 300_000],
  [
    'a full disk of NATS, with payloads too large for a message',
    { PARTITIONS: '1' },
    { max_file_store: 3_000_000 },
    1_000_000,
  ],
])(
  'checklist 7, 14: %s: 452, and what was taken before stays',
  async (_, env, jetstream, bytes) => {
    await using pipeline = await startPipeline({
      withDispatcher: false,
      env,
      natsServer: { jetstream },
    });
    const { address, id } = await pipeline.address('/unused');
    const replies: string[] = [];
    while (replies.every((reply) => reply.startsWith('250 ')) && replies.length < 30)
      replies.push(
        await sendByHand(pipeline.smtpPort, address, raw(`mail ${replies.length}`, bytes)),
      );
    expect(replies.at(-1)).toBe('452 4.3.1 Queue is full, try again later');
    expect(replies.length).toBeGreaterThan(1);
    expect((await storedMails(pipeline.nats, id)).map(({ event }) => event.subject)).toEqual(
      replies.slice(0, -1).map((__, i) => `mail ${i}`),
    );
  },
);

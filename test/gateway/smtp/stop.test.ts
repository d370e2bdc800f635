/**
 * A gateway that stops: emails that clients have begun, or have just connected to send, are finished. Then, and
 * between emails, clients get 421 (RFC 5321 §3.8).
 */
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { once } from 'node:events';
import { expect, test } from 'vitest';

import { createAddresses } from '../../../services/adapters/mongo/address/addresses.ts';
import { readConfig } from '../../../services/adapters/process/config.ts';
import { connectMongo } from '../../../services/adapters/mongo/database/connection.ts';
import { connectNats } from '../../../services/adapters/stream/connection/connection.ts';
import { createSecretBox } from '../../../services/adapters/mongo/database/secrets.ts';
import { GatewayConfig } from '../../../services/gateway/process/config.ts';
import { startGateway } from '../../../services/gateway/gateway.ts';
import { newAddress } from '../../support/new-address.ts';
import { log } from '../../support/pipeline.ts';
import { startTestNats, testMongo } from '../../support/servers.ts';
import { atMost } from '../../support/slowdown.ts';
import { dialogue } from '../../support/smtp-play.ts';
import { storedMails } from '../stored-mail.ts';

/** A gateway with this grace period for clients, and an address that it accepts mail for. */
async function startLoneGateway(grace: string) {
  await using parts = new AsyncDisposableStack();
  const natsServer = parts.use(await startTestNats());
  const database = parts.use(await testMongo());
  const mongo = parts.use(await connectMongo(database.uri, log));
  const nats = parts.use(await connectNats({ url: natsServer.url, name: 'test' }, log));
  const settings = {
    NATS_URL: natsServer.url,
    MONGODB_URI: database.uri,
    METRICS_HOST: '127.0.0.1',
    METRICS_PORT: '0',
    SMTP_HOST: '127.0.0.1',
    SMTP_PORT: '0',
    SMTP_STOP_GRACE: grace,
  };
  const gateway = await startGateway(readConfig(GatewayConfig, settings), log);
  const address = newAddress('https://receiver.example/');
  await createAddresses(mongo.db, createSecretBox([randomBytes(32)])).insert(address);
  const running = parts.move();
  return {
    port: Number(gateway.announce.smtp_port),
    address,
    nats,
    stop: () => gateway[Symbol.asyncDispose](),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

type Gateway = Awaited<ReturnType<typeof startLoneGateway>>;
type Smtp = Awaited<ReturnType<typeof dialogue>>;

async function beginEmail(smtp: Smtp, { address }: Gateway): Promise<void> {
  for (const line of [
    'EHLO mx.sender.example',
    'MAIL FROM:<ann@sender.example>',
    `RCPT TO:<${address.address}>`,
    'DATA',
  ])
    expect(await smtp.say(line)).toMatch(/^[23]/);
}

async function halfAnEmail(gateway: Gateway): Promise<Smtp> {
  const smtp = await dialogue(gateway.port);
  await beginEmail(smtp, gateway);
  smtp.socket.write('Subject: half\r\n\r\nfirst half\r\n');
  return smtp;
}

const STORED = /^250 2\.6\.0 OK: stored as evt_/;

test('checklist 28: each client may finish its email, which is stored, and then gets 421', async () => {
  await using gateway = await startLoneGateway('60s');
  await using smtp = await halfAnEmail(gateway);
  await using connected = await dialogue(gateway.port);
  await using silent = await dialogue(gateway.port);
  await using idle = await dialogue(gateway.port);
  await beginEmail(idle, gateway);
  expect(await idle.say('.')).toMatch(STORED);

  const startedAt = Date.now();
  const stopped = gateway.stop();
  expect(await idle.hear()).toMatch(/^421 /);
  await beginEmail(connected, gateway);
  expect(await connected.say('.')).toMatch(STORED);
  expect(await connected.hear()).toMatch(/^421 /);
  const refused = connect(gateway.port, '127.0.0.1');
  await expect(once(refused, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });

  expect(await smtp.say('second half\r\n.')).toMatch(STORED);
  expect(await smtp.hear()).toMatch(/^421 /);
  expect(await silent.hear()).toMatch(/^421 /);
  await stopped;
  expect(Date.now() - startedAt).toBeLessThan(atMost(20_000));
  const stored = await storedMails(gateway.nats, gateway.address.id);
  expect(stored).toHaveLength(3);
  expect(stored.map(({ payload }) => payload.content.text)).toContain('first half\nsecond half\n');
});

test('checklist 28: a client that does not finish its email in time gets 421 and keeps the email', async () => {
  await using gateway = await startLoneGateway('300ms');
  await using smtp = await halfAnEmail(gateway);
  const stopped = gateway.stop();
  expect(await smtp.hear()).toMatch(/^421 /);
  await stopped;
  expect(await storedMails(gateway.nats, gateway.address.id)).toEqual([]);
});

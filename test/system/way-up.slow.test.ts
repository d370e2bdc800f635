/**
 * The way up of docs/upgrade.md, from one machine to the small profile and to production, while senders send all
 * the time and repeat each email until its 250: no email is lost, none comes under two ids.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

import { jetstreamManager } from '@nats-io/jetstream';
import { MongoClient } from 'mongodb';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

import { createAddresses } from '../../services/adapters/mongo/address/addresses.ts';
import { connectMongo } from '../../services/adapters/mongo/database/connection.ts';
import { setUpMongo } from '../../services/adapters/mongo/database/replica-set.ts';
import { createSecretBox } from '../../services/adapters/mongo/database/secrets.ts';
import { ApiConfig } from '../../services/api/process/config.ts';
import { startApi } from '../../services/api/api.ts';
import { readConfig } from '../../services/adapters/process/config.ts';
import { connectNats } from '../../services/adapters/stream/connection/connection.ts';
import { existingStreamNames } from '../../services/adapters/stream/snapshots.ts';
import { DispatcherConfig } from '../../services/dispatcher/process/config.ts';
import { startDispatcher } from '../../services/dispatcher/dispatcher.ts';
import { GatewayConfig } from '../../services/gateway/process/config.ts';
import { startGateway } from '../../services/gateway/gateway.ts';
import { runCommand } from '../support/inlet-command.ts';
import { newKeyfile, startMongoMember, type MongoMember } from '../support/mongo-members.ts';
import { type NatsCluster, startNatsCluster } from '../support/nats-cluster.ts';
import { newAddress } from '../support/new-address.ts';
import { log } from '../support/pipeline.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startTestMongod, startTestNats, testDir } from '../support/servers.ts';
import { until } from '../support/until.ts';

const OPEN = 'open@in.example';
/** Its receiver takes nothing before the end of the way. */
const CLOSED = 'closed@in.example';
const SENDERS = 3;
const PAUSE_MS = 30;
const TIMEOUTS = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 15_000 };
const PASSWORD = randomBytes(12).toString('hex');
const key = randomBytes(32).toString('base64');
const keyfile = newKeyfile();

const parts = new AsyncDisposableStack();
let receiver: Receiver;
let dir: string;
let isClosed = true;
let token = '';
/** What the settings of the services are at this point of the way. */
let env: Record<string, string>;
let services: Services | undefined;
const members: MongoMember[] = [];
let cluster: NatsCluster;

type Services = AsyncDisposable & { smtpPort: number; apiPort: number };

async function startServices(): Promise<Services> {
  await using started = new AsyncDisposableStack();
  const gateway = started.use(await startGateway(readConfig(GatewayConfig, env), log));
  started.use(await startDispatcher(readConfig(DispatcherConfig, env), log));
  const api = started.use(await startApi(readConfig(ApiConfig, env), log));
  const running = started.move();
  return {
    smtpPort: Number(gateway.announce.smtp_port),
    apiPort: Number(api.announce.api_port),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** `maintenance` of the chart: no service runs. */
async function stopServices(): Promise<void> {
  const running = services;
  services = undefined;
  await running?.[Symbol.asyncDispose]();
}

async function admin(args: string[], input?: Buffer): Promise<Buffer> {
  const output = new PassThrough();
  const written = buffer(output);
  const { code, err } = await runCommand(['admin', '--timeout', '1m', ...args], {
    env,
    byteOutput: () => output,
    ...(input && { byteInput: () => Readable.from([input]) }),
  });
  output.end();
  if (code !== 0) throw new Error(`inlet admin ${args.join(' ')}: ${err}`);
  return written;
}

async function adminJson(...args: string[]): Promise<{ id: string; token: string }> {
  const { out } = await runCommand(['admin', ...args], { env });
  return JSON.parse(out) as { id: string; token: string };
}

/** Emails by subject that got a 250. */
const accepted = new Set<string>();
let deferred = 0;
let [isSending, isOver] = [true, false];
const sending: Promise<void>[] = [];

/** As mail servers do: each email until its 250, with the same Message-ID. */
async function send(to: string, subject: string, text = 'text'): Promise<void> {
  const email = {
    from: 'ann@sender.example',
    to,
    subject,
    text,
    messageId: `<${randomBytes(9).toString('hex')}@sender.example>`,
  };
  for (;;) {
    const mailer = createTransport({
      host: '127.0.0.1',
      port: services?.smtpPort ?? 1, // nobody listens there
      ignoreTLS: true,
      ...TIMEOUTS,
    });
    try {
      await mailer.sendMail(email);
      accepted.add(subject);
      return;
    } catch (error) {
      const { responseCode = 0 } = error as { responseCode?: number };
      if (responseCode >= 500 || isOver) throw error;
      deferred++;
      await sleep(10 * PAUSE_MS);
    } finally {
      mailer.close();
    }
  }
}

async function sendAllTheTime(sender: number): Promise<void> {
  for (let i = 0; isSending; i++) {
    await send(i % 10 === 9 ? CLOSED : OPEN, `${sender} ${i}`);
    await sleep(PAUSE_MS);
  }
}

/** Emails flow, and their webhooks come. */
async function flows(): Promise<void> {
  const from = accepted.size;
  await until('emails to flow', () => accepted.size > from + 20);
  const subject = randomBytes(6).toString('hex');
  await send(OPEN, subject);
  await until('the webhook of a new email', () => delivered().has(subject));
}

/** Event ids by subject, of the webhooks that were taken. */
function delivered(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { payload, status } of receiver.received()) {
    if (status !== 200) continue;
    const { subject } = payload.headers;
    found.set(subject ?? '', (found.get(subject ?? '') ?? new Set()).add(payload.event_id));
  }
  return found;
}

/** Of each stream, those that are up to date. */
async function copiesOfStreams(): Promise<number[]> {
  await using nats = await connectNats({ url: env['NATS_URL'] ?? '', name: 'test' }, log);
  const manager = await jetstreamManager(nats.connection);
  const copies: number[] = [];
  for (const name of await existingStreamNames(nats)) {
    const { cluster: peers } = await manager.streams.info(name);
    copies.push(1 + (peers?.replicas ?? []).filter(({ current }) => current).length);
  }
  return copies;
}

beforeAll(async () => {
  dir = parts.use(await testDir()).path;
  receiver = parts.use(await startReceiver(dir));
  receiver.answer('/closed', () => (isClosed ? 503 : 200));
  const [nats, mongod] = [parts.use(await startTestNats()), parts.use(await startTestMongod())];
  env = {
    NATS_URL: nats.url,
    MONGODB_URI: mongod.url.replace('/?', '/inlet?'),
    SECRET_KEYS: key,
    METRICS_HOST: '127.0.0.1',
    METRICS_PORT: '0',
    SMTP_HOST: '127.0.0.1',
    SMTP_PORT: '0',
    API_HOST: '127.0.0.1',
    INBOUND_DOMAIN: 'in.example',
    API_PORT: '0',
    SMTP_STOP_GRACE: '2s',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    WEBHOOK_CA_FILE: receiver.caFile,
    RETRY_SCHEDULE: '1h', // a request makes them due at the end
    MAIL_AUTH: 'false',
  };
  await using mongo = await connectMongo(env['MONGODB_URI'] ?? '', log);
  const account = await adminJson('account', 'create', '--email', 'you@example.com', '--name', 'a');
  ({ token } = await adminJson('token', 'create', '--account', account.id, '--name', 'first'));
  const addresses = createAddresses(mongo.db, createSecretBox([Buffer.from(key, 'base64')]));
  for (const [address, path] of [
    [OPEN, '/open'],
    [CLOSED, '/closed'],
  ] as const)
    await addresses.insert(newAddress(receiver.url(path), { account_id: account.id, address }));
  services = await startServices();
  for (let sender = 0; sender < SENDERS; sender++) sending.push(sendAllTheTime(sender));
});
afterAll(async () => {
  [isSending, isOver] = [false, true];
  await Promise.allSettled(sending);
  await stopServices();
  await parts.disposeAsync();
});

test('M.4: from one machine to the small profile: a backup moves the data to other servers', async () => {
  await send(CLOSED, 'large', 'a text of many words '.repeat(60_000));
  await flows();
  await stopServices();
  const backup = await admin(['backup']);
  members.push(parts.use(await startMongoMember(dir, keyfile)));
  env = {
    ...env,
    NATS_URL: parts.use(await startTestNats()).url,
    MONGODB_URI: await replicaSet(),
  };
  await admin(['restore'], backup);
  services = await startServices();
  await flows();
  expect(accepted).toContain('large');
});

/** Makes the members a replica set, as the Job of the chart does. */
async function replicaSet(): Promise<string> {
  const hosts = members.map(({ host }) => host);
  const users = [
    { database: 'admin', name: 'admin', password: PASSWORD, role: 'root' as const },
    { database: 'inlet', name: 'inlet', password: PASSWORD, role: 'readWrite' as const },
  ];
  await setUpMongo({ hosts, keyfile, users }, log);
  return `mongodb://inlet:${PASSWORD}@${hosts.join(',')}/inlet?replicaSet=rs0&authSource=inlet`;
}

test('M.4: MongoDB grows from one member to three while emails flow, and then outlives its primary', async () => {
  for (let i = 0; i < 2; i++) members.push(parts.use(await startMongoMember(dir, keyfile)));
  const deferredBefore = deferred;
  env = { ...env, MONGODB_URI: await replicaSet() };
  await replicaSet(); // a second run of the Job changes nothing
  await using admins = await new MongoClient(
    `mongodb://admin:${PASSWORD}@${members.map(({ host }) => host).join(',')}/admin?replicaSet=rs0`,
  ).connect();
  const statesOf = async () => {
    const { members: found } = await admins.db().command({ replSetGetStatus: 1 });
    return (found as { stateStr: string }[]).map(({ stateStr }) => stateStr).toSorted();
  };
  await until('two secondaries', async () =>
    (await statesOf()).join() === 'PRIMARY,SECONDARY,SECONDARY' ? true : undefined,
  );
  await flows();
  expect(deferred).toBe(deferredBefore);

  // the pods restart with the longer URI, the new one before the old one stops
  const former = services;
  services = await startServices();
  await former?.[Symbol.asyncDispose]();
  await members[0]?.kill();
  await flows();
});

test('M.4: from one NATS node to three: the streams move, and have three copies', async () => {
  await stopServices();
  const mail = await admin(['backup', '--only-mail']);
  cluster = parts.use(await startNatsCluster({ binary: inject('natsServerBinary'), dir }));
  env = { ...env, NATS_URL: cluster.url, STREAM_REPLICAS: '3' };
  await admin(['restore'], mail);
  services = await startServices();
  await flows();
  await cluster.healthy();
  await until('three copies of every stream', async () => {
    const copies = await copiesOfStreams();
    return (copies.length > 10 && copies.every((number) => number === 3)) || undefined;
  });
  await cluster.nodes[0]?.kill();
  await flows();
  await cluster.nodes[0]?.start();
  await cluster.healthy();
  expect(await copiesOfStreams()).toContain(3);
});

async function makeRetriesDue(port: number): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/deliveries/replay`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"status": "retrying"}',
  });
  expect([response.status, await response.text()]).toEqual([
    expect.toBeOneOf([200, 429, 503]), // asked again
    expect.anything(),
  ]);
}

const AGAIN_MS = 15_000;

test('M.4: every email of the way has arrived, once it could, under one id', async () => {
  expect(services).toBeDefined(); // without them, no sender ends
  isSending = false;
  await Promise.all(sending);
  isClosed = false;
  let askAtMs = 0; // and again: an attempt that began before may fail after it
  await until('every email', async () => {
    const found = delivered();
    if ([...accepted].every((subject) => found.has(subject))) return true;
    if (Date.now() < askAtMs) return false;
    askAtMs = Date.now() + AGAIN_MS;
    await makeRetriesDue(services?.apiPort ?? 0);
    return false;
  });
  const ids = [...delivered().values()].map(({ size }) => size);
  expect(Math.max(...ids)).toBe(1);
  expect(accepted).toContain('large');
  expect(deferred).toBeGreaterThan(0); // the moves were felt
  if (process.env['TEST_LOG'])
    process.stdout.write(`${accepted.size} accepted, ${deferred} times deferred\n`);
});

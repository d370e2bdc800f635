/**
 * The policy for all sockets (D292): a handshake of a second succeeds wherever Inlet connects, a dead
 * address leaves time for the next one, and a limit is a limit.
 */
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { once } from 'node:events';
import {
  type AddressInfo,
  createServer,
  getDefaultAutoSelectFamilyAttemptTimeout,
  setDefaultAutoSelectFamilyAttemptTimeout,
  Socket,
} from 'node:net';
import { KubeConfig } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createClamd } from '../../../services/adapters/clamd/clamd.ts';
import { chooseSocketDefaults, openSocket } from '../../../services/adapters/dns/sockets.ts';
import { createCheckedHttp } from '../../../services/adapters/http/checked-http.ts';
import { createRspamd } from '../../../services/adapters/http/rspamd.ts';
import { createTrustingFetch } from '../../../services/adapters/http/trusting-fetch.ts';
import { createWebhooks } from '../../../services/adapters/http/webhook.ts';
import { createSend } from '../../../services/adapters/kube/transport.ts';
import { connectMongo } from '../../../services/adapters/mongo/database/connection.ts';
import { createSubmission } from '../../../services/adapters/smtp/lmtp-client.ts';
import { sendMail } from '../../../services/adapters/smtp/mail-client.ts';
import { createLog } from '../../../services/adapters/process/log.ts';
import { connectNats } from '../../../services/adapters/stream/connection/connection.ts';
import { openLogExporter } from '../../../services/adapters/tracing/log-sdk.ts';
import { createFetch } from '../../../services/cli/api/fetch.ts';
import { certificateOf, converse, reach } from '../../../services/cli/doctor/probes.ts';
import { addressLimitMs } from '../../../services/core/network/deadlines.ts';
import { startSlowListener } from '../../support/slow-listener.ts';
import { until } from '../../support/until.ts';

const HOST = 'far.test';
/** A multicast address refuses TCP immediately, as an address without a route does. */
const NO_ROUTE = 'ff02::1';
const LOOPBACK = '127.0.0.1';
const DEAD = '127.0.0.2';
/** The SYN at the start is lost; that of a second later is not. */
const LOST_MS = 600;
const allowedNetworks = ['127.0.0.0/8', 'ff00::/8'];

let addresses = [LOOPBACK, NO_ROUTE];
/** By port: the addresses of each socket that Node gave up for the next one, and the connects. */
const givenUp: string[] = [];
const connected = new Set<number | undefined>();
const replaced = new DisposableStack();

beforeAll(() => {
  const { lookup } = dns;
  const found = (name: string, options: unknown, callback: (...found: unknown[]) => void) =>
    name === HOST
      ? callback(
          null,
          addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        )
      : Reflect.apply(lookup, dns, [name, options, callback]);
  dns.lookup = found as typeof lookup;
  syncBuiltinESMExports();
  // oxlint-disable-next-line typescript/unbound-method -- called with the socket
  const { connect } = Socket.prototype;
  Socket.prototype.connect = function noted(this: Socket, ...args: unknown[]) {
    this.on('connectionAttemptTimeout', (address, port) => givenUp.push(`${address}:${port}`));
    this.once('connect', () => connected.add(this.remotePort));
    return Reflect.apply(connect, this, args) as Socket;
  };
  replaced.defer(() => {
    dns.lookup = lookup;
    syncBuiltinESMExports();
    Socket.prototype.connect = connect;
  });
});
afterAll(() => replaced.dispose());

const log = createLog('silent');
const post = { method: 'POST', headers: {}, body: Buffer.from('{}') } as const;
const never = new AbortController().signal;
const mail = { from: 'a@far.test', to: 'b@far.test', subject: 'x', text: 'x' };
const text = 'Subject: x\r\n\r\nx\r\n';

type Open = (port: number, closing: AsyncDisposableStack) => unknown;
const webhook: (proxyUrl?: string) => Open = (proxyUrl) => (port, closing) =>
  closing
    .use(
      createWebhooks({
        timeoutMs: 30_000,
        allowedNetworks,
        proxyUrl: proxyUrl && `${proxyUrl}:${port}`,
      }),
    )
    .post(`https://${HOST}:${port}/`, {}, post.body);

/** Each way in which Inlet opens a socket with options of its own. */
const WITH_OPTIONS: [string, Open][] = [
  ['a webhook, a hook', webhook()],
  ['the egress proxy', webhook(`http://${HOST}`)],
  [
    'buckets, OAuth, Domain Connect, MTA-STS',
    (port, closing) =>
      closing
        .use(createCheckedHttp({ timeoutMs: 30_000, allowedNetworks, excerptBytes: 0 }))
        .send(`https://${HOST}:${port}/`, post),
  ],
  [
    'rspamd',
    (port, closing) =>
      closing
        .use(createRspamd({ url: `http://${HOST}:${port}`, password: undefined, timeoutMs: 5_000 }))
        .judge(Buffer.from(text), {
          envelope: { remoteIp: LOOPBACK, heloDomain: 'x', mailFrom: '' },
          recipients: [],
          queueId: 'x',
        }),
  ],
  [
    'an OpenID provider',
    async (port) => (await createTrustingFetch(undefined, 10_000))(`http://${HOST}:${port}/`, {}),
  ],
  [
    'the Kubernetes API',
    (port, closing) => {
      const send = createSend(new KubeConfig(), `http://${HOST}:${port}`);
      closing.defer(() => send.close());
      return send('GET', '/version', { signal: never });
    },
  ],
  [
    'MongoDB',
    (port) =>
      connectMongo(`mongodb://${HOST}:${port}/?directConnection=true`, log, { withinMs: 0 }),
  ],
  ['clamd', (port) => createClamd({ host: HOST, port }).scan(Buffer.from(text), never)],
  [
    'LMTP',
    (port) =>
      createSubmission({ host: HOST, port })?.({
        mailFrom: '',
        recipients: [],
        remoteIp: LOOPBACK,
        heloDomain: undefined,
        sizeBytes: 0,
        content: (async function* () {})(),
      }),
  ],
  ['inlet send', (port) => sendMail({ host: HOST, port }, mail)],
  ['inlet doctor: a port', (port) => reach({ host: HOST, port })],
  ['inlet doctor: a conversation', (port) => converse({ host: HOST, port }, () => undefined)],
  ['inlet doctor: a certificate', (port) => certificateOf({ host: HOST, port }, [])],
  [
    'inlet with a private authority',
    (port) => createFetch(['-'])(new Request(`https://${HOST}:${port}/`)),
  ],
];

/** Libraries without such options: the default of the process decides. */
const BY_DEFAULT: [string, Open][] = [
  ['inlet', (port) => createFetch([])(new Request(`http://${HOST}:${port}/`))],
  [
    'OpenTelemetry',
    (port, closing) =>
      closing
        .use(openLogExporter({ url: `http://${HOST}:${port}`, headers: {}, resource: {} }))
        .export([{ name: 'x', at: new Date(), body: 'x', attributes: {} } as never]),
  ],
  [
    'NATS',
    async (port, closing) =>
      closing.use(await connectNats({ url: `nats://${HOST}:${port}`, name: 'x' }, log)),
  ],
];

/** Whether `open` connected, and which addresses were given up before. */
async function tryOpen(open: Open) {
  await using closing = new AsyncDisposableStack();
  const listener = closing.use(await startSlowListener());
  const { port } = listener;
  connected.delete(port); // by what fills its queue
  let hasEnded = false;
  void Promise.resolve(open(port, closing))
    .catch(() => undefined)
    .then(() => (hasEnded = true));
  listener.acceptAfter(LOST_MS);
  await until('a connection', () => connected.has(port) || hasEnded);
  return {
    isConnected: connected.has(port),
    givenUp: givenUp.filter((address) => address.endsWith(`:${port}`)),
  };
}
const PATIENT = { isConnected: true, givenUp: [] };

describe('a host with an address whose handshake takes a second, and one without a route', () => {
  test.each(WITH_OPTIONS)('is reached by %s', async (_, open) => {
    expect(await tryOpen(open)).toEqual(PATIENT);
  });
});

describe('so it is by libraries, with the default that each process and thread chooses', () => {
  const before = getDefaultAutoSelectFamilyAttemptTimeout();
  beforeAll(() => chooseSocketDefaults());
  afterAll(() => setDefaultAutoSelectFamilyAttemptTimeout(before));
  test.each(BY_DEFAULT)('%s', async (_, open) => {
    expect(await tryOpen(open)).toEqual(PATIENT);
  });
});

/** A listener on each of these addresses, with one port: `DEAD` never accepts. */
async function startDeadAndAlive() {
  const parts = new AsyncDisposableStack();
  const server = createServer((socket) => void socket.resume().on('error', () => undefined));
  server.listen(0, LOOPBACK);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  parts.defer(() => void server.close());
  parts.use(await startSlowListener(DEAD, port));
  return Object.assign(parts, { port });
}

describe('a dead address', () => {
  test('leaves time for the next one, also within the shortest limit', async () => {
    addresses = [DEAD, NO_ROUTE, LOOPBACK];
    await using both = await startDeadAndAlive();
    const socket = await openSocket({ host: HOST, port: both.port }, 2_000);
    expect([socket.remoteAddress, givenUp.at(-1)]).toEqual([LOOPBACK, `${DEAD}:${both.port}`]);
    socket.destroy();
  });

  test('alone, it ends with the limit, for a webhook as well', async () => {
    addresses = [DEAD, DEAD];
    await using dead = await startSlowListener(DEAD);
    const { port } = dead;
    await expect(openSocket({ host: HOST, port }, 300)).rejects.toMatchObject({
      code: 'ETIMEDOUT',
      message: 'no connection within 0.3 s',
    });
    await using webhooks = createWebhooks({ timeoutMs: 300, allowedNetworks });
    const { outcome } = await webhooks.post(`https://${HOST}:${port}/`, {}, post.body);
    expect(outcome).toEqual({ kind: 'unreachable', reason: 'timeout' });
  });

  test('several of them leave most of the 30 s of an attempt', () => {
    expect([300, 2_000, 5_000, 30_000, undefined].map(addressLimitMs)).toEqual([
      210, 1_400, 3_500, 3_500, 3_500,
    ]);
  });
});

test('a signal ends a connect, and a port that cannot be is a rejection', async () => {
  addresses = [DEAD];
  await using dead = await startSlowListener(DEAD);
  const stop = new AbortController();
  const opening = openSocket({ host: HOST, port: dead.port }, 30_000, stop.signal);
  stop.abort(new Error('stopped'));
  await expect(opening).rejects.toThrow('stopped');
  await expect(openSocket({ host: HOST, port: 99_999 }, 30_000)).rejects.toMatchObject({
    code: 'ERR_SOCKET_BAD_PORT',
  });
});

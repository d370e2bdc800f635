/** K.5: a mail server is asked for its greeting and its certificate, within bounds. */
import { createHash, createPublicKey } from 'node:crypto';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createSecureContext,
  getCACertificates,
  setDefaultCACertificates,
  TLSSocket,
} from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { createDns } from '../../../services/adapters/dns/resolver.ts';
import { createMxProbe } from '../../../services/adapters/smtp/mx-probe.ts';
import { makeCertificate } from '../../../services/adapters/tls/certificates.ts';
import { createReadMxCertificate } from '../../../services/adapters/tls/mx-certificate.ts';
import { startTestDns, type TestDns } from '../../support/dns-server.ts';

type Talk = (socket: Socket) => void;

let dns: TestDns;
let server: Server;
let connections = 0;
/** What the server does with the next connection. */
let talk: Talk = () => undefined;
const parts = new AsyncDisposableStack();
const port = () => (server.address() as AddressInfo).port;

beforeAll(async () => {
  dns = parts.use(await startTestDns());
  server = createServer((socket) => {
    connections++;
    socket.on('error', () => undefined);
    talk(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  parts.defer(() => void server.close());
});
afterAll(() => parts.disposeAsync());

const probing = ({ allowed = ['127.0.0.0/8'], timeoutMs = 20_000, at = port() } = {}) => {
  const resolver = createDns({ servers: [dns.address], timeoutMs: 15_000, cacheTtlMs: 0 });
  parts.use(resolver);
  const probe = createMxProbe({
    dns: resolver,
    allowedNetworks: allowed,
    ownName: 'in.example',
    timeoutMs,
    port: at,
  });
  return (host: string, accountId = 'acc_a') => probe(host, accountId);
};
const inAnswerTo = (socket: Socket, replies: Record<string, string>, then?: () => void) => {
  socket.on('data', (data: Buffer) => {
    const command = data.toString().split(/[ \r]/)[0] ?? '';
    socket.write(replies[command] ?? '500 what\r\n', () => command === 'STARTTLS' && then?.());
  });
};

test.each<[string, Talk, object]>([
  ['refuses', (socket) => socket.end('554 go away\r\n'), { outcome: 'no_greeting' }],
  ['hangs up', (socket) => socket.end(), { outcome: 'no_greeting' }],
  [
    'sends no end of a reply',
    (socket) => socket.write('220-'.padEnd(20_000, 'x')),
    { outcome: 'no_greeting' },
  ],
  [
    'has no TLS, in a reply of several parts',
    (socket) => {
      socket.write('220-hello\r\n');
      setTimeout(() => socket.write('220 there\r\n'), 20);
      inAnswerTo(socket, { EHLO: '250-mx\r\n250 SIZE\r\n' });
    },
    { outcome: 'greeted', tls: 'not_offered' },
  ],
])('K.5: a server that %s', async (name, does, expected) => {
  const host = `${name.replaceAll(/\W/g, '-')}.example`;
  dns.set(host, { A: ['127.0.0.1'] });
  talk = does;
  expect(await probing()(host)).toMatchObject({ host, ...expected });
});

test('K.5: a server that is silent gets no answer after the timeout', async () => {
  dns.set('silent.example', { A: ['127.0.0.1'] });
  talk = () => undefined;
  expect(await probing({ timeoutMs: 200 })('silent.example')).toEqual({
    host: 'silent.example',
    outcome: 'no_greeting',
    tls: 'not_checked',
    detail: 'timeout',
  });
});

/** Speaks SMTP with STARTTLS. */
const withTls =
  ({ cert, key }: { cert: string; key: string }): Talk =>
  (socket) => {
    socket.write('220 hello\r\n');
    inAnswerTo(socket, { EHLO: '250-mx\r\n250 STARTTLS\r\n', STARTTLS: '220 go\r\n' }, () => {
      socket.removeAllListeners('data');
      const secureContext = createSecureContext({ cert, key });
      new TLSSocket(socket, { isServer: true, secureContext }).on('error', () => undefined);
    });
  };

test('K.5: a certificate is valid for a name in it, of an authority that is trusted', async () => {
  const pair = await makeCertificate(['mx.tls.example']);
  talk = withTls(pair);
  dns.set('mx.tls.example', { A: ['127.0.0.1'] });
  dns.set('mx2.tls.example', { A: ['127.0.0.1'] });
  const unknown = await probing()('mx.tls.example');
  setDefaultCACertificates([...getCACertificates('default'), pair.ca]);
  const probe = probing();
  expect([unknown, await probe('mx.tls.example'), await probe('mx2.tls.example')]).toMatchObject([
    { outcome: 'greeted', tls: 'invalid' },
    { outcome: 'greeted', tls: 'valid', detail: expect.stringMatching(/^until 20\d\d-/) },
    { outcome: 'greeted', tls: 'invalid', detail: 'ERR_TLS_CERT_ALTNAME_INVALID' },
  ]);
});

const tlsa = (data: Uint8Array) => ({ TLSA: [{ usage: 3, selector: 1, matching: 1, data }] });

test('X.7: TLSA records are compared with the key that the server presents', async () => {
  const pair = await makeCertificate(['mx.dane.example']);
  const key = createPublicKey(pair.cert).export({ type: 'spki', format: 'der' });
  const hash = createHash('sha256').update(key).digest();
  talk = withTls(pair);
  const zones = {
    mx: tlsa(hash),
    old: tlsa(Buffer.alloc(32)),
    none: {},
    mute: 'SERVFAIL' as const,
  };
  for (const [name, zone] of Object.entries(zones)) {
    dns.set(`${name}.dane.example`, { A: ['127.0.0.1'] });
    dns.set(`_25._tcp.${name}.dane.example`, zone);
  }
  const probe = probing();
  const answers = await Promise.all(
    Object.keys(zones).map((name) => probe(`${name}.dane.example`)),
  );
  const value = `3 1 1 ${hash.toString('hex')}`;
  expect(answers.map(({ dane }) => dane)).toEqual([
    { outcome: 'matches', value },
    { outcome: 'differs', value },
    { outcome: 'none', value },
    { outcome: 'not_checked', value },
  ]);
});

test('K.5: the names of the certificate are read from its file, without the key', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'inlet-mx-'));
  const file = join(folder.path, 'tls.crt');
  await writeFile(file, (await makeCertificate(['mx.tls.example', '*.mx.example'])).cert);
  expect(await createReadMxCertificate(file)()).toMatchObject({
    names: ['mx.tls.example', '*.mx.example'],
    isSelfSigned: false,
  });
  expect(await createReadMxCertificate(`${file}.missing`)()).toBeUndefined();
  expect(await createReadMxCertificate(undefined)()).toBeUndefined();
});

test('K.5: a refused connection, a name without address, and a DNS that fails', async () => {
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
  const at = (closed.address() as AddressInfo).port;
  await new Promise((resolve) => closed.close(resolve));
  dns.set('closed.example', { A: ['127.0.0.1'] });
  dns.set('fails.example', 'SERVFAIL');
  const probe = probing({ at });
  expect(await probe('closed.example')).toMatchObject({ outcome: 'refused' });
  expect(await probe('nowhere.example')).toMatchObject({ outcome: 'no_address' });
  expect(await probe('fails.example')).toMatchObject({ outcome: 'no_response' });
});

test.each(['127.0.0.1', '10.1.2.3', '169.254.169.254'])(
  'K.5: nothing connects to %s, which is not public',
  async (address) => {
    const host = `at-${address.replaceAll('.', '-')}.example`;
    dns.set(host, { A: ['192.0.2.1', address] });
    const before = connections;
    expect(await probing({ allowed: [] })(host)).toMatchObject({ outcome: 'not_public' });
    expect(connections).toBe(before);
  },
);

test('K.5: however often it is asked for, a host is connected to once in five minutes', async () => {
  dns.set('often.example', { A: ['127.0.0.1'] });
  talk = (socket) => socket.end('220 hello\r\n');
  const before = connections;
  const probe = probing();
  await Promise.all(Array.from({ length: 30 }, () => probe('often.example')));
  await probe('often.example');
  expect(connections).toBe(before + 1);
});

test('an account whose hosts hang leaves probes to another one', async () => {
  const names = Array.from({ length: 41 }, (_, at) => `hangs-${at}.example`);
  for (const name of names) dns.set(name, { A: ['127.0.0.1'] });
  talk = () => undefined;
  const probe = probing({ timeoutMs: 2_000 });
  const [other = '', ...ofOne] = names;
  const answers = ofOne.map((name) => probe(name));
  expect(await probe(other, 'acc_b')).toMatchObject({ outcome: 'no_greeting' });
  const asked = (await Promise.all(answers)).filter(({ outcome }) => outcome !== 'not_checked');
  expect(asked).toHaveLength(14); // 70 % of 20
});

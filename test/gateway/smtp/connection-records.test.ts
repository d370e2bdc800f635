/**
 * Every connection that ends badly leaves one log line, with the client's address and why; every
 * connection is counted; a flood is a few lines (D296).
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { expect, test } from 'vitest';

import { createLog } from '../../../services/adapters/process/log.ts';
import { ensureTls } from '../../../services/standalone/keys.ts';
import { startPipeline } from '../../support/pipeline.ts';
import { type Ends, proxyV1 } from '../../support/proxy-protocol.ts';
import { testDir } from '../../support/servers.ts';
import { dialogue, exchange, over, type SmtpDialogue, startTls } from '../../support/smtp-play.ts';
import { until } from '../../support/until.ts';
import { useInFile } from '../../support/use-in-file.ts';

type Line = Record<string, unknown> & { event: string; level: string; remote_ip?: string };

const lines: Line[] = [];
const log = createLog('info', {}, { write: (line) => void lines.push(JSON.parse(line) as Line) });
const dir = await useInFile(testDir());
const { certFile, keyFile } = await ensureTls(dir.path);
const ends: Ends = {
  source: '203.0.113.7',
  sourcePort: 54_321,
  destination: '192.0.2.25',
  destinationPort: 25,
};
const start = (env: Record<string, string>) =>
  startPipeline({
    withDispatcher: false,
    log,
    env: { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile, SMTP_STOP_GRACE: '1s', ...env },
  });
const gateway = await useInFile(
  start({
    LMTP_PORT: '0',
    LMTP_NETWORKS: '127.0.0.0/8',
    SOURCE_EXEMPT_NETWORKS: 'none',
    SOURCE_CONNECTIONS_PER_MINUTE: '40',
    MAX_MESSAGE_BYTES: '2000',
  }),
);
const proxied = await useInFile(start({ PROXY_PROTOCOL_NETWORKS: '127.0.0.0/8' }));

const recordsOf = (ip: string) =>
  lines.filter(({ event, remote_ip }) => event === 'connection.ended' && remote_ip === ip);

let clients = 10;
/** A loopback address that no other test uses. */
const newAddress = () => `127.0.7.${clients++}`;

/** Connections that have ended, by the labels of their metric. */
async function counted(metricsUrl = gateway.metricsUrls.gateway): Promise<Record<string, number>> {
  const text = await (await fetch(metricsUrl)).text();
  const series = text.matchAll(
    /^inlet_smtp_connections_ended_total\{reason="(\w+)",tls="([^"]+)".*\} (\d+)$/gm,
  );
  return Object.fromEntries(
    Array.from(series, ([, reason, tls, count]) => [`${reason} ${tls}`, Number(count)]),
  );
}

/** The bytes of the first flight of a TLS client. */
async function clientHello(options: ConnectionOptions = {}): Promise<Buffer> {
  const { Duplex } = await import('node:stream');
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const wire = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _, done) => (resolve(chunk), done()),
  });
  const socket = connectTls({ socket: wire, rejectUnauthorized: false, ...options });
  socket.on('error', () => undefined);
  const bytes = await promise;
  socket.destroy();
  return bytes;
}
const hello = await clientHello();
const UNKNOWN_CA = Buffer.from('15030300020230', 'hex'); // RFC 8446 §6.2

/** Up to the reply to STARTTLS; then these bytes, and, after the first of the server's, `end`. */
const inHandshake =
  (bytes: Buffer | string, end: (socket: Socket) => void) => async (smtp: SmtpDialogue) => {
    await smtp.say('EHLO mx.sender.example');
    expect(await smtp.say('STARTTLS')).toMatch(/^220 /);
    smtp.socket.removeAllListeners('data');
    smtp.socket.on('data', () => end(smtp.socket));
    smtp.socket.write(bytes);
  };

const tlsClient = (options: ConnectionOptions) => async (smtp: SmtpDialogue) => {
  await smtp.say('EHLO mx.sender.example');
  await startTls(smtp, options).catch(() => undefined);
};
const says =
  (...script: string[]) =>
  async (smtp: SmtpDialogue) => {
    for (const line of script) await smtp.say(line);
    smtp.socket.end();
  };

const FAILED = { reason: 'tls_failed', tls: 'failed', after: 'STARTTLS', commands: 2 };
const CASES: [string, (smtp: SmtpDialogue) => Promise<void>, Record<string, unknown>][] = [
  [
    'closes after its ClientHello',
    inHandshake(hello, (socket) => socket.destroy()),
    { ...FAILED, cause: expect.stringMatching(/closed|ECONNRESET/) as string },
  ],
  [
    'resets after its ClientHello',
    inHandshake(hello, (socket) => socket.resetAndDestroy()),
    { ...FAILED, cause: 'ECONNRESET' },
  ],
  [
    'sends no ClientHello',
    async (smtp) => {
      await smtp.say('EHLO mx.sender.example');
      await smtp.say('STARTTLS');
      smtp.socket.end();
    },
    { ...FAILED, cause: 'the client closed the connection' },
  ],
  [
    'distrusts the certificate',
    inHandshake(hello, (socket) => socket.write(UNKNOWN_CA)),
    { ...FAILED, cause: expect.stringMatching(/alert unknown ca/) as string },
  ],
  [
    'has no TLS version in common',
    tlsClient({
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
      rejectUnauthorized: false,
    }),
    { ...FAILED, cause: expect.stringMatching(/version|protocol/) as string },
  ],
  [
    'has no cipher in common',
    tlsClient({
      maxVersion: 'TLSv1.2',
      ciphers: 'ECDHE-RSA-AES128-GCM-SHA256',
      rejectUnauthorized: false,
    }),
    { ...FAILED, cause: expect.stringMatching(/cipher/) as string },
  ],
  [
    'goes on in plain text after STARTTLS',
    inHandshake('MAIL FROM:<a@b.example>\r\n', () => undefined),
    { ...FAILED, cause: expect.stringMatching(/./) as string },
  ],
  [
    'hangs up after its handshake',
    async (smtp) => {
      await smtp.say('EHLO mx.sender.example');
      (await startTls(smtp)).socket.end();
    },
    { reason: 'lost', tls: 'TLSv1.3', cipher: 'TLS_AES_256_GCM_SHA384', after: 'STARTTLS' },
  ],
  ['speaks HTTP', says('GET / HTTP/1.1'), { reason: 'speaks_http', tls: 'none', after: 'other' }],
  [
    'sends bad commands only',
    says(...Array.from({ length: 10 }, () => 'HELO?')),
    { reason: 'too_many_errors', commands: 10, errors: { unknown_command: 9 } },
  ],
  [
    'has bad parameters, and says QUIT',
    says('EHLO mx.sender.example', 'MAIL FROM:ann', 'QUIT'),
    { reason: 'quit', errors: { bad_parameters: 1 }, helo_domain: 'mx.sender.example' },
  ],
  [
    'has a parameter that is not offered',
    says('EHLO mx.sender.example', 'MAIL FROM:<a@b.example> FOO=bar', 'QUIT'),
    { reason: 'quit', errors: { unknown_parameter: 1 }, after: 'QUIT', commands: 3 },
  ],
  [
    'sends an unknown command',
    says('EHLO mx.sender.example', 'DEAR Ann', 'QUIT'),
    { reason: 'quit', errors: { unknown_command: 1 } },
  ],
  [
    'sends MAIL before EHLO',
    says('MAIL FROM:<a@b.example>', 'QUIT'),
    { reason: 'quit', errors: { bad_sequence: 1 } },
  ],
  [
    'sends a line without an end',
    async (smtp) => {
      smtp.socket.write('x'.repeat(20_000));
      await smtp.end();
    },
    { reason: 'line_too_long', commands: 0 },
  ],
  [
    'leaves after EHLO',
    says('EHLO mx.sender.example'),
    { reason: 'lost', after: 'EHLO', helo_domain: 'mx.sender.example', accepted: 0 },
  ],
  [
    'leaves within its email',
    async (smtp) => {
      const { address } = await gateway.address('/unused');
      await says(
        'EHLO mx.sender.example',
        'MAIL FROM:<ann@sender.example>',
        `RCPT TO:<${address}>`,
        'DATA',
      )(smtp);
    },
    { reason: 'lost_in_data', after: 'DATA', accepted: 0 },
  ],
];

test.each(CASES)('a client that %s leaves one record', async (_, play, record) => {
  const from = newAddress();
  const smtp = await dialogue(gateway.smtpPort, from);
  await play(smtp);
  await until('its record', () => recordsOf(from).length > 0);
  smtp.socket.destroy();
  expect(recordsOf(from)).toEqual([
    expect.objectContaining({
      level: 'info',
      remote_ip: from,
      ms: expect.any(Number) as number,
      ...record,
    }),
  ]);
  expect(JSON.stringify(recordsOf(from))).not.toMatch(/DEAR/); // a word of an email, perhaps
});

test('an early talker leaves one record', async () => {
  const from = newAddress();
  await using smtp = await dialogue(gateway.smtpPort, from, Buffer.from('EHLO a\r\n'));
  expect(smtp.greeting).toMatch(/^421 /);
  smtp.socket.end();
  await until('its record', () => recordsOf(from).length > 0);
  expect(recordsOf(from)).toMatchObject([{ reason: 'talked_too_soon', commands: 1 }]);
});

test('LMTP: the same records', async () => {
  const from = newAddress();
  const lmtp = await dialogue(gateway.lmtpPort, from);
  await exchange(lmtp, [
    { send: 'LHLO relay.example\r\n', expect: '250' },
    { send: 'XFORWARD ADDR=203.0.113.9\r\n', expect: '250' },
    { send: 'STARTTLS\r\n', expect: '220' },
  ]);
  lmtp.socket.end();
  await until('its record', () => recordsOf(from).length > 0);
  expect(recordsOf(from)).toMatchObject([{ ...FAILED, commands: 3, helo_domain: 'relay.example' }]);
});

test('behind a proxy, the record has the address of the client, or of a proxy without a header', async () => {
  const { metricsUrls, smtpPort } = proxied;
  const smtp = await dialogue(smtpPort, newAddress(), proxyV1(ends));
  await inHandshake(hello, (socket) => socket.resetAndDestroy())(smtp);
  await until('its record', () => recordsOf(ends.source).length > 0);
  expect(recordsOf(ends.source)).toMatchObject([{ ...FAILED, cause: 'ECONNRESET' }]);
  const from = newAddress();
  const socket = connect({ port: smtpPort, host: '127.0.0.1', localAddress: from });
  await once(socket, 'connect');
  socket.end('PROXY TCP4 here there 1 2\r\n');
  await over(socket).end();
  await until('its record', () => recordsOf(from).length > 0);
  expect(recordsOf(from)).toMatchObject([
    { reason: 'bad_proxy_header', cause: expect.any(String) as string },
  ]);
  expect(await counted(metricsUrls.gateway)).toEqual({
    'tls_failed failed': 1,
    'bad_proxy_header none': 1,
  });
});

test('connections that end well leave no line, and are counted', async () => {
  const before = await counted();
  const { address } = await gateway.address('/unused');
  const from = newAddress();
  const email = [
    { send: 'EHLO mx.sender.example\r\nMAIL FROM:<>\r\n', expect: ['250', '250'] },
    { send: `RCPT TO:<${address}>\r\nDATA\r\n`, expect: ['250', '354'] },
    { send: 'Subject: x\r\n\r\nx\r\n.\r\n', expect: '250' },
  ];
  const plain = await dialogue(gateway.smtpPort, from);
  await exchange(plain, [...email, { send: 'QUIT\r\n', expect: '221' }]);
  plain.socket.end();
  const first = await dialogue(gateway.smtpPort, from);
  await first.say('EHLO a');
  const secure = await startTls(first);
  await exchange(secure, email);
  secure.socket.end(); // after its email, many a sender leaves without QUIT
  const probe = await dialogue(gateway.smtpPort, from);
  probe.socket.end();
  // pipelined DATA after a refused recipient is no error of the client
  const refused = await dialogue(gateway.smtpPort, from);
  await exchange(refused, [
    { send: 'EHLO a\r\nMAIL FROM:<>\r\n', expect: ['250', '250'] },
    { send: 'RCPT TO:<no@in.example>\r\nDATA\r\nQUIT\r\n', expect: ['550', '503', '221'] },
  ]);
  refused.socket.end();
  await until('the end of all', async () => {
    const now = await counted();
    const more = (key: string) => (now[key] ?? 0) - (before[key] ?? 0);
    return more('quit none') === 2 && more('left TLSv1.3') === 1 && more('silent none') === 1;
  });
  expect(recordsOf(from)).toEqual([]);
});

test('a flood of one kind from one network is ten lines, and a sum', async () => {
  const before = await counted();
  const port = await start({ SOURCE_EXEMPT_NETWORKS: 'none', SOURCE_CONNECTIONS_PER_MINUTE: '40' });
  const from = newAddress();
  for (let i = 0; i < 100; i++) {
    const smtp = await dialogue(
      port.smtpPort,
      from,
      i < 40 ? Buffer.from('EHLO a\r\n') : undefined,
    );
    smtp.socket.destroy();
  }
  await until('the end of all', async () => {
    const all = await counted(port.metricsUrls.gateway);
    return all['talked_too_soon none'] === 40 && all['too_many_new_connections none'] === 60;
  });
  const inFull = recordsOf(from);
  expect(inFull.map(({ reason }) => reason)).toEqual([
    ...Array<string>(10).fill('talked_too_soon'),
    ...Array<string>(10).fill('too_many_new_connections'),
  ]);
  await port[Symbol.asyncDispose](); // a gateway that stops logs what it has counted
  expect(recordsOf(from).slice(20)).toMatchObject([
    { reason: 'talked_too_soon', repeated: 30 },
    { reason: 'too_many_new_connections', repeated: 50 },
  ]);
  expect(await counted()).toEqual(before);
});

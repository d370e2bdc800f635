/** A server in place of clamd that does not answer as expected: short waits, never a wrong verdict. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';

import { ClamdConfig, createClamd } from '../../../services/adapters/clamd/clamd.ts';
import { atMost } from '../../support/slowdown.ts';
import { until } from '../../support/until.ts';

type Asked = { command: string; bytes: Buffer };
/** Called with everything that the client has sent so far, after each packet. */
type Answer = (requested: Asked, socket: Socket) => void;

const pong: Answer = (_, socket) => void socket.end('PONG\0');
const say =
  (text: string): Answer =>
  (_, socket) =>
    void socket.end(text);

async function fake(scan: Answer, { ping = pong, version = say('ClamAV 1.4.6\0') } = {}) {
  const commands: string[] = [];
  const server = createServer((socket) => {
    let bytes = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      if (bytes.length === 0) commands.push(chunk.toString('latin1').split('\0')[0] ?? '');
      bytes = Buffer.concat([bytes, chunk]);
      const end = bytes.indexOf(0);
      if (end < 0) return;
      const command = bytes.subarray(1, end).toString();
      const answer = { PING: ping, VERSION: version }[command] ?? scan;
      answer({ command, bytes: bytes.subarray(end + 1) }, socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    commands,
    clamd: createClamd({ host: '127.0.0.1', port }),
    [Symbol.asyncDispose]: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}

const MAIL = Buffer.from('Subject: x\r\n\r\nx');
const causeOf = (error: unknown) => ((error as Error).cause as Error).message;
const inTime = (ms = 10_000) => AbortSignal.timeout(atMost(ms));

test('one chunk with its length, and an empty one at the end', async () => {
  const sent: Buffer[] = [];
  await using server = await fake(({ bytes }, socket) => {
    if (bytes.length < MAIL.length + 8) return;
    sent.push(bytes);
    socket.write('stream: Ei');
    setTimeout(() => socket.end('car FOUND\0'), 20);
  });
  expect(await server.clamd.scan(MAIL, inTime())).toEqual({ verdict: 'infected', name: 'Eicar' });
  const length = Buffer.from([0, 0, 0, MAIL.length]);
  expect(sent).toEqual([Buffer.concat([length, MAIL, Buffer.alloc(4)])]);
  expect(server.commands).toContain('zINSTREAM');
});

test.each<[string, Answer, RegExp]>([
  [
    'an error',
    say('Can’t create a file ERROR\0'),
    /^unexpected answer: Can’t create a file ERROR$/,
  ],
  ['garbage', say('HTTP/1.1 400 Bad Request\r\n\0'), /^unexpected answer: HTTP/],
  ['nothing', say(''), /without an answer/],
  ['an answer without its end', say('stream: OK'), /without an answer/],
  ['endless', (_, socket) => void socket.write('stream: '.repeat(1_000)), /without an answer/],
])('the answer is %s', async (_, answer, message) => {
  await using server = await fake(answer);
  const error: unknown = await server.clamd.scan(MAIL, inTime()).catch((caught: unknown) => caught);
  expect(causeOf(error)).toMatch(message);
});

test('no answer in time', async () => {
  await using server = await fake(() => undefined);
  const startedAt = performance.now();
  await expect(server.clamd.scan(MAIL, inTime(200))).rejects.toThrow('scan with clamd');
  expect(performance.now() - startedAt).toBeLessThan(atMost(2_000));
});

test('a connection that is reset while it sends', async () => {
  let connections = 0;
  await using server = await fake((_, socket) => {
    connections += 1;
    socket.resetAndDestroy();
  });
  const large = Buffer.alloc(20_000_000);
  await expect(server.clamd.scan(large, inTime())).rejects.toThrow('scan with clamd');
  expect(connections).toBeLessThanOrEqual(2);
});

test('the answer about the size is not lost when the connection is reset', async () => {
  await using server = await fake(({ bytes }, socket) => {
    if (bytes.length >= 4)
      socket.end('INSTREAM size limit exceeded. ERROR\0', () => socket.destroy());
  });
  const large = Buffer.alloc(20_000_000);
  for (let scan = 0; scan < 20; scan++)
    expect(await server.clamd.scan(large, inTime())).toEqual({
      verdict: 'not_scanned',
      name: null,
    });
});

test('while it does not answer PING, scans fail without waiting, and go on afterwards', async () => {
  let isDown = true;
  const silent: Answer = (_, socket) => void (isDown || socket.end('PONG\0'));
  await using server = await fake((_, socket) => void (isDown || socket.end('stream: OK\0')), {
    ping: silent,
  });
  const failed = (ms?: number) =>
    server.clamd.scan(MAIL, inTime(ms)).then(
      () => 'done',
      (error: Error) => error.message,
    );
  await until(
    'a failure without waiting',
    async () => (await failed(20)) === 'clamd does not answer',
  );
  const startedAt = performance.now();
  expect(await failed()).toBe('clamd does not answer');
  expect(performance.now() - startedAt).toBeLessThan(atMost(500));
  isDown = false;
  await until('a scan', async () => (await failed()) === 'done');
});

test('one slow email does not stop the scans of others', async () => {
  const slow = Buffer.from('slow');
  await using server = await fake(
    ({ bytes }, socket) => void (bytes.includes(slow) || socket.end('stream: OK\0')),
  );
  for (let email = 0; email < 5; email++)
    await expect(server.clamd.scan(slow, inTime(50))).rejects.toThrow('scan with clamd');
  expect(await server.clamd.scan(MAIL, inTime())).toEqual({ verdict: 'clean', name: null });
});

test('when its signatures were built', async () => {
  const version = say('ClamAV 1.4.6/27825/Mon Nov 23 09:30:00 2026\0');
  await using server = await fake(say(''), { version });
  expect(await server.clamd.signaturesBuiltAt()).toEqual(new Date('2026-11-23T09:30:00Z'));
  await using own = await fake(say(''));
  expect(await own.clamd.signaturesBuiltAt()).toBeUndefined();
});

test.each<[string, object | undefined]>([
  ['tcp://clamav:3310', { host: 'clamav', port: 3310 }],
  ['tcp://clamav.clamav.svc', { host: 'clamav.clamav.svc', port: 3310 }],
  ['tcp://[fd00::1]:3311', { host: 'fd00::1', port: 3311 }],
  ['unix:/run/clamav/clamd.ctl', { path: '/run/clamav/clamd.ctl' }],
  ...['clamav:3310', 'http://clamav', 'tcp://', 'tcp://a/b', 'tcp://u@a', 'unix:run', ''].map(
    (text): [string, undefined] => [text, undefined],
  ),
])('CLAMD=%s', (text, address) => {
  expect(ClamdConfig.CLAMD.safeParse(text).data).toEqual(address);
});

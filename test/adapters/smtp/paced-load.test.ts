/** Emails at a rate, against a server that answers as a test says. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

import { expect, test } from 'vitest';

import { type Load, sendAtRate } from '../../../services/adapters/smtp/paced-load.ts';

/** @param answer the reply to the nth end of DATA; undefined: it closes the connection */
async function server(answer: (email: number) => string | undefined = () => '250 stored') {
  const heard: string[] = [];
  let emails = 0;
  const listening = createServer((socket: Socket) => {
    socket.on('error', () => undefined);
    socket.write('220 mx.example ESMTP\r\n');
    let rest = '';
    let isData = false;
    socket.setEncoding('latin1').on('data', (text: string) => {
      const lines = (rest + text).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        heard.push(line);
        if (isData && line !== '.') continue;
        if (isData) {
          isData = false;
          const reply = answer(emails++);
          if (reply === undefined) socket.destroy();
          else socket.write(`${reply}\r\n`);
        } else if (line.startsWith('EHLO')) socket.write('250-mx.example\r\n250 PIPELINING\r\n');
        else if (line === 'DATA') {
          isData = true;
          socket.write('354 go\r\n');
        } else if (/^(MAIL|RCPT)/.test(line)) socket.write('250 ok\r\n');
      }
    });
  }).listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  return { port, heard, [Symbol.dispose]: () => void listening.close() };
}

const load = (port: number, change: Partial<Load> = {}): Load => ({
  host: '127.0.0.1',
  port,
  expectsProxyHeader: false,
  connections: 3,
  from: 'a@sender.invalid',
  recipients: ['one@in.example', 'two@in.example'],
  emails: 20,
  seconds: 10,
  perSecond: 50,
  contentOf: (index) => `Subject: ${index}\r\n\r\ntext\r\n`,
  signal: new AbortController().signal,
  ...change,
});

test('each email is sent once, to the recipients in turn, not before its time', async () => {
  using gateway = await server();
  const { startedMs, endOfDataMs, acceptedMs, refusals } = await sendAtRate(load(gateway.port));
  expect(refusals).toEqual({});
  expect(acceptedMs.filter((at) => at !== undefined)).toHaveLength(20);
  endOfDataMs.forEach((at, index) =>
    expect((at ?? 0) - startedMs).toBeGreaterThanOrEqual(index * 20 - 1),
  );
  const subjects = gateway.heard.filter((line) => line.startsWith('Subject: '));
  expect(new Set(subjects).size).toBe(20);
  expect(gateway.heard.filter((line) => line === 'RCPT TO:<one@in.example>')).toHaveLength(10);
  expect(gateway.heard).not.toContain('PROXY UNKNOWN');
});

test('with a PROXY protocol header, it comes first', async () => {
  using gateway = await server();
  await sendAtRate(load(gateway.port, { connections: 1, emails: 1, expectsProxyHeader: true }));
  expect(gateway.heard.slice(0, 2)).toEqual(['PROXY UNKNOWN', 'EHLO bench.invalid']);
});

test('no email is sent after the end', async () => {
  using gateway = await server();
  const { acceptedMs } = await sendAtRate(load(gateway.port, { seconds: 0.1, emails: 1000 }));
  expect(acceptedMs.length).toBeLessThanOrEqual(6);
});

test('refusals are counted by reply, and a connection that ends costs its email', async () => {
  using full = await server((email) => (email % 2 ? '250 stored' : '452 4.3.1 full'));
  const refused = await sendAtRate(load(full.port, { connections: 1, emails: 10 }));
  expect(refused.refusals).toEqual({ '452 4.3.1 full': 5 });
  using closing = await server((email) => (email < 2 ? '250 stored' : undefined));
  const ended = await sendAtRate(load(closing.port, { connections: 1, emails: 10 }));
  expect(ended.acceptedMs).toHaveLength(2);
  expect(Object.values(ended.refusals)).toEqual([1]);
});

test('a signal ends it', async () => {
  using gateway = await server();
  const signal = AbortSignal.timeout(100);
  await expect(sendAtRate(load(gateway.port, { emails: 1000, signal }))).rejects.toThrow(/timeout/);
});

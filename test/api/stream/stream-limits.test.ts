/** What bounds the streams of one process: watchers, unread bytes, and a share for each client. */
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';

import { type EventWriter, writeEvents } from '../../../services/api/http/output/event-stream.ts';
import { atMost } from '../../support/slowdown.ts';
import { until } from '../../support/until.ts';
import { startTestApi } from '../../support/start-api.ts';
import { openStream } from './event-source.ts';

const VIEW = {
  type: 'address.updated',
  at: '2026-11-21T08:00:02Z',
  address_id: 'x'.repeat(1_000),
} as const;

test('an account has at most a fifth of the streams, a process all', async () => {
  await using api = await startTestApi({ constants: { watchers: 6 } });
  // streams need a partition only for emails, so none has to exist
  await using first = await openStream(api);
  await using second = await openStream(api);
  await using third = await openStream(api);
  expect([first.status, second.status, third.status]).toEqual([200, 200, 429]);
  const headersOf = async () => {
    const { id: accountId } = await api.newAccount();
    return { authorization: `Bearer ${(await api.issue({ accountId })).token}` };
  };
  await using others = new AsyncDisposableStack();
  for (const headers of [await headersOf(), await headersOf()])
    for (let i = 0; i < 2; i++)
      expect(others.use(await openStream(api, { headers })).status).toBe(200);
  const headers = await headersOf();
  await using surplus = await openStream(api, { headers });
  expect(surplus.status).toBe(503);
  await first[Symbol.asyncDispose]();
  await until('a closed stream to make room', async () => {
    await using again = await openStream(api, { headers });
    return again.status === 200;
  });
});

test('a stream that HEAD asks for, or whose client leaves while it begins, keeps no place', async () => {
  await using api = await startTestApi({ constants: { watchers: 20 } });
  const headers = { authorization: `Bearer ${api.token}` };
  for (let i = 0; i < 8; i++) {
    const { status } = await fetch(`${api.url}/v1/stream`, { method: 'HEAD', headers });
    expect(status).toBe(200);
  }
  for (let i = 0; i < 40; i++) {
    const leaving = connect(api.port, '127.0.0.1');
    leaving.write(
      `GET /v1/stream HTTP/1.1\r\nHost: x\r\nAuthorization: ${headers.authorization}\r\n\r\n`,
    );
    await sleep(i % 20);
    leaving.destroy();
  }
  await until('four free places', async () => {
    await using streams = new AsyncDisposableStack();
    const opened = [];
    for (let i = 0; i < 4; i++) opened.push(streams.use(await openStream(api)));
    return opened.every(({ status }) => status === 200);
  });
});

test('the API stops while streams are open', async () => {
  const api = await startTestApi();
  await using stream = await openStream(api);
  await stream.nth('stream.ready');
  const startedAt = Date.now();
  await api[Symbol.asyncDispose]();
  expect(stream.isOver()).toBe(true);
  expect(Date.now() - startedAt).toBeLessThan(atMost(5_000));
});

test('a client that does not read holds a bounded number of bytes and then learns of the gap', async () => {
  let writer: EventWriter | undefined;
  let open: ServerResponse | undefined;
  const server = createServer((_, response) => {
    open = response;
    writer = writeEvents(response, {
      heartbeatMs: 100,
      streams: () => 1,
      eventsPerSecond: 1_000_000,
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await until('the request', async () => writer !== undefined);
  for (let i = 0; i < 400; i++) {
    for (let j = 0; j < 100; j++) writer?.send(VIEW, String(i));
    await sleep(1);
  }
  await sleep(200);
  expect(open?.writableLength).toBeGreaterThan(0);
  expect(open?.writableLength).toBeLessThan(600_000);
  let text = '';
  client.on('data', (chunk: Buffer) => (text = (text + chunk.toString()).slice(-2_000)));
  await until('the gap', async () => text.includes('event: stream.gap'));
  // an event is skipped while another gap waits to be reported
  await until('the next event', async () => {
    writer?.send(VIEW, 'after');
    return text.includes('id: after');
  });
  client.destroy();
  await new Promise<void>((resolve) => void server.close(() => resolve()));
});

test('the past waits for its client, and for no longer than the client is there', async () => {
  const writers: { writer: EventWriter; response: ServerResponse }[] = [];
  const server = createServer((_, response) => {
    const limits = { heartbeatMs: 100, streams: () => 1 };
    writers.push({ writer: writeEvents(response, limits), response });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const texts = Array<string>(20_000).fill(`data: ${'x'.repeat(1_000)}\n\n`);
  for (const isReading of [true, false]) {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const { writer, response } = await until('the request', async () => writers.pop());
    const sending = writer.sendPast(texts);
    await sleep(300);
    expect(response.writableLength).toBeGreaterThan(0);
    expect(response.writableLength).toBeLessThan(200_000);
    if (isReading) client.resume();
    else client.destroy();
    await sending;
    client.destroy();
  }
  await new Promise<void>((resolve) => void server.close(() => resolve()));
});

test('a client that would receive more than its share learns of a gap', async () => {
  let writer: EventWriter | undefined;
  const server = createServer((_, response) => {
    writer = writeEvents(response, { heartbeatMs: 100, streams: () => 1, eventsPerSecond: 10 });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  client.on('data', (chunk: Buffer) => (text += chunk.toString()));
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await until('the request', async () => writer !== undefined);
  for (let i = 0; i < 1_000; i++) writer?.send(VIEW, String(i));
  await until('the gap', async () => text.includes('event: stream.gap'));
  expect(text.match(/event: address.updated/g)?.length).toBeLessThan(320);
  client.destroy();
  await new Promise<void>((resolve) => void server.close(() => resolve()));
});

test('a browser gets heartbeats as events with their pause, which its page can see', async () => {
  await using server = createServer((_, response) => {
    writeEvents(response, { heartbeatMs: 50, isBrowser: true, streams: () => 1 });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { body } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  let text = '';
  for await (const chunk of body ?? []) {
    text += Buffer.from(chunk).toString();
    if (text.includes('ping')) break;
  }
  expect(text).toContain('event: ping\ndata: 50\n\n');
});

/**
 * Downloads that clients do not read: the API stays within 512 MiB, serves other requests in time,
 * and drops these clients.
 */
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Objm } from '@nats-io/obj';
import type { SendMailOptions } from 'nodemailer';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { API_CONSTANTS } from '../../../../services/api/process/constants.ts';
import { createObjects } from '../../../../services/adapters/stream/objects/objects.ts';
import { filePath, signedLink } from '../../../../services/core/secret/signed-link.ts';
import { type ServiceProcess, startServiceProcess } from '../../../support/service-process.ts';
import { startInProcess, type InProcess } from '../../../support/start-in-process.ts';
import { atMost } from '../../../support/slowdown.ts';

const MiB = 1024 * 1024;
const KEY = randomBytes(32);
const STALL_MS = API_CONSTANTS.stallMs;
const SIZE = 23 * MiB;
/** Generous: the machine runs other test files at the same time. */
const IN_TIME_MS = 5_000;
/** Until stalled clients are dropped and others are served. */
const ROOM_WITHIN_MS = 2 * STALL_MS;

const parts = new AsyncDisposableStack();
let whole: InProcess;
let api: ServiceProcess;
let eventId: string;
let attachmentPath: string;
let longTextsId: string;
const raw = randomBytes(SIZE);
const attachment = randomBytes(15 * MiB);

beforeAll(async () => {
  whole = parts.use(
    await startInProcess({
      LINK_KEYS: KEY.toString('base64'),
      PUBLIC_API_URL: 'https://api.example/v1',
    }),
  );
  const content = { attachments: [{ filename: 'a.bin', content: attachment }] };
  ({ eventId } = await receivedEmail('inline', content));
  ({ attachmentPath } = await receivedEmail('url', content));
  ({ eventId: longTextsId } = await receivedEmail('omit', {
    text: `${'x'.repeat(70)}\n`.repeat((12 * MiB) / 71),
    html: `<p>${'x'.repeat(63)}</p>\n`.repeat((12 * MiB) / 71),
  }));
  const bucket = await new Objm(whole.pipeline.nats.connection).create('RAW');
  await createObjects(bucket).put('evt_large', [raw]);
  const settings = {
    ...whole.pipeline.settings,
    API_HOST: '127.0.0.1',
    API_PORT: '0',
    INBOUND_DOMAIN: 'in.example',
    LINK_KEYS: KEY.toString('base64'),
    PUBLIC_API_URL: 'https://api.example/v1',
    TRUSTED_PROXIES: '127.0.0.0/8',
    RATE_LIMIT_PER_HOUR: '1000000',
    RATE_LIMIT_PER_MINUTE: '1000000',
  };
  api = parts.use(await startServiceProcess('api', settings, ['--max-old-space-size=256']));
  for (const path of [rawPath(), payloadPath(), attachmentPath]) await served(path);
});
afterAll(() => parts.disposeAsync());

async function receivedEmail(
  attachments: 'inline' | 'url' | 'omit',
  content: Pick<SendMailOptions, 'attachments' | 'text' | 'html'>,
) {
  const path = `/large-${attachments}`;
  const address = await whole.address(path, { payload: { attachments } });
  await whole.pipeline.mailer.sendMail({
    from: 'ann@sender.example',
    to: address.address,
    subject: 'large',
    ...content,
  });
  const { headers, payload } = await whole.pipeline.receiver.nth(path, 1);
  const link = payload.attachments[0]?.content_url ?? '';
  return {
    eventId: String(headers['webhook-id']),
    attachmentPath: link.replace('https://api.example', ''),
  };
}

const rawPath = () => {
  const expires = new Date(Date.now() + 600_000);
  return signedLink({ baseUrl: '/v1', path: filePath('evt_large', 'raw'), expires, key: KEY });
};
const payloadPath = () => `/v1/deliveries/${eventId}/payload`;

/** Requests a path and never reads the response. */
function stall(path: string, source: string): Socket {
  const socket = connect(api.apiPort, '127.0.0.1', () =>
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${whole.api.token}\r\n` +
        `X-Forwarded-For: ${source}\r\n\r\n`,
    ),
  );
  return socket.pause().on('error', () => undefined);
}

const askWhole = async (path: string, source?: string) => {
  const response = await ask(path, source);
  const body = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, body };
};

const ask = (path: string, source = '192.0.2.200') =>
  fetch(`http://127.0.0.1:${api.apiPort}${path}`, {
    headers: { authorization: `Bearer ${whole.api.token}`, 'x-forwarded-for': source },
  });

/**
 * Repeats the request as a client does: with a 503, and when it was itself too slow for the stall
 * timeout. How long that takes depends on the machine.
 */
const served = async (
  path: string,
  source?: string,
): Promise<{ headers: Headers; body: Buffer }> => {
  let last: unknown;
  for (const since = Date.now(); Date.now() - since < atMost(ROOM_WITHIN_MS); await sleep(500)) {
    try {
      const { status, headers, body } = await askWhole(path, source);
      if (status === 200) return { headers, body };
      last = new Error(`${status}: ${body.toString()}`);
    } catch (error) {
      last = error;
    }
  }
  throw new Error(`${path} is not served`, { cause: last });
};

/** One source has half of the clients. */
const sourceOf = (n: number) => (n % 2 === 0 ? '192.0.2.1' : `198.51.100.${n % 100}`);

test('200 stalled downloads of all kinds, half of one source: 512 MiB and other requests in time', async () => {
  const sockets = Array.from({ length: 200 }, (_, n) =>
    stall([rawPath(), payloadPath(), attachmentPath][n % 3] as string, sourceOf(n)),
  );
  let highest = 0;
  const delaysMs: number[] = [];
  for (const until = Date.now() + STALL_MS; Date.now() < until; await sleep(50)) {
    const startedAt = performance.now();
    const response = await ask('/v1/account');
    await response.text();
    expect(response.status).toBe(200);
    delaysMs.push(performance.now() - startedAt);
    highest = Math.max(highest, await api.rssBytes());
  }
  expect(highest / MiB).toBeLessThan(512);
  expect(Math.max(...delaysMs)).toBeLessThan(atMost(IN_TIME_MS));
  // Stalled clients are dropped without reading; then there is room for others.
  for (const n of [0, 1])
    expect((await served(rawPath(), sourceOf(n))).body.equals(raw)).toBe(true);
  for (const socket of sockets) socket.destroy();
});

test('16 requests for views of an email with 24 MB of text: 512 MiB', async () => {
  const views = ['email', 'html'].map((view) => `/v1/deliveries/${longTextsId}/${view}`);
  const paths = Array.from({ length: 16 }, (_, n) => views[n % 2] as string);
  let highest = 0;
  const measuring = new AbortController();
  const measured = (async () => {
    for (; !measuring.signal.aborted; await sleep(20))
      highest = Math.max(highest, await api.rssBytes());
  })();
  const statuses = await Promise.all(
    paths.map(async (path) => {
      const response = await ask(path, '192.0.2.3');
      await response.arrayBuffer();
      return response.status;
    }),
  );
  for (const path of views)
    expect((await served(path, '192.0.2.3')).body.byteLength).toBeGreaterThan(256 * 1024);
  measuring.abort();
  await measured;
  expect(highest / MiB).toBeLessThan(512);
  expect(new Set(statuses).difference(new Set([200, 503]))).toEqual(new Set());
});

test('a payload from the bucket is streamed whole, with its length', async () => {
  const { headers, body } = await served(payloadPath());
  expect(Number(headers.get('content-length'))).toBe(body.byteLength);
  expect(JSON.parse(body.toString())).toMatchObject({ event_id: eventId });
});

test('an attachment from the bucket is streamed whole, with its length', async () => {
  const { headers, body } = await served(attachmentPath);
  expect(Number(headers.get('content-length'))).toBe(attachment.byteLength);
  expect(body.equals(attachment)).toBe(true);
});

test('a slow client that keeps reading is not disconnected', async () => {
  const response = await ask(rawPath());
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes < 2 * MiB) await sleep(100);
  }
  expect(bytes).toBe(SIZE);
});

/**
 * A dispatcher of 768 MiB that posts the largest payloads again and again, while the largest ones
 * that are stored inline fill its slots: text takes up to six bytes for each character as JSON.
 */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { ensureTls } from '../../services/standalone/keys.ts';
import { type Pipeline, startPipeline } from '../support/pipeline.ts';
import { testDir } from '../support/servers.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { until } from '../support/until.ts';

const LIMIT_BYTES = 768 * 1024 * 1024;
/** What Node would choose in a container of 768 MiB. */
const HEAP_MB = 384;
const SECONDS = 12;

const LARGE_BYTES = 24_000_000;
const LARGE_MAILS = 16; // each for an account of its own
/** Payloads of up to 512 KiB are stored within the event: these have 500 KB. */
const INLINE_QUOTES = 250_000;
const INLINE_ADDRESSES = 40;
const INLINE_MAILS = 10; // for each: as many as an address may have in flight
const INLINE_SENDERS = 16;
const RESPONSE_MS = 500;

const parts = new AsyncDisposableStack();
afterAll(() => parts.disposeAsync());

const counts = { large: 0, inline: 0, largestBytes: 0, mostInFlight: 0 };
const largeDelivered = new Set<string>();
let isUp = false;
let pipeline: Pipeline;
let origin: string;

/** Stores nothing. Refuses large payloads with 503 until it is up, so that they are posted again. */
async function startCountingReceiver(dir: string): Promise<{ origin: string; caFile: string }> {
  const tls = await ensureTls(dir);
  let inFlight = 0;
  const server = createServer(
    { cert: await readFile(tls.certFile), key: await readFile(tls.keyFile) },
    (request, response) => {
      const path = request.url ?? '';
      let bytes = 0;
      counts.mostInFlight = Math.max(counts.mostInFlight, ++inFlight);
      response.once('close', () => inFlight--);
      request.on('data', (chunk: Buffer) => void (bytes += chunk.byteLength));
      request.on('end', () => {
        counts.largestBytes = Math.max(counts.largestBytes, bytes);
        if (path.startsWith('/inline')) {
          counts.inline++;
          return setTimeout(() => response.end(), RESPONSE_MS);
        }
        counts.large++;
        if (isUp) largeDelivered.add(path);
        return response.writeHead(isUp ? 200 : 503).end();
      });
    },
  );
  server.listen(0, 'localhost');
  await once(server, 'listening');
  parts.defer(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    origin: `https://localhost:${(server.address() as AddressInfo).port}`,
    caFile: tls.caFile,
  };
}

beforeAll(async () => {
  const dir = parts.use(await testDir());
  const receiver = await startCountingReceiver(dir.path);
  origin = receiver.origin;
  pipeline = parts.use(
    await startPipeline({
      withDispatcher: false,
      env: {
        WEBHOOK_CA_FILE: receiver.caFile,
        RETRY_SCHEDULE: Array.from({ length: 1000 }, () => '1s').join(),
      },
    }),
  );
});

const body = (line: string) => `${line}\r\n`.repeat(Math.floor(LARGE_BYTES / (line.length + 2)));
const WORST = [
  `Subject: control characters\r\n\r\n${body('\x01'.repeat(76))}`,
  `Content-Type: text/html\r\n\r\n${body('"'.repeat(76))}`,
  `Content-Type: application/x\r\nContent-Transfer-Encoding: base64\r\n\r\n${body('A'.repeat(76))}`,
].map((text) => Buffer.from(text));
const INLINE = Buffer.from(
  `Subject: quotes\r\n\r\n${`${'"'.repeat(76)}\r\n`.repeat(INLINE_QUOTES / 78)}`,
);

/** Sends again what the gateway of this test has no memory for. */
async function send(address: string, raw: Buffer): Promise<void> {
  const envelope = { from: 'a@b.example', to: address };
  for (;;) {
    try {
      return void (await pipeline.mailer.sendMail({ envelope, raw }));
    } catch (error) {
      if ((error as { responseCode?: number }).responseCode !== 452) throw error;
      await sleep(200);
    }
  }
}

test('D34: the largest payloads, posted again and again, take no more than 768 MiB', async () => {
  const addressesAt = (kind: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, at) =>
        pipeline.address('', { webhook_url: `${origin}/${kind}/${at}` }),
      ),
    );
  const large = await addressesAt('large', LARGE_MAILS);
  const inline = await addressesAt('inline', INLINE_ADDRESSES);
  await Promise.all([
    ...large.map(({ address }, at) => send(address, WORST[at % WORST.length] as Buffer)),
    ...inline.flatMap(({ address }) =>
      Array.from({ length: INLINE_MAILS }, () => send(address, INLINE)),
    ),
  ]);
  let sent = INLINE_ADDRESSES * INLINE_MAILS; // more than the slots for first attempts

  await using dispatcher: ServiceProcess = await startServiceProcess(
    'dispatcher',
    pipeline.settings,
    [`--max-old-space-size=${HEAP_MB}`],
  );
  const untilMs = Date.now() + SECONDS * 1000;
  await Promise.all(
    Array.from({ length: INLINE_SENDERS }, async () => {
      while (Date.now() < untilMs)
        await send(inline[sent++ % inline.length]?.address ?? '', INLINE);
    }),
  );
  await until('each is refused', () => counts.large >= LARGE_MAILS, 120_000);
  isUp = true;
  await until(
    'all emails are delivered',
    () => counts.inline >= sent && largeDelivered.size === LARGE_MAILS,
    180_000,
  );
  expect(dispatcher.hasExited()).toBe(false);
  expect(await dispatcher.peakRssBytes()).toBeLessThan(LIMIT_BYTES);
  expect(counts.largestBytes).toBeGreaterThan(80_000_000);
  expect(counts.mostInFlight).toBeGreaterThan(20);
});

/** Streams that resume and do not read: the API stays within its memory and serves others. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';

import { startServiceProcess } from '../../support/service-process.ts';
import { startInProcess } from '../../support/start-in-process.ts';
import { atMost } from '../../support/slowdown.ts';

const MiB = 1024 * 1024;
const EMAILS = 1_200;
const STREAMS = 200;
const WATCHED_MS = 4_000;

test('200 streams of an account resume from long emails and read nothing: 400 MiB', async () => {
  await using whole = await startInProcess();
  const { address } = await whole.address('/long');
  const long = '\u{3042}'.repeat(900);
  for (let sent = 0; sent < EMAILS; sent += 24)
    await Promise.all(
      Array.from({ length: 24 }, (_, n) =>
        whole.pipeline.mailer.sendMail({
          from: { name: long, address: 'ann@sender.example' },
          to: address,
          subject: `${sent + n} ${long}`,
          text: 'x',
        }),
      ),
    );
  const settings = {
    ...whole.pipeline.settings,
    API_HOST: '127.0.0.1',
    API_PORT: '0',
    INBOUND_DOMAIN: 'in.example',
    RATE_LIMIT_PER_HOUR: '1000000',
    RATE_LIMIT_PER_MINUTE: '1000000',
  };
  await using api = await startServiceProcess('api', settings, ['--max-old-space-size=256']);
  const m = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [n, 0]));
  const cursor = Buffer.from(JSON.stringify({ t: Date.now() - 3_000_000, m })).toString(
    'base64url',
  );
  const authorization = `Bearer ${whole.api.token}`;
  const sockets = Array.from({ length: STREAMS }, () => {
    const socket = connect(api.apiPort, '127.0.0.1', () =>
      socket.write(
        `GET /v1/stream HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n` +
          `Last-Event-ID: ${cursor}\r\n\r\n`,
      ),
    );
    return socket.pause().on('error', () => undefined);
  });
  const delaysMs: number[] = [];
  for (const until = Date.now() + WATCHED_MS; Date.now() < until; await sleep(100)) {
    const startedAt = performance.now();
    const response = await fetch(`http://127.0.0.1:${api.apiPort}/v1/account`, {
      headers: { authorization },
    });
    expect(response.status).toBe(200);
    await response.text();
    delaysMs.push(performance.now() - startedAt);
  }
  expect((await api.peakRssBytes()) / MiB).toBeLessThan(400);
  expect(Math.max(...delaysMs)).toBeLessThan(atMost(5_000));
  for (const socket of sockets) socket.destroy();
});

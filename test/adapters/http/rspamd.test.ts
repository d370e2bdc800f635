/**
 * An rspamd, or another server in its place, that fails to respond as expected: short waits, no
 * score.
 */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';

import { createRspamd } from '../../../services/adapters/http/rspamd.ts';
import { atMost } from '../../support/slowdown.ts';

const QUESTION = {
  envelope: { mailFrom: '', heloDomain: 'mail\r\nx: y', remoteIp: '192.0.2.1' },
  recipients: ['jürgen@in.example', 'b@in.example'],
  queueId: 'q1',
};
const INFECTED = {
  score: 3,
  required_score: 15,
  action: 'no action',
  symbols: { CLAM_VIRUS: { score: 0, options: ['Eicar-Test-Signature'] } },
};

async function ask(answer: RequestListener, timeoutMs = 10_000) {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  await using rspamd = createRspamd({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/below`,
    password: undefined,
    timeoutMs,
  });
  try {
    return await rspamd
      .judge(Buffer.from('Subject: x\r\n\r\nx'), QUESTION)
      .catch((error: Error) => (error.cause as Error).message);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test.each<[string, RequestListener, RegExp]>([
  ['an error', (_, response) => void response.writeHead(500).end('{}'), /^unexpected status 500$/],
  [
    'another place',
    (_, response) => void response.writeHead(302, { location: 'http://192.0.2.1/' }).end(),
    /^unexpected status 302$/,
  ],
  ['not JSON', (_, response) => void response.end('<html>'), /JSON/],
  ['no score', (_, response) => void response.end('{"action":"reject"}'), /score/],
  [
    'endless',
    (_, response) => {
      const more = () =>
        void (
          response.destroyed ||
          response.write(Buffer.alloc(64 * 1024, ' '), () => setImmediate(more))
        );
      more();
    },
    /^a response of more than 1048576 bytes$/,
  ],
  ['a closed connection', (request) => void request.socket.destroy(), /./],
])('the response is %s', async (_, answer, message) => {
  expect(await ask(answer)).toMatch(message);
});

test.each<[string, RequestListener]>([
  ['no response', () => undefined],
  ['a response that stops half-way', (_, response) => void response.write('{"score":')],
])('%s in time', async (_, answer) => {
  const startedAt = performance.now();
  expect(await ask(answer, 300)).toMatch(/timeout|aborted/i);
  expect(performance.now() - startedAt).toBeLessThan(atMost(5_000));
});

test('the request has the path of its URL and the envelope, which cannot inject a header', async () => {
  const requested: unknown[] = [];
  const verdict = await ask((request, response) => {
    requested.push(
      request.url,
      request.headers.x,
      request.headers.from,
      request.headers.helo,
      Buffer.from(String(request.headers.rcpt), 'latin1').toString(),
    );
    response.end(JSON.stringify(INFECTED));
  });
  expect(verdict).toMatchObject({
    score: { score: 2, scored_by: 'rspamd' },
    virus: { verdict: 'infected', name: 'Eicar-Test-Signature', scanner: 'rspamd' },
  });
  expect(requested).toEqual([
    '/below/checkv2',
    undefined,
    '',
    'mailx: y',
    'jürgen@in.example, b@in.example',
  ]);
});

/** A thread posts the payloads in the bucket. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

import { createObjects } from '../../../services/adapters/stream/objects/objects.ts';
import { openMailStreams } from '../../../services/adapters/stream/replay.ts';
import { newSecret, signingKeys } from '../../../services/core/webhook/signature.ts';
import { createLargePosts } from '../../../services/dispatcher/attempt/large-posts.ts';
import { startPipeline } from '../../support/pipeline.ts';
import { signatureHolds } from '../../support/receiver.ts';
import { useInFile } from '../../support/use-in-file.ts';

const pipeline = await useInFile(startPipeline());
const posts = await useInFile(
  createLargePosts({
    nats: { url: pipeline.natsServer.url, name: 'test-bodies' },
    webhooks: {
      timeoutMs: 10_000,
      allowedNetworks: ['127.0.0.0/8', '::1/128'],
      extraCa: [await readFile(pipeline.receiver.caFile, 'utf8')],
    },
  }),
);

const TRACEPARENT = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-00`;
const SECRET = newSecret(randomBytes(32));
const post = (eventId: string, path: string, retryCount = 0) => ({
  eventId,
  attempt: { retryCount },
  url: pipeline.receiver.url(path),
  userAgent: 'Inlet/test',
  keys: [signingKeys(SECRET)],
  traceparent: TRACEPARENT,
});
const PAYLOAD = `{"content":"${'x'.repeat(3_000_000)}","metadata":{"retry_count":0}}`;
const stored = async (eventId: string) =>
  createObjects((await openMailStreams(pipeline.nats)).bodies).put(eventId, [Buffer.from(PAYLOAD)]);

test('spec 5.2: the exact bytes, signed, with the number of attempts before', async () => {
  await stored('evt_1');
  let called = 0;
  pipeline.receiver.answer('/large', (_, { raw }) => ({
    status: 201,
    body: `${raw.byteLength} ${called}`,
  }));
  const answer = await posts.post(post('evt_1', '/large', 3), () => called++);
  expect(answer).toMatchObject({
    outcome: { kind: 'accepted', status: 201 },
    excerpt: `${PAYLOAD.length} 1`,
    error: null,
  });
  const { raw, headers } = await pipeline.receiver.nth('/large', 1);
  expect(raw.toString() === PAYLOAD.replace('"retry_count":0', '"retry_count":3')).toBe(true);
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'Inlet/test',
    'webhook-id': 'evt_1',
    traceparent: TRACEPARENT,
  });
  expect(signatureHolds(await pipeline.receiver.nth('/large', 1), SECRET)).toBe(true);
});

test('Retry-After and failures come back from the thread complete', async () => {
  await stored('evt_2');
  pipeline.receiver.answer('/busy', () => ({ status: 429, headers: { 'retry-after': '120' } }));
  pipeline.receiver.answer('/gone', () => (response) => void response.destroy());
  expect(await posts.post(post('evt_2', '/busy'), () => undefined)).toMatchObject({
    outcome: { kind: 'busy', status: 429 },
  });
  expect(await posts.post(post('evt_2', '/gone'), () => undefined)).toMatchObject({
    outcome: { kind: 'unreachable', reason: 'connection' },
  });
});

test('the receiver is not called for a payload that is no longer stored', async () => {
  let called = 0;
  expect(await posts.post(post('evt_never', '/never'), () => called++)).toBeUndefined();
  expect([called, pipeline.receiver.received('/never')]).toEqual([0, []]);
});

test('several at the same time', async () => {
  const ids = ['evt_a', 'evt_b', 'evt_c'];
  await Promise.all(ids.map(stored));
  const answers = await Promise.all(
    ids.map((id) => posts.post(post(id, '/several'), () => undefined)),
  );
  expect(answers.map((answer) => answer?.outcome.kind)).toEqual([
    'accepted',
    'accepted',
    'accepted',
  ]);
  expect(
    new Set(pipeline.receiver.received('/several').map(({ headers }) => headers['webhook-id'])),
  ).toEqual(new Set(ids));
});

/** M.1: files of emails in a bucket of the customer, over the whole system (D80). */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { createBucketClient } from '../../services/adapters/bucket/bucket-client.ts';
import { readConfig } from '../../services/adapters/process/config.ts';
import { DispatcherConfig } from '../../services/dispatcher/process/config.ts';
import { startDispatcher } from '../../services/dispatcher/dispatcher.ts';
import type { WebhookPayload } from '../../services/core/webhook/payload.ts';
import { log } from '../support/pipeline.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { startInProcess, type InProcess } from '../support/start-in-process.ts';
import { until } from '../support/until.ts';

const parts = new AsyncDisposableStack();
let whole: InProcess;
let s3: S3Server | undefined;
beforeAll(async () => {
  whole = parts.use(
    await startInProcess({ RETRY_SCHEDULE: '200ms,200ms,1s,1s,1s,1s,1s,1s,1s,1s' }),
  );
  s3 = await startS3Server(whole.pipeline.receiver.caFile);
  if (s3) parts.use(s3);
});
afterAll(() => parts.disposeAsync());

const ask = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) => {
  const { status, body: answer } = await whole.api.ask(
    method,
    `/v1${path}`,
    body === undefined ? {} : { body },
  );
  if (status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
  return answer;
};

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function addBucket({ endpoint, bucket, credentials }: S3Server, fields: object) {
  return ask('POST', '/account/buckets', { endpoint, bucket, credentials, ...fields });
}

const sendFiles = (to: string, contents: readonly Buffer[]) =>
  whole.pipeline.mailer.sendMail({
    from: 'ann@sender.example',
    to,
    subject: 'files',
    text: 'see attached',
    attachments: contents.map((content, index) => ({ filename: `../../${index}.png`, content })),
  });

const storageOf = (payload: WebhookPayload) => {
  const { storage } = payload.metadata;
  if (storage === undefined) throw new Error('the payload names no files');
  return storage;
};
const onlyEvent = async (addressId: string, status: string) =>
  until(`an email to be ${status}`, async () => {
    const query = `?address_id=${addressId}&status=${status}`;
    const { data } = (await ask('GET', `/deliveries${query}`)) as { data: { event_id: string }[] };
    return data[0]?.event_id;
  });

test('M.1: the raw email and its attachments are in the bucket before the webhook', async (context) => {
  const server = s3 ?? context.skip();
  await addBucket(server, { name: 'files', prefix: 'inlet/' });
  const storage = { bucket: 'files', what: ['raw', 'attachments'], link_hours: 1 };
  const { id, address } = await whole.address('/files', {
    payload: { attachments: 'omit', storage },
  });
  const large = Buffer.alloc(600_000, 'x'); // read in more than one chunk
  await sendFiles(address, [PNG, large]);
  const { payload } = await whole.pipeline.receiver.nth('/files', 1);
  const { raw, attachments = [], ...place } = storageOf(payload);
  expect(place).toMatchObject({ name: 'files', endpoint: server.endpoint, bucket: server.bucket });
  const folder = `inlet/${id}/${payload.event_id}`;
  expect([raw?.key, ...attachments.map(({ key }) => key)]).toEqual([
    `${folder}/raw.eml`,
    `${folder}/attachments/0`,
    `${folder}/attachments/1`,
  ]);
  expect(attachments.map(({ sha256: digest, size_bytes }) => [digest, size_bytes])).toEqual([
    [sha256(PNG), PNG.byteLength],
    [sha256(large), large.byteLength],
  ]);
  expect(payload.attachments.map(({ content }) => content)).toEqual([null, null]);
  const stored = await server.read(`${folder}/attachments/0`);
  expect(stored?.equals(PNG)).toBe(true);
  expect((await server.read(`${folder}/raw.eml`))?.byteLength).toBe(raw?.size_bytes);
  // what a link says is signed, for this object and time
  const link = new URL(attachments[0]?.url ?? '');
  expect(link.pathname).toBe(`/${server.bucket}/${folder}/attachments/0`);
  expect(link.searchParams.get('X-Amz-Expires')).toBe('3600');
  await onlyEvent(id, 'delivered');
  const delivery = await ask('GET', `/deliveries/${payload.event_id}`);
  // the API shows the same payload without links, and where the files are
  const shown = (await ask('GET', `/deliveries/${payload.event_id}/payload`)) as WebhookPayload;
  expect(storageOf(shown).attachments).toEqual(
    attachments.map(({ key, sha256: digest, size_bytes }) => ({ key, sha256: digest, size_bytes })),
  );
  expect(delivery.storage).toMatchObject({ name: 'files', deletion: null });
});

test('M.1: a bucket that fails delays the email, and no file is stored twice', async (context) => {
  const server = s3 ?? context.skip();
  await addBucket(server, { name: 'flaky' });
  const { id, address } = await whole.address('/flaky', {
    payload: { storage: { bucket: 'flaky', what: ['attachments'] } },
  });
  whole.pipeline.receiver.answer('/flaky', (count) => (count === 1 ? 503 : 200));
  server.fail();
  await sendFiles(address, [PNG]);
  const eventId = await onlyEvent(id, 'retrying');
  const failed = (await ask('GET', `/deliveries/${eventId}`)) as {
    attempts: { outcome: string; error: string; status_code: number | null }[];
  };
  expect(failed.attempts[0]).toMatchObject({ outcome: 'storage_failed', status_code: null });
  expect(failed.attempts[0]?.error).toContain('bucket flaky: PUT');
  expect(whole.pipeline.receiver.received('/flaky')).toEqual([]);
  server.heal();
  const refused = await whole.pipeline.receiver.nth('/flaky', 1);
  server.fail(); // the second attempt stores nothing again
  const accepted = await whole.pipeline.receiver.nth('/flaky', 2);
  server.heal();
  expect(storageOf(accepted.payload)).toEqual(storageOf(refused.payload));
  expect(accepted.payload.attachments[0]?.content).toBe(PNG.toString('base64'));
});

test('M.1: an email waits while no bucket has the name, and an erasure deletes its files', async (context) => {
  const server = s3 ?? context.skip();
  const { id: former } = await addBucket(server, { name: 'late', prefix: 'former/' });
  const { id, address } = await whole.address('/late', {
    payload: { storage: { bucket: 'late', what: ['raw'] } },
  });
  await ask('DELETE', `/account/buckets/${String(former)}`);
  await sendFiles(address, [PNG]);
  await onlyEvent(id, 'retrying');
  const { id: bucketId } = await addBucket(server, { name: 'late', prefix: 'late/' });
  const { payload } = await whole.pipeline.receiver.nth('/late', 1);
  expect(await server.keys()).toContain(storageOf(payload).raw?.key);
  await onlyEvent(id, 'delivered');
  const erased = await ask('DELETE', `/deliveries/${payload.event_id}/content`);
  expect(erased.storage).toMatchObject({ keys: [storageOf(payload).raw?.key] });
  expect(erased.storage).toMatchObject({ deletion: 'under_way' });
  // the first round of a dispatcher that starts
  await using _other = await startDispatcher(
    readConfig(DispatcherConfig, whole.pipeline.settings),
    log,
  );
  await until(
    'the file to be deleted',
    async () => (await ask('GET', `/deliveries/${payload.event_id}`)).storage === null || undefined,
  );
  expect((await server.keys()).filter((key) => key.startsWith('late/'))).toEqual([]);
  expect(await ask('POST', `/account/buckets/${String(bucketId)}/test`)).toEqual({
    ok: true,
    error: null,
  });
});

test('M.1: the end of the retention leaves the files in the bucket', async (context) => {
  const server = s3 ?? context.skip();
  await addBucket(server, { name: 'archive', prefix: 'archive/' });
  const { id, address } = await whole.address('/archive', {
    retention_hours: 0,
    payload: { storage: { bucket: 'archive', what: ['raw'] } },
  });
  await sendFiles(address, [PNG]);
  const { payload } = await whole.pipeline.receiver.nth('/archive', 1);
  await onlyEvent(id, 'delivered');
  const path = `/v1/deliveries/${payload.event_id}/payload`;
  await until('the content to go', async () => (await whole.api.ask('GET', path)).status === 404);
  const { storage } = await ask('GET', `/deliveries/${payload.event_id}`);
  expect(storage).toMatchObject({ name: 'archive', deletion: null });
  expect(await server.keys()).toContain(storageOf(payload).raw?.key);
});

test('M.1: a file above 16 MiB is stored in parts, and wrong keys are refused', async (context) => {
  const server = s3 ?? context.skip();
  const options = {
    timeoutMs: 10_000,
    allowedNetworks: ['127.0.0.0/8', '::1/128'],
    extraCa: [await readFile(whole.pipeline.receiver.caFile, 'utf8')],
  };
  await using client = createBucketClient(options);
  const { endpoint, bucket, credentials } = server;
  const access = { endpoint, bucket, region: 'auto', addressing: 'path' as const, ...credentials };
  const bytes = 512 * 1024;
  async function* content() {
    for (let number = 0; number < 40; number++) yield Buffer.alloc(bytes, number);
  }
  const stored = await client.put(access, 'large', content());
  expect(stored.size_bytes).toBe(40 * bytes);
  expect(sha256((await server.read('large')) ?? Buffer.alloc(0))).toBe(stored.sha256);
  const wrong = { ...access, secret_access_key: 'wrong' };
  await expect(client.put(wrong, 'wrong', content())).rejects.toThrow(
    'POST: it responded with 403 SignatureDoesNotMatch',
  );
  await using guarded = createBucketClient({ ...options, allowedNetworks: [] });
  await expect(guarded.remove(access, 'large')).rejects.toThrow(
    'DELETE: localhost does not resolve to a public address',
  );
  expect(await server.keys()).toContain('large');
  await client.remove(access, 'large');
  expect(await server.keys()).not.toContain('large');
});

/** M.1: providers whose responses differ from those of AWS, and names without a URL. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';

import {
  type BucketClient,
  createBucketClient,
  createOperatorBucketClient,
} from '../../../services/adapters/bucket/bucket-client.ts';
import type { BucketAccess } from '../../../services/core/bucket/bucket.ts';
import { ensureTls } from '../../../services/standalone/keys.ts';
import { testDir } from '../../support/servers.ts';

const parts = new AsyncDisposableStack();
let client: BucketClient;
let access: BucketAccess;
let error = 'NoSuchKey';
let ca: string;
/** Of the one object that is there. */
const OBJECT_BYTES = 1024 * 1024;
beforeAll(async () => {
  const tls = await ensureTls(parts.use(await testDir()).path);
  const server = createServer(
    { cert: await readFile(tls.certFile), key: await readFile(tls.keyFile) },
    (request, response) => {
      request.resume();
      if (request.url?.endsWith('/backup')) response.end(Buffer.alloc(OBJECT_BYTES));
      else response.writeHead(404).end(`<?xml version='1.0'?><Error><Code>${error}</Code></Error>`);
    },
  );
  server.listen(0, 'localhost');
  await once(server, 'listening');
  parts.defer(() => void server.close());
  const { port } = server.address() as AddressInfo;
  ca = await readFile(tls.caFile, 'utf8');
  client = parts.use(
    createBucketClient({
      timeoutMs: 10_000,
      allowedNetworks: ['127.0.0.0/8', '::1/128'],
      extraCa: [ca],
    }),
  );
  access = {
    endpoint: `https://localhost:${port}`,
    bucket: 'example-mail',
    region: 'auto',
    addressing: 'path',
    access_key_id: 'key',
    secret_access_key: 'secret',
  };
});
afterAll(() => parts.disposeAsync());

async function* content() {
  yield await Promise.resolve(Buffer.from('hi'));
}

test('M.1: an object that is not there counts as removed, also where that is a 404, as at Google', async () => {
  error = 'NoSuchKey';
  await expect(client.remove(access, 'gone')).resolves.toBeUndefined();
  await expect(client.put(access, 'gone', content())).rejects.toThrow(
    'PUT: it responded with 404 NoSuchKey',
  );
  error = 'NoSuchBucket';
  await expect(client.remove(access, 'gone')).rejects.toThrow(
    'DELETE: it responded with 404 NoSuchBucket',
  );
});

test('an object that cannot be read is a fault of the bucket, and no uncaught exception', async () => {
  await expect(Array.fromAsync(client.read(access, 'gone'))).rejects.toMatchObject({
    name: 'BucketFault',
    message: 'GET: it responded with 404',
  });
  await setImmediate(); // an error that nothing handles would end the process, and fails this file
});

test('a backup is read whole, however large: what receivers of webhooks may send is no limit of it', async () => {
  await using operator = createOperatorBucketClient({ extraCa: [ca] });
  const pieces = await Array.fromAsync(operator.read(access, 'backup'));
  expect(Buffer.concat(pieces)).toHaveLength(OBJECT_BYTES);
});

test.each(['https://8.8.8.8', 'https://[2606:4700::1111]'])(
  'M.1: no bucket can stand before %s: a fault, and no error of Inlet',
  async (endpoint) => {
    const nowhere = { ...access, endpoint, addressing: 'host' as const };
    const why = 'the endpoint is an IP address, so the addressing must be "path"';
    await expect(client.put(nowhere, 'file', content())).rejects.toMatchObject({
      name: 'BucketFault',
      message: why,
    });
    await expect(client.remove(nowhere, 'file')).rejects.toThrow(why);
  },
);

test.each(['\u001b[2JAccessDenied', 'x'.repeat(65), '<b>'])(
  'the code %j is not shown',
  async (code) => {
    error = code;
    await expect(client.put(access, 'one', content())).rejects.toThrow(
      /^PUT: it responded with 404$/,
    );
  },
);

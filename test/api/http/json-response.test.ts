/** JSON of the API is compressed where the client accepts it, and never with a secret. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { expect, test } from 'vitest';

import { startTestApi } from '../../support/start-api.ts';
import { useInFile } from '../../support/use-in-file.ts';

const api = await useInFile(startTestApi());
for (let n = 0; n < 12; n++) await api.create({ description: `an address with text ${n}` });

const get = async (path: string, headers: Record<string, string>) => {
  const response = await request(`${api.url}${path}`, {
    headers: { authorization: `Bearer ${api.token}`, ...headers },
  });
  return { ...response, bytes: Buffer.from(await response.body.arrayBuffer()) };
};

test('a list is compressed as the client asks; each encoding has its own tag', async () => {
  const plain = await get('/v1/addresses', { 'accept-encoding': 'identity' });
  const br = await get('/v1/addresses', { 'accept-encoding': 'br' });
  const gzip = await get('/v1/addresses', { 'accept-encoding': 'gzip' });
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect([br, gzip].map(({ headers }) => headers['content-encoding'])).toEqual(['br', 'gzip']);
  expect(brotliDecompressSync(br.bytes)).toEqual(plain.bytes);
  expect(gunzipSync(gzip.bytes)).toEqual(plain.bytes);
  expect(br.bytes.byteLength).toBeLessThan(plain.bytes.byteLength);
  expect(new Set([plain, br, gzip].map(({ headers }) => headers.etag)).size).toBe(3);
  const again = await get('/v1/addresses', {
    'accept-encoding': 'br',
    'if-none-match': String(br.headers.etag),
  });
  expect([again.statusCode, again.bytes.byteLength]).toEqual([304, 0]);
});

test('a short response and one with a secret are not compressed', async () => {
  const { id } = await api.create({
    description: 'x'.repeat(500),
    payload: { extract: ['codes'] },
  });
  for (const path of ['/v1/account', `/v1/addresses/${id}`]) {
    const { headers, bytes } = await get(path, { 'accept-encoding': 'br' });
    expect([path, headers['content-encoding']]).toEqual([path, undefined]);
    expect(JSON.parse(bytes.toString())).toBeTypeOf('object');
  }
});

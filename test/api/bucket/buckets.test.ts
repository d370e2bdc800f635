/** M.1: the calls on buckets (D80). */
import { expect, test } from 'vitest';

import { BUCKET } from '../../../services/core/bucket/bucket.ts';
import { startTestApi } from '../../support/start-api.ts';
import { useInFile } from '../../support/use-in-file.ts';

const api = await useInFile(startTestApi());

const NEW = {
  name: 'files',
  endpoint: 'https://s3.example.com',
  bucket: 'example-mail',
  credentials: { access_key_id: 'id', secret_access_key: 'very-secret' },
};
const ROOT = '/v1/account/buckets';
const newToken = async () => (await api.issue({ accountId: (await api.newAccount()).id })).token;

test('M.1: a bucket is created, changed and removed, and its secret is never shown', async () => {
  const token = await newToken();
  const { status, body: made } = await api.ask('POST', ROOT, { token, body: NEW });
  expect(status).toBe(201);
  expect(made).toMatchObject({ region: 'us-east-1', prefix: '', addressing: 'path' });
  expect(made).toMatchObject({ access_key_id: 'id', description: null });
  const one = `${ROOT}/${String(made.id)}`;
  const change = { prefix: 'mail/', credentials: { access_key_id: 'b', secret_access_key: 'c' } };
  const { body: changed } = await api.ask('PATCH', one, { token, body: change });
  expect(changed).toMatchObject({ prefix: 'mail/', access_key_id: 'b' });
  const answers = [made, changed, (await api.ask('GET', ROOT, { token })).body];
  expect(JSON.stringify(answers)).not.toMatch(/secret/);
  const events = (await api.ask('GET', '/v1/usage/events', { token })).body;
  expect(JSON.stringify(events)).toContain('bucket.updated');
  expect(JSON.stringify(events)).not.toMatch(/very-secret/);
  expect((await api.ask('DELETE', one, { token })).body).toEqual({ id: made.id, deleted: true });
  expect((await api.ask('GET', one, { token })).status).toBe(404);
});

test('M.1: another host needs its own credentials', async () => {
  const token = await newToken();
  const { body: made } = await api.ask('POST', ROOT, { token, body: NEW });
  const one = `${ROOT}/${String(made.id)}`;
  const body = { endpoint: 'https://s3.other.example' };
  expect((await api.ask('PATCH', one, { token, body })).status).toBe(409);
  const { credentials } = NEW;
  const both = await api.ask('PATCH', one, { token, body: { ...body, credentials } });
  expect(both.body).toMatchObject(body);
  expect((await api.ask('POST', ROOT, { token, body: NEW })).status).toBe(409); // the name
});

test('M.1: an account has at most ten buckets', async () => {
  const token = await newToken();
  const create = (name: string) => api.ask('POST', ROOT, { token, body: { ...NEW, name } });
  const names = Array.from({ length: BUCKET.maximum }, (_, number) => `bucket-${number}`);
  const statuses = (await Promise.all(names.map(create))).map(({ status }) => status);
  expect(statuses).toEqual(names.map(() => 201));
  expect((await create('one-more')).status).toBe(409);
});

test.each([
  ['endpoint', 'http://s3.example.com'],
  ['endpoint', 'https://s3.example.com/folder'],
  ['endpoint', 'https://169.254.169.254'],
  ['bucket', 'Not A Bucket'],
  ['prefix', '../other/'],
  ['prefix', '/'],
  ['prefix', 'no-slash'],
  ['region', 'EU'],
  ['name', 'With Space'],
])('M.1: %s %s is refused', async (field, value) => {
  const answer = await api.ask('POST', ROOT, { body: { ...NEW, [field]: value } });
  expect([answer.status, answer.body]).toMatchObject([422, { details: { field } }]);
});

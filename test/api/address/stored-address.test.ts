/**
 * The documents of addresses in MongoDB, byte for byte: of an address with every field, of one with
 * none, and of one that a change gave every field. Former releases read them after a rollback. And
 * what a gateway reads of them at RCPT.
 */
import { randomBytes } from 'node:crypto';

import { expect, test } from 'vitest';

import { ADDRESSES } from '../../../services/adapters/mongo/documents/address-documents.ts';
import { HOOK, startTestApi } from '../../support/start-api.ts';
import { useInFile } from '../../support/use-in-file.ts';

const REPLY_KEYS = randomBytes(32).toString('base64');
const api = await useInFile(startTestApi({ env: { REPLY_KEYS } }));
await api.ask('POST', '/v1/account/buckets', {
  body: {
    name: 'files',
    endpoint: 'https://s3.example.com',
    bucket: 'example-mail',
    credentials: { access_key_id: 'A', secret_access_key: 'B' },
  },
});

/** As requests have them. */
const EVERY_FIELD = {
  webhook_enabled: false,
  mode: 'push',
  when: 'spam.score < 5.0',
  format: 'cloudevents',
  description: 'Orders of the web shop',
  payload: {
    attachments: 'omit',
    raw: false,
    extract: ['codes', 'links'],
    storage: { bucket: 'files', what: ['raw'], link_hours: 24 },
  },
  spam_refuse_above: 7.5,
  allowed_senders: { senders: ['Partner.example'], accept_forwarded: true },
  refuse_infected: true,
  allowed_attachments: { types: ['Application/PDF'], max_bytes: 5_000 },
  max_per_hour: 100,
  labels: { team: 'shop', stage: 'test' },
  rules: [{ name: 'big', when: 'size_bytes > 1000000', action: 'tag', tags: ['big'] }],
  hook: { url: 'https://example.com/decide', when: null, timeout_ms: 900, on_error: 'defer' },
  expect: { every: '26h', when: 'subject.contains("backup")', grace: '2h' },
  reply_addresses: true,
  reply_only: true,
  retention_hours: 48,
  redact: ['from', 'subject'],
};

const create = async (fields: object) => {
  const { status, body } = await api.ask('POST', '/v1/addresses', {
    body: { webhook_url: HOOK, ...fields },
  });
  expect(body).toMatchObject({ id: expect.any(String) as string });
  expect(status).toBe(201);
  return body as { id: string; address: string };
};

/** Without what is random, or the time of the test. */
const settled = (value: unknown): string =>
  JSON.stringify(
    value,
    (key, one: unknown) => {
      if (['_id', 'id', 'account_id', 'address', 'sealed_secret'].includes(key)) return key;
      if (key === 'since_ms') return 0;
      return typeof one === 'string' && /^\d{4}-.*Z$/.test(one) ? 'time' : one;
    },
    2,
  );

const documentOf = async (id: string) =>
  settled(await api.mongo.db.collection<{ _id: string }>(ADDRESSES).findOne({ _id: id }));
/** In any order: a recipient is stored nowhere. */
const recipientOf = async (address: string) => {
  const found = Object.entries((await api.byRecipient(address)) ?? {});
  return settled(Object.fromEntries(found.toSorted(([one], [other]) => (one < other ? -1 : 1))));
};

test('an address with no field', async () => {
  const { id, address } = await create({});
  await expect(await documentOf(id)).toMatchFileSnapshot('stored/no-field.golden.json');
  await expect(await recipientOf(address)).toMatchFileSnapshot('stored/no-field-rcpt.golden.json');
});

test('an address with every field', async () => {
  const { id, address } = await create(EVERY_FIELD);
  await expect(await documentOf(id)).toMatchFileSnapshot('stored/every-field.golden.json');
  await expect(await recipientOf(address)).toMatchFileSnapshot(
    'stored/every-field-rcpt.golden.json',
  );
});

test('an address that a change gave every field, and another one none', async () => {
  const { id } = await create({});
  const change = async (fields: object) =>
    expect(
      await api.ask('PATCH', `/v1/addresses/${id}`, { body: { ...fields, is_enabled: true } }),
    ).toMatchObject({ status: 200 });
  await change(EVERY_FIELD);
  await expect(await documentOf(id)).toMatchFileSnapshot('stored/changed.golden.json');
  const nulls = Object.keys(EVERY_FIELD).filter(
    (name) => !/^(webhook_|mode|format|payload|labels|rules|reply_)/.test(name),
  );
  await change({
    ...Object.fromEntries(nulls.map((name) => [name, null])),
    webhook_enabled: true,
    format: 'inlet',
    payload: { attachments: 'inline', extract: [], storage: null },
    labels: {},
    rules: [],
    reply_addresses: false,
  });
  await expect(await documentOf(id)).toMatchFileSnapshot('stored/emptied.golden.json');
});

/** Receivers and domains as MongoDB has them: other releases read the same bytes. */
import { Binary } from 'mongodb';
import { expect, test } from 'vitest';

import { HOOK, startTestApi } from '../../support/start-api.ts';
import { RECEIVER_AUTH_LABEL } from '../../../services/core/kube/spec/receiver-auth-spec.ts';
import { address, manifest, receiver } from '../../support/manifests.ts';
import { createNamespace } from '../../operator/namespace.ts';
import { useOperator } from '../../operator/operator-bed.ts';

const shared = useOperator();

const EVERY_FIELD = {
  url: `${HOOK}/more`,
  description: 'Warehouse',
  is_enabled: false,
  payload: {
    attachments: 'omit',
    raw: false,
    extract: ['codes', 'links'],
    storage: { bucket: 'files', what: ['raw'], link_hours: 24 },
  },
  mode: 'push',
  when: 'spam.score < 5.0',
  format: 'cloudevents',
  signing: 'ed25519',
  auth: { headers: { 'X-Api-Key': 'a key' }, basic: { username: 'me', password: 'secret' } },
};

test('the stored documents of receivers and domains', async () => {
  await using api = await startTestApi();
  const seen: string[] = [];
  const see = async (collection: string) => {
    const found = await api.mongo.db.collection(collection).find().sort({ _id: 1 }).toArray();
    seen.push(found.map(storedText).join('\n'));
  };
  const ask = async (method: string, path: string, body: object) => {
    const answer = await api.ask(method, path, { body });
    expect(answer).toMatchObject({ status: method === 'POST' ? 201 : 200 });
    return answer.body as { id: string };
  };

  await ask('POST', '/v1/account/buckets', {
    name: 'files',
    endpoint: 'https://s3.example.com',
    bucket: 'example-mail',
    credentials: { access_key_id: 'A', secret_access_key: 'B' },
  });
  const { id } = await api.create();
  const receivers = `/v1/addresses/${id}/receivers`;
  const none = await ask('POST', receivers, { url: HOOK });
  await ask('POST', receivers, EVERY_FIELD);
  await ask('POST', receivers, { mode: 'pull' });
  await see('receivers');
  await ask('PATCH', `${receivers}/${none.id}`, EVERY_FIELD);
  await see('receivers');
  await ask('PATCH', `${receivers}/${none.id}`, {
    description: null,
    is_enabled: true,
    payload: { attachments: 'inline', extract: [], storage: null },
    when: null,
    format: 'inlet',
    signing: 'hmac',
    auth: null,
  });
  await see('receivers');

  const domain = await ask('POST', '/v1/domains', { domain: 'münchen.example' });
  await see('domains');
  await ask('PATCH', `/v1/domains/${domain.id}`, { mta_sts: 'testing' });
  await see('domains');
  await expect(`${seen.join('\n\n')}\n`).toMatchFileSnapshot(
    'stored/receivers-and-domains.golden.txt',
  );
});

test('the stored documents of receivers and domains of resources', async () => {
  const space = createNamespace(shared.bed, shared.operator);
  await space.withAccount();
  const seen: string[] = [];
  const see = async (collection: string) => {
    const texts = (await space.records(collection)).map(storedText).toSorted();
    seen.push(texts.join('\n').replaceAll(space.name, 'namespace'));
  };

  await space.settle(address('orders', HOOK), receiver('none', HOOK));
  space.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'login', labels: { [RECEIVER_AUTH_LABEL]: 'true' } },
    data: { username: 'bWU=', password: 'eA==' },
  });
  const every = {
    description: 'Warehouse',
    enabled: false,
    payload: { attachments: 'omit', extract: ['codes'] },
    mode: 'push',
    when: 'spam.score < 5.0',
    format: 'cloudevents',
    signing: 'ed25519',
    auth: { basicSecretRef: { name: 'login' } },
  };
  await space.settle(receiver('every', HOOK, every));
  await space.settle(
    manifest('InboundReceiver', 'in-cluster', {
      addressRef: { name: 'orders' },
      service: { name: 'hooks', path: '/in' },
      caBundle: 'PEM',
    }),
  );
  await see('receivers');
  await space.settle(receiver('none', HOOK, { ...every, secretGeneration: 2 }));
  await space.settle(receiver('every', HOOK));
  await see('receivers');

  shared.bed.dns.set('stored.example', { txt: [], mx: [] });
  await space.settle(
    manifest('InboundDomain', 'own', { accountRef: { name: 'shop' }, domain: 'stored.example' }),
  );
  await see('domains');
  await expect(`${seen.join('\n\n')}\n`).toMatchFileSnapshot('stored/of-resources.golden.txt');
});

const RANDOM = /(?<=\b(acc|token|member|addr|rcv|dom|svc|whpk)_)[A-Za-z0-9_+/=-]{6,}/g;
const SECRET = new Set(['sealed_secret', 'sealed_auth', 'token', 'uid']);

const storedText = (document: unknown): string => JSON.stringify(masked(document));

function masked(value: unknown, name?: string): unknown {
  if (value instanceof Date) return 'a time';
  if (value instanceof Binary) return 'bytes';
  if (typeof value === 'string')
    return name !== undefined && SECRET.has(name) ? 'secret' : value.replaceAll(RANDOM, '…');
  if (Array.isArray(value)) return value.map((one) => masked(one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, masked(one, key)]));
}

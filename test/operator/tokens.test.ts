/** An ApiToken resource becomes a token, which only its Secret holds. */
import { afterEach, describe, expect, test } from 'vitest';

import { createCredentialRevision } from '../../services/adapters/mongo/token/credential-revision.ts';
import { createTokens } from '../../services/adapters/mongo/token/tokens.ts';
import { DELIVERY_PARTS, PERMISSIONS } from '../../services/core/token/permission.ts';
import { account, token } from '../support/manifests.ts';
import { createNamespace, type TestNamespace } from './namespace.ts';
import { useOperator } from './operator-bed.ts';

const shared = useOperator();
afterEach(() => shared.bed.kube.faults.heal());

async function withToken(spec: object = {}): Promise<TestNamespace> {
  const space = createNamespace(shared.bed, shared.operator);
  await space.withAccount();
  await space.settle(token('ci', spec));
  return space;
}
const recordOf = async (space: TestNamespace) => (await space.records('tokens'))[0] ?? {};
const stateOf = (space: TestNamespace) => space.condition('ApiToken', 'ci');
const reconcile = (space: TestNamespace) => space.reconcile('ApiToken', 'ci');
const textOf = (space: TestNamespace) => space.secret('ci-token')?.token ?? '';
/** Whose token it is; `undefined` when it is not valid. */
const whoami = async (text: string) =>
  (await createTokens(shared.bed.mongo.db).authenticate(text))?.identity.id;

test('a new resource is a token in a Secret, with the permissions of the spec', async () => {
  const space = await withToken({ environment: 'test', permissions: ['usage:read'], name: 'CI' });
  const record = await recordOf(space);
  expect(record).toMatchObject({ name: 'CI', environment: 'test', permissions: ['usage:read'] });
  expect(await whoami(textOf(space))).toBe(record._id);
  expect(space.get('ApiToken', 'ci')?.status).toMatchObject({
    id: record._id,
    prefix: textOf(space).slice(0, 15),
    secretName: 'ci-token',
  });
  expect([stateOf(space), await space.audited()]).toEqual(['True Ready', ['token.created']]);
});

test('a token of an account that does not exist is not issued', async () => {
  const space = await withToken({ accountRef: { name: 'nobody' } });
  expect([stateOf(space), await space.records('tokens'), space.secrets()]).toEqual([
    'False AccountNotReady',
    [],
    [],
  ]);
});

test('a change of its name or permissions keeps the token', async () => {
  const space = await withToken();
  const text = textOf(space);
  expect(await recordOf(space)).toMatchObject({
    name: 'ci',
    permissions: PERMISSIONS.filter(
      (one) => ![...DELIVERY_PARTS, 'secrets:read', 'mail:submit'].includes(one),
    ),
    reads_secrets: true,
    submits_mail: true,
  });
  await space.settle(token('ci', { name: 'other', permissions: ['usage:read', 'account:read'] }));
  expect(await recordOf(space)).toMatchObject({
    name: 'other',
    permissions: ['usage:read', 'account:read'],
  });
  expect([textOf(space), await whoami(text)]).toEqual([text, (await recordOf(space))._id]);
  expect(await space.changes('token.updated')).toMatchObject([
    {
      resource: expect.stringMatching(/^ApiToken .*\/ci$/) as string,
      changed: { name: 'other', permissions: ['usage:read', 'account:read'] },
    },
  ]);
});

test.each<[string, (space: TestNamespace) => unknown]>([
  ['was deleted', (space) => space.delete('Secret', 'ci-token')],
  [
    'holds something else',
    (space) =>
      space.patch('Secret', 'ci-token', { data: { token: Buffer.from('x').toString('base64') } }),
  ],
])('a token whose Secret %s is replaced once, and the former one ends', async (_, disturb) => {
  const space = await withToken();
  const [former, { _id }] = [textOf(space), await recordOf(space)];
  disturb(space);
  await reconcile(space);
  const text = textOf(space);
  expect([await whoami(former), await whoami(text)]).toEqual([undefined, _id]);
  expect(space.get('ApiToken', 'ci')?.status?.prefix).toBe(text.slice(0, 15));
  await reconcile(space);
  expect(textOf(space)).toBe(text);
});

/** Everything that clients and the API notice of a replacement. */
const stateOfToken = async (space: TestNamespace) => {
  const { sha256, prefix } = await recordOf(space);
  const revision = await createCredentialRevision(shared.bed.mongo.db).read();
  return { sha256, prefix, revision, shown: space.get('ApiToken', 'ci')?.status?.prefix };
};
const again = async (space: TestNamespace) => {
  for (let i = 0; i < 3; i++) await reconcile(space).catch(() => undefined);
};

describe('a token stays valid, and is not replaced', () => {
  test.each<[string, object]>([
    ['its owner', { ownerReferences: null }],
    ['its owner and its label', { ownerReferences: null, labels: null }],
    ['its label', { labels: null }],
  ])('when its Secret loses %s: it gets them again', async (_, metadata) => {
    const space = await withToken();
    const [before, state] = [textOf(space), await stateOfToken(space)];
    space.patch('Secret', 'ci-token', { metadata });
    await again(space);
    expect([textOf(space), await stateOfToken(space), stateOf(space)]).toEqual([
      before,
      state,
      'True Ready',
    ]);
    expect(space.get('Secret', 'ci-token')?.metadata).toMatchObject({
      labels: { 'app.kubernetes.io/managed-by': 'inlet-operator' },
      ownerReferences: [{ kind: 'ApiToken', name: 'ci' }],
    });
  });

  test.each<[string, object, string]>([
    ['belongs to nobody', { ownerReferences: null }, 'SecretTaken'],
    [
      'belongs to another resource',
      { ownerReferences: [{ kind: 'Other', name: 'ci', uid: 'x', controller: true }] },
      'SecretTaken',
    ],
  ])('when a Secret of its name %s and holds something else', async (_, metadata, reason) => {
    const space = await withToken();
    const [before, state] = [textOf(space), await stateOfToken(space)];
    const data = { token: Buffer.from('other').toString('base64') };
    space.patch('Secret', 'ci-token', { metadata, data });
    await again(space);
    expect([stateOf(space), textOf(space), await stateOfToken(space)]).toEqual([
      `False ${reason}`,
      'other',
      state,
    ]);
    expect(await whoami(before)).toBe((await recordOf(space))._id);
    space.delete('Secret', 'ci-token');
    await again(space);
    expect([stateOf(space), await whoami(textOf(space)), await whoami(before)]).toEqual([
      'True Ready',
      (await recordOf(space))._id,
      undefined,
    ]);
  });

  test('when its Secret is lost and the API server accepts no other', async () => {
    const space = await withToken();
    const state = await stateOfToken(space);
    space.delete('Secret', 'ci-token');
    for (const status of [403, 422, 500, 503])
      shared.bed.kube.faults.order({ status }, { on: 'create secrets' });
    await again(space);
    await again(space);
    expect([stateOf(space), (await stateOfToken(space)).revision - state.revision]).toEqual([
      'True Ready',
      1, // replaced once, when it was accepted
    ]);
  });
});

test.each<[string, string, (space: TestNamespace) => void]>([
  [
    'is taken',
    'SecretTaken',
    (space) => space.apply({ kind: 'Secret', metadata: { name: 'ci-token' }, data: {} }),
  ],
  [
    'is refused',
    'SecretRefused',
    () => shared.bed.kube.faults.order({ status: 403 }, { on: 'create secrets', times: 2 }),
  ],
])('a token whose Secret %s is not issued, until it can be written', async (_, reason, arrange) => {
  const space = createNamespace(shared.bed, shared.operator);
  await space.withAccount();
  arrange(space);
  await space.settle(token('ci'));
  await reconcile(space);
  expect([stateOf(space), await space.records('tokens'), await space.audited()]).toEqual([
    `False ${reason}`,
    [],
    [],
  ]);
  if (space.get('Secret', 'ci-token')) space.delete('Secret', 'ci-token');
  await reconcile(space);
  expect([stateOf(space), await space.audited()]).toEqual(['True Ready', ['token.created']]);
});

test('a Secret that got another field is written as it was, with the same token', async () => {
  const space = await withToken();
  const text = textOf(space);
  space.patch('Secret', 'ci-token', { data: { more: Buffer.from('x').toString('base64') } });
  await reconcile(space);
  expect(space.secret('ci-token')).toEqual({ token: text });
});

test('a token that an earlier resource left to another account is not disclosed', async () => {
  const space = await withToken();
  const record = await recordOf(space);
  space.patch('ApiToken', 'ci', { metadata: { finalizers: null } });
  space.delete('ApiToken', 'ci');
  await space.settle(account('heir', { email: `heir@${space.name}.example` }));
  await space.settle(token('ci', { accountRef: { name: 'heir' } }));
  expect([stateOf(space), await space.records('tokens'), space.secrets()]).toEqual([
    'False NotOurs',
    [record],
    [],
  ]);
});

test('a token whose record is gone is issued again', async () => {
  const space = await withToken();
  const { _id } = await recordOf(space);
  await shared.bed.mongo.db.collection('tokens').deleteOne({ _id });
  await reconcile(space);
  expect([await whoami(textOf(space)), stateOf(space)]).toEqual([
    (await recordOf(space))._id,
    'True Ready',
  ]);
});

test('a deleted resource revokes the token and deletes its Secret', async () => {
  const space = await withToken();
  const text = textOf(space);
  space.delete('ApiToken', 'ci');
  expect(await reconcile(space)).toEqual({ result: 'removed' });
  expect([await whoami(text), space.secrets(), await space.audited()]).toEqual([
    undefined,
    [],
    ['token.created', 'token.deleted'],
  ]);
});

test('a resource that has no token can be deleted', async () => {
  const space = await withToken({ accountRef: { name: 'nobody' } });
  space.delete('ApiToken', 'ci');
  expect([await reconcile(space), await space.audited()]).toEqual([{ result: 'removed' }, []]);
});

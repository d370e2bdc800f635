/** An InboundAddress resource becomes an address and a Secret, and both follow the resource. */
import { describe, expect, test } from 'vitest';

import { RECEIVER_AUTH_LABEL } from '../../services/core/kube/spec/receiver-auth-spec.ts';
import { address, account, manifest } from '../support/manifests.ts';
import { domainOf, verifyDomain } from './changes.ts';
import { createNamespace, type TestNamespace } from './namespace.ts';
import { useOperator } from './operator-bed.ts';

const HOOK = 'https://hooks.example.com/inbound';
const HOUR_MS = 3_600_000;

const shared = useOperator();

/** A namespace with an account, and the address `orders` unless the test creates its own. */
async function namespace(): Promise<TestNamespace> {
  const space = createNamespace(shared.bed, shared.operator);
  await space.withAccount();
  return space;
}
async function withOrders(spec: object = {}): Promise<TestNamespace> {
  const space = await namespace();
  await space.settle(address('orders', HOOK, spec));
  return space;
}
const recordOf = async (space: TestNamespace) => (await space.records('addresses'))[0] ?? {};
const set = (space: TestNamespace, change: object) =>
  shared.bed.mongo.db
    .collection('addresses')
    .updateOne({ 'managed_by.namespace': space.name }, { $set: change });
const stateOf = (space: TestNamespace) => space.condition('InboundAddress', 'orders');
const statusOf = (space: TestNamespace) => space.get('InboundAddress', 'orders')?.status ?? {};
const reconcile = (space: TestNamespace) => space.reconcile('InboundAddress', 'orders');
const change = (space: TestNamespace, spec: object) => space.settle(address('orders', HOOK, spec));

test('a new resource is an address; its Secret and its status say what the receiver needs', async () => {
  const space = await withOrders({ description: 'Orders', spamRefuseAbove: 7.5 });
  const record = await recordOf(space);
  expect(record).toMatchObject({
    webhook_url: HOOK,
    description: 'Orders',
    spam_refuse_above: 7.5,
    is_permanent: true,
    is_enabled: true,
  });
  expect(space.secret('orders-webhook')).toEqual({
    webhook_secret: expect.stringMatching(/^whsec_/) as string,
    webhook_url: HOOK,
    address: record.address,
  });
  const { metadata } = space.get('InboundAddress', 'orders') ?? {};
  expect(space.get('Secret', 'orders-webhook')?.metadata).toMatchObject({
    labels: { 'app.kubernetes.io/managed-by': 'inlet-operator' },
    ownerReferences: [{ kind: 'InboundAddress', name: 'orders', uid: metadata?.uid }],
  });
  expect(statusOf(space)).toMatchObject({
    id: record._id,
    address: record.address,
    secretName: 'orders-webhook',
    secretGeneration: 1,
    observedGeneration: 1,
  });
  expect([stateOf(space), space.events(), await space.audited()]).toEqual([
    'True Ready',
    ['Ready', 'Ready'],
    ['address.created'],
  ]);
});

describe('a spec that cannot be fulfilled is explained, and no address is created', () => {
  test.each<[string, object, string]>([
    ['links that are not offered', { payload: { raw: true } }, 'LinksNotOffered'],
    ['a name that is reserved', { localPart: 'postmaster' }, 'Refused'],
    ['a catch-all of the shared domain', { localPart: '*' }, 'Refused'],
    ['a domain that is not verified', { localPart: 'a', domain: 'not.example' }, 'Refused'],
  ])('%s', async (_, spec, reason) => {
    const space = await withOrders(spec);
    expect([stateOf(space), await space.records('addresses'), space.secrets()]).toEqual([
      `False ${reason}`,
      [],
      [],
    ]);
  });

  test('a name that another account has', async () => {
    const [first, second] = [await withOrders({ localPart: 'taken' }), await namespace()];
    await second.settle(address('orders', HOOK, { localPart: 'Taken' }));
    expect([stateOf(first), stateOf(second)]).toEqual(['True Ready', 'False Refused']);
  });
});

describe('the address follows its spec', () => {
  test('changed fields are changed in the record and in the Secret, with one audit event', async () => {
    const space = await withOrders();
    const { address: text } = await recordOf(space);
    await change(space, {
      webhookUrl: `${HOOK}/new`,
      description: 'new',
      payload: { attachments: 'omit' },
    });
    expect(await recordOf(space)).toMatchObject({
      address: text,
      webhook_url: `${HOOK}/new`,
      description: 'new',
      payload: { attachments: 'omit' },
    });
    expect(space.secret('orders-webhook')?.webhook_url).toBe(`${HOOK}/new`);
    expect(await space.audited()).toEqual(['address.created', 'address.updated']);
    await change(space, { webhookUrl: HOOK, enabled: false });
    expect([stateOf(space), (await recordOf(space)).is_enabled]).toEqual(['True Disabled', false]);
  });

  test('a higher secretGeneration rotates the secret once, and the former one still signs', async () => {
    const space = await withOrders();
    const former = space.secret('orders-webhook')?.webhook_secret;
    await change(space, { secretGeneration: 2 });
    await reconcile(space);
    const { former_secrets, secret_generation } = await recordOf(space);
    expect([former_secrets, secret_generation]).toEqual([[expect.anything()], 2]);
    expect(space.secret('orders-webhook')?.webhook_secret).not.toBe(former);
    expect([statusOf(space).secretGeneration, await space.audited()]).toEqual([
      2,
      ['address.created', 'address.updated'],
    ]);
  });

  test('an edit of a failing address lets it recover', async () => {
    const space = await withOrders();
    const since = new Date();
    await set(space, { failing_since: since, failing_noticed_at: since });
    await reconcile(space);
    expect([stateOf(space), space.events()]).toEqual([
      'True Failing',
      ['Ready', 'Ready', 'Failing'],
    ]);
    await change(space, { webhookUrl: `${HOOK}/mended` });
    expect([stateOf(space), space.events().at(-1), (await space.audited()).slice(1)]).toEqual([
      'True Ready',
      'Recovered',
      ['address.recovered', 'address.updated'],
    ]);
  });

  test('an address that was disabled as failing stays so until the resource is edited', async () => {
    const space = await withOrders();
    const since = new Date();
    await set(space, { is_enabled: false, failing_since: since, failing_noticed_at: since });
    await reconcile(space);
    expect([stateOf(space), (await recordOf(space)).is_enabled]).toEqual(['False Failing', false]);
    await change(space, { description: 'mended' });
    expect([stateOf(space), (await recordOf(space)).is_enabled]).toEqual(['True Ready', true]);
  });

  test('an expiring address is reconciled at its expiry, and never created again', async () => {
    const space = await namespace();
    space.apply(address('orders', HOOK, { ttlHours: 5 }));
    const { againAfterMs = 0 } = await reconcile(space);
    expect(againAfterMs).toBeGreaterThan(4.9 * HOUR_MS);
    expect(againAfterMs).toBeLessThanOrEqual(5 * HOUR_MS);
    const { expires_at, _id } = await recordOf(space);
    expect(Date.parse(String(statusOf(space).expiresAt))).toBeCloseTo(
      (expires_at as Date).getTime(),
      -4,
    );
    await set(space, { expires_at: new Date(Date.now() - 1_000) });
    expect(await reconcile(space)).toEqual({ result: 'refused' });
    expect(stateOf(space)).toBe('False Expired');

    await shared.bed.mongo.db.collection('addresses').deleteOne({ _id });
    shared.bed.passMs(6 * HOUR_MS);
    await change(space, { description: 'still over' });
    expect([stateOf(space), await space.records('addresses')]).toEqual(['False Expired', []]);
  });

  test('an expiry that is far away is looked at once a day', async () => {
    const space = await namespace();
    space.apply(address('orders', HOOK, { ttlHours: 8_000 }));
    expect(await reconcile(space)).toMatchObject({ againAfterMs: 24 * HOUR_MS });
  });

  test('an address of a verified domain of its own is created', async () => {
    const space = await namespace();
    await verifyDomain(space, shared.bed);
    await space.settle(address('orders', HOOK, { localPart: 'Sales', domain: domainOf(space) }));
    expect([stateOf(space), (await recordOf(space)).address]).toEqual([
      'True Ready',
      `sales@${domainOf(space)}`,
    ]);
  });
});

describe('drift is corrected', () => {
  test('a changed record is changed back', async () => {
    const space = await withOrders();
    await set(space, { webhook_url: 'https://elsewhere.example/', is_enabled: false });
    await reconcile(space);
    expect(await recordOf(space)).toMatchObject({ webhook_url: HOOK, is_enabled: true });
  });

  test('a deleted record is restored with its address and its secret', async () => {
    const space = await withOrders();
    const [before, secret] = [await recordOf(space), space.secret('orders-webhook')];
    await set(space, { deleted_at: new Date() });
    await reconcile(space);
    expect([await recordOf(space), space.secret('orders-webhook'), stateOf(space)]).toEqual([
      before,
      secret,
      'True Ready',
    ]);
  });

  test('a record that is gone is lost: the resource gets no second address', async () => {
    const space = await withOrders();
    await shared.bed.mongo.db
      .collection('addresses')
      .deleteMany({ 'managed_by.namespace': space.name });
    await reconcile(space);
    expect([stateOf(space), await space.records('addresses')]).toEqual(['False Lost', []]);
  });

  test('an address whose domain is lost stays deleted', async () => {
    const space = await namespace();
    await verifyDomain(space, shared.bed);
    await space.settle(address('orders', HOOK, { localPart: 'sales', domain: domainOf(space) }));
    await shared.bed.mongo.db
      .collection('domains')
      .deleteMany({ 'managed_by.namespace': space.name });
    await set(space, { deleted_at: new Date() });
    await reconcile(space);
    expect([stateOf(space), (await recordOf(space)).deleted_at]).toEqual([
      'False Lost',
      expect.any(Date),
    ]);
  });
});

test('an address that an earlier resource left to another account is not disclosed', async () => {
  const space = await withOrders();
  space.patch('InboundAddress', 'orders', { metadata: { finalizers: null } });
  space.delete('InboundAddress', 'orders'); // and with it the Secret
  await space.settle(account('heir', { email: `heir@${space.name}.example` }));
  await space.settle(address('orders', HOOK, { accountRef: { name: 'heir' } }));
  expect([stateOf(space), statusOf(space).id, space.secrets()]).toEqual([
    'False NotOurs',
    undefined,
    [],
  ]);
});

test('a deleted resource deletes its address and its Secret', async () => {
  const space = await withOrders();
  space.delete('InboundAddress', 'orders');
  expect(await reconcile(space)).toEqual({ result: 'removed' });
  expect([(await recordOf(space)).deleted_at, space.secrets(), await space.audited()]).toEqual([
    expect.any(Date),
    [],
    ['address.created', 'address.deleted'],
  ]);
});

test.each<[string, (space: TestNamespace) => unknown]>([
  ['never created', async (space) => space.settle(address('orders', HOOK, { localPart: '*' }))],
  [
    'deleted before',
    async (space) => {
      await space.settle(address('orders', HOOK));
      await set(space, { deleted_at: new Date() });
    },
  ],
  [
    'removed long after its expiry',
    async (space) => {
      await space.settle(address('orders', HOOK, { ttlHours: 1 }));
      await set(space, { expires_at: new Date(Date.now() - 40 * 24 * HOUR_MS) });
    },
  ],
])('a resource whose address was %s can be deleted', async (_, arrange) => {
  const space = await namespace();
  await arrange(space);
  space.delete('InboundAddress', 'orders');
  expect(await reconcile(space)).toEqual({ result: 'removed' });
  expect([space.get('InboundAddress', 'orders'), await space.audited()]).toEqual([
    undefined,
    expect.not.arrayContaining(['address.deleted']),
  ]);
});

describe('the first receiver', () => {
  const SECRET = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'gateway', labels: { [RECEIVER_AUTH_LABEL]: 'true' } },
    data: { username: 'aW5sZXQ=', password: 'c2VjcmV0LTE=' },
  };

  test('has what an InboundReceiver has: authentication, a key, a format and a filter', async () => {
    const space = await namespace();
    const spec = {
      auth: { basicSecretRef: { name: 'gateway' } },
      signing: 'ed25519',
      format: 'cloudevents',
      when: 'size_bytes > 0',
      webhookEnabled: false,
    };
    await space.settle(address('orders', HOOK, spec));
    expect([stateOf(space), await space.records('addresses')]).toEqual(['False AuthNotUsable', []]);
    space.apply(SECRET);
    await reconcile(space);
    const first = await recordOf(space);
    expect(first).toMatchObject({
      auth: { basic: { username: 'inlet' } },
      signing: 'ed25519',
      format: 'cloudevents',
      when: 'size_bytes > 0',
      webhook_enabled: false,
    });
    expect(stateOf(space)).toBe('True Ready');
    expect(space.secret('orders-webhook')).toEqual({
      public_key: expect.stringMatching(/^whpk_/) as string,
      webhook_url: HOOK,
      address: first.address,
    });
    await reconcile(space);
    expect(await recordOf(space)).toEqual(first); // nothing differs, so nothing is sealed again
    space.patch('Secret', 'gateway', { data: { password: 'c2VjcmV0LTI=' } });
    await reconcile(space);
    expect((await recordOf(space)).sealed_auth).not.toBe(first.sealed_auth);
    const plain = {
      auth: null,
      signing: 'hmac',
      format: 'inlet',
      when: null,
      webhookEnabled: true,
    };
    await change(space, plain);
    expect(await recordOf(space)).toMatchObject({
      auth: null,
      sealed_auth: null,
      signing: 'hmac',
      format: 'inlet',
      when: null,
      webhook_enabled: true,
    });
    expect(await space.audited()).toEqual([
      'address.created',
      'address.updated',
      'address.updated',
    ]);
  });

  test('without a URL, email is only stored; with a Service, it goes there', async () => {
    const space = await namespace();
    await space.settle(manifest('InboundAddress', 'orders', { accountRef: { name: 'shop' } }));
    expect(stateOf(space)).toBe('True Ready');
    expect(space.message('InboundAddress', 'orders')).toContain('no webhook is sent');
    expect(await recordOf(space)).toMatchObject({ webhook_url: '' });
    expect(space.secret('orders-webhook')).toEqual({
      webhook_secret: expect.stringMatching(/^whsec_/) as string,
      address: (await recordOf(space)).address,
    });
    const service = { name: 'shop', port: 8443, path: '/in' };
    await space.settle(address('orders', null as never, { service, caBundle: 'PEM' }));
    const url = `https://shop.${space.name}.svc:8443/in`;
    expect(await recordOf(space)).toMatchObject({ webhook_url: url, service: { ca: 'PEM' } });
    expect([stateOf(space), space.secret('orders-webhook')?.webhook_url]).toEqual([
      'True Ready',
      url,
    ]);
  });
});

/** What holds for all kinds whose resources own one record each, of an account or of an address. */
import { describe, expect, test } from 'vitest';

import { BUCKET } from '../../services/core/bucket/bucket.ts';
import type { KindName } from '../../services/core/kube/custom-resource.ts';
import { SENDER_LIST } from '../../services/core/list/sender-list.ts';
import { NOTIFICATION } from '../../services/core/notification/notification.ts';
import { RECEIVER } from '../../services/core/receiver/receiver.ts';
import {
  account,
  address,
  bucket,
  bucketKeys,
  type Manifest,
  notification,
  receiver,
  senderList,
} from '../support/manifests.ts';
import { createNamespace, type TestNamespace } from './namespace.ts';
import { useOperator } from './operator-bed.ts';

const HOOK = 'https://hooks.example.com/in';
const PRIVATE = 'https://10.0.0.1/';
const shared = useOperator();

type OwnedKind = {
  kind: KindName;
  collection: string;
  /** As in the types of events. */
  noun: string;
  maximum: number;
  manifest: (name: string, spec?: object) => Manifest;
  /** A field of the record with what others wrote into it, and one of the spec that is refused. */
  edited: object;
  refused: object;
  /** Of the resource `one`, when Inlet writes one. */
  secret?: string;
};

const KINDS: OwnedKind[] = [
  {
    kind: 'AccountBucket',
    collection: 'buckets',
    noun: 'bucket',
    maximum: BUCKET.maximum,
    manifest: (name, spec) => bucket(name, spec),
    edited: { endpoint: 'https://evil.example', prefix: 'evil/' },
    refused: { endpoint: PRIVATE },
  },
  {
    kind: 'SenderList',
    collection: 'sender_lists',
    noun: 'list',
    maximum: SENDER_LIST.maximum,
    manifest: (name, spec) => senderList(name, ['partner.example'], spec),
    edited: { entries: ['evil.example'] },
    refused: { entries: ['localhost'] },
  },
  {
    kind: 'AccountNotification',
    collection: 'notifications',
    noun: 'notification',
    maximum: NOTIFICATION.maximum,
    manifest: (name, spec) => notification(name, HOOK, spec),
    edited: { is_enabled: false },
    refused: { url: PRIVATE },
    secret: 'one-notification',
  },
  {
    kind: 'InboundReceiver',
    collection: 'receivers',
    noun: 'receiver',
    maximum: RECEIVER.maximum,
    manifest: (name, spec) => receiver(name, HOOK, spec),
    edited: { is_enabled: false },
    refused: { url: PRIVATE },
    secret: 'one-receiver',
  },
];

/** Of the bucket, and of the address. */
const WITHOUT_ONE = ['bucket-keys', 'orders-webhook'];

const withOwners = async (): Promise<TestNamespace> => {
  const space = createNamespace(shared.bed, shared.operator);
  await space.withAccount();
  space.apply(bucketKeys());
  await space.settle(address('orders', HOOK));
  return space;
};

describe.each(KINDS.map((one) => [one.kind, one] as const))('%s', (_, given) => {
  const { kind, collection, noun, maximum, manifest, edited, refused, secret } = given;
  const withOne = async (spec: object = {}): Promise<TestNamespace> => {
    const space = await withOwners();
    await space.settle(manifest('one', spec));
    return space;
  };
  const recordOf = async (space: TestNamespace) => (await space.records(collection))[0] ?? {};
  const stateOf = (space: TestNamespace) => space.condition(kind, 'one');
  const audited = async (space: TestNamespace) =>
    (await space.audited()).filter((type) => type.startsWith(`${noun}.`));
  const reconcile = (space: TestNamespace) => space.reconcile(kind, 'one');
  const collectionOf = () => shared.bed.mongo.db.collection(collection);

  test('a record that was changed by other means is changed back, once', async () => {
    const space = await withOne();
    const before = await recordOf(space);
    await collectionOf().updateOne({ 'managed_by.namespace': space.name }, { $set: edited });
    await reconcile(space);
    await reconcile(space);
    expect(await recordOf(space)).toMatchObject(
      Object.fromEntries(Object.keys(edited).map((field) => [field, before[field] as unknown])),
    );
    expect(await audited(space)).toEqual([`${noun}.created`, `${noun}.updated`]);
  });

  test('a record that is gone is created again', async () => {
    const space = await withOne();
    const { _id: id } = await recordOf(space);
    await collectionOf().deleteOne({ 'managed_by.namespace': space.name });
    await reconcile(space);
    const { _id: later } = await recordOf(space);
    expect([later === id, space.get(kind, 'one')?.status?.id]).toEqual([false, later]);
  });

  test.skipIf(kind === 'InboundReceiver')(
    'a record that an earlier resource left to another account is neither changed nor disclosed',
    async () => {
      const space = await withOne();
      const before = await recordOf(space);
      space.patch(kind, 'one', { metadata: { finalizers: null } });
      space.delete(kind, 'one'); // and with it the Secret
      await space.settle(account('heir', { email: `heir@${space.name}.example` }));
      await space.settle(manifest('one', { accountRef: { name: 'heir' }, description: 'mine' }));
      expect([stateOf(space), await recordOf(space)]).toEqual(['False NotOurs', before]);
      expect(space.secrets()).toEqual(WITHOUT_ONE);
    },
  );

  test('an owner with as many as it may have gets no other', async () => {
    const space = await withOwners();
    for (let i = 0; i < maximum; i++) await space.settle(manifest(`n${i}`));
    await space.settle(manifest('one'));
    expect([stateOf(space), (await space.records(collection)).length]).toEqual([
      'False Refused',
      maximum,
    ]);
  });

  test('a deleted resource deletes its record and its Secret', async () => {
    const space = await withOne();
    space.delete(kind, 'one');
    expect(await reconcile(space)).toEqual({ result: 'removed' });
    expect([await space.records(collection), await audited(space)]).toEqual([
      [],
      [`${noun}.created`, `${noun}.deleted`],
    ]);
    expect(space.secrets()).toEqual(WITHOUT_ONE);
  });

  test('a refused spec is explained and creates nothing, and its resource can be deleted', async () => {
    const space = await withOne(refused);
    expect([stateOf(space), await space.records(collection)]).toEqual([
      expect.stringMatching(/^False Invalid/),
      [],
    ]);
    expect(space.secrets()).toEqual(WITHOUT_ONE);
    space.delete(kind, 'one');
    expect(await reconcile(space)).toEqual({ result: 'removed' });
  });

  test.skipIf(secret === undefined)(
    'a higher secretGeneration rotates the secret once, and the former one still signs',
    async () => {
      const space = await withOne();
      const former = space.secret(secret ?? '')?.webhook_secret;
      await space.settle(manifest('one', { secretGeneration: 3 }));
      await reconcile(space);
      const { former_secrets, secret_generation } = await recordOf(space);
      expect([former_secrets, secret_generation]).toEqual([[expect.anything()], 3]);
      expect(space.secret(secret ?? '')?.webhook_secret).not.toBe(former);
      expect(await audited(space)).toEqual([`${noun}.created`, `${noun}.updated`]);
    },
  );
});

/**
 * Everything that operators have left in a namespace of a test, comparable with what others left in
 * another one: random values are replaced by what they must agree with.
 */
import { Binary, type Document } from 'mongodb';

import { definitionOf } from '../support/kube-api/definitions.ts';
import { type KindName, KIND_NAMES } from '../../services/core/kube/custom-resource.ts';
import type { ManagedBy } from '../../services/core/resource/managed-by.ts';
import type { TestNamespace } from './namespace.ts';
import type { OperatorBed } from './operator-bed.ts';

type Outcome = {
  resources: object[];
  /** Each with whether it holds what the record of its owner says. */
  secrets: [name: string, isTrue: boolean][];
  records: unknown;
};

/** Their records belong to an account. */
const COLLECTIONS: Record<Exclude<KindName, 'Account'>, string> = {
  InboundAddress: 'addresses',
  InboundReceiver: 'receivers',
  InboundDomain: 'domains',
  ApiToken: 'tokens',
  AccountNotification: 'notifications',
  SenderList: 'sender_lists',
  AccountBucket: 'buckets',
};
/** The user has made it, and no operator writes it. */
const KEYS_OF_USER = 'bucket-keys';
const RANDOM =
  /^(_id|id|uid|account_id|address_id|domain_id|token|prefix|address|value|txt|sealed.*|place)$/;

/** The records of the accounts of this namespace, by collection; without the times of lookups. */
export async function recordsOf(
  { name }: TestNamespace,
  { mongo }: OperatorBed,
): Promise<Record<string, Document[]>> {
  const accounts = await mongo.db
    .collection('accounts')
    .find({ email: { $regex: name } })
    .sort({ _id: 1 })
    .toArray();
  const account_id = { $in: accounts.map(({ _id }) => _id) };
  const found = Object.values(COLLECTIONS).map(
    async (collection) =>
      [
        collection,
        await mongo.db
          .collection(collection)
          .find({ account_id })
          .project({ checked_at: 0, updated_at: 0 })
          .toArray(),
      ] as const,
  );
  return { accounts, ...Object.fromEntries(await Promise.all(found)) };
}

export async function outcomeOf(space: TestNamespace, bed: OperatorBed): Promise<Outcome> {
  const masked = (value: unknown, name = ''): unknown => {
    if (value instanceof Date || value instanceof Binary) return value.constructor.name;
    if (Array.isArray(value)) return value.map((item) => masked(item, name));
    if (typeof value === 'string')
      return RANDOM.test(name) ? typeof value : value.replaceAll(space.name, 'SPACE');
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, masked(one, key)]));
  };
  const records = await recordsOf(space, bed);
  const resources = KIND_NAMES.flatMap((kind) =>
    bed.kube.objects
      .all(definitionOf(kind))
      .filter(({ metadata }) => metadata.namespace === space.name)
      .map(({ metadata: { name, finalizers, generation }, status }) => ({
        kind,
        name,
        finalizers,
        isObserved: status?.observedGeneration === generation,
        hasRecord: Object.values(records)
          .flat()
          .some(({ _id }) => String(_id) === status?.id),
        reasons: ['Ready', 'Verified'].map((type) => space.condition(kind, name, type)),
        secretName: status?.secretName,
      })),
  );
  return {
    resources,
    secrets: await Promise.all(
      space
        .secrets()
        .filter((name) => name !== KEYS_OF_USER)
        .map(async (name): Promise<[string, boolean]> => [name, await isTrue(space, bed, name)]),
    ),
    records: masked(records),
  };
}

/** Whether a Secret holds what the record of its owner says. */
async function isTrue(
  space: TestNamespace,
  { stores }: OperatorBed,
  name: string,
): Promise<boolean> {
  const { token, webhook_secret } = space.secret(name) ?? {};
  const [reference] = space.get('Secret', name)?.metadata.ownerReferences ?? [];
  if (reference === undefined) return false;
  const owner: ManagedBy = { ...reference, namespace: space.name };
  if (reference.kind === 'ApiToken')
    return (await stores.tokens.findManaged(owner))?.is(token ?? '') ?? false;
  const store = {
    InboundAddress: stores.addresses,
    InboundReceiver: stores.receivers,
    AccountNotification: stores.notifications,
  }[reference.kind];
  return (await store?.findManaged(owner))?.webhook_secret === webhook_secret;
}

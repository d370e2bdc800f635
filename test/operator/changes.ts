/** One change of a resource for each thing that an operator does. */
import { challengeValue } from '../../services/core/domain/challenge.ts';
import type { KindName } from '../../services/core/kube/custom-resource.ts';
import {
  account,
  address,
  bucket,
  bucketKeys,
  type Manifest,
  manifest,
  notification,
  receiver,
  senderList,
  token,
} from '../support/manifests.ts';
import { createNamespace, type TestNamespace } from './namespace.ts';
import type { Operator, OperatorBed } from './operator-bed.ts';

export type ResourceChange = {
  kind: KindName;
  name: string;
  /** What an operator has done before. The account of the namespace is there already. */
  before?: (space: TestNamespace, bed: OperatorBed) => Promise<unknown>;
  /** What the user does then. */
  change: (space: TestNamespace, bed: OperatorBed) => unknown;
};

const HOOK = 'https://hooks.example.com/inbound';
const ACCOUNT = { kind: 'Account', name: 'shop' } as const;
const ADDRESS = { kind: 'InboundAddress', name: 'orders' } as const;
const DOMAIN = { kind: 'InboundDomain', name: 'own' } as const;
const RECEIVER = { kind: 'InboundReceiver', name: 'more' } as const;
const TOKEN = { kind: 'ApiToken', name: 'ci' } as const;
const LIST = { kind: 'SenderList', name: 'partners' } as const;
const BUCKET = { kind: 'AccountBucket', name: 'files' } as const;
const NOTIFICATION = { kind: 'AccountNotification', name: 'pager' } as const;

/** Each namespace has a domain of its own. */
export const domainOf = (space: TestNamespace) => `${space.name}.example`;
const orders = (spec: object = {}) => address('orders', HOOK, spec);
const pager = (spec: object = {}) => notification('pager', HOOK, spec);
const partners = (...entries: string[]) => senderList('partners', entries);
const files = (spec: object = {}) => bucket('files', spec);
const more = (spec: object = {}) => receiver('more', HOOK, spec);
export const own = (space: TestNamespace, spec: object = {}) =>
  manifest('InboundDomain', 'own', {
    accountRef: { name: 'shop' },
    domain: domainOf(space),
    ...spec,
  });

const settled =
  (...resources: Manifest[]) =>
  (space: TestNamespace) =>
    space.settle(...resources);
const applied = (resource: Manifest) => (space: TestNamespace) => space.apply(resource);
const deleted =
  ({ kind, name }: { kind: KindName; name: string }) =>
  (space: TestNamespace) =>
    space.delete(kind, name);

/** Claims the domain of the namespace, and sets its DNS record. */
async function claim(space: TestNamespace, bed: OperatorBed): Promise<void> {
  await space.settle(own(space));
  const [record] = await space.records('domains');
  bed.dns.set(domainOf(space), { txt: [challengeValue(String(record?.token))], mx: [] });
  bed.passMs(60_000);
}
/** The domain is verified, as the resource `own`. */
export async function verifyDomain(space: TestNamespace, bed: OperatorBed): Promise<void> {
  await claim(space, bed);
  await space.reconcile('InboundDomain', 'own');
}

/** A namespace of its own, after the change; nothing has reconciled it yet. */
export async function prepare(
  { before, change }: ResourceChange,
  bed: OperatorBed,
  operator: Operator,
): Promise<TestNamespace> {
  const space = createNamespace(bed, operator);
  await space.withAccount();
  await before?.(space, bed);
  await change(space, bed);
  return space;
}

/** Reconciles the resource, and again when the operator asks for it. */
export async function settle(
  space: TestNamespace,
  { kind, name }: ResourceChange,
  bed: OperatorBed,
): Promise<void> {
  for (let i = 0; i < 2 && space.get(kind, name); i++) {
    const { againAfterMs } = await space.reconcile(kind, name);
    if (againAfterMs === undefined) return;
    bed.passMs(againAfterMs);
  }
}

export const CHANGES: [does: string, change: ResourceChange][] = [
  [
    'creates an account',
    {
      kind: 'Account',
      name: 'other',
      change: (space) => space.apply(account('other', { email: `other@${space.name}.example` })),
    },
  ],
  [
    'changes an account, its plan, and suspends it',
    {
      ...ACCOUNT,
      change: (space) =>
        space.patch('Account', 'shop', { spec: { name: 'B', plan: 'pro', suspended: true } }),
    },
  ],
  ['releases an account', { ...ACCOUNT, change: deleted(ACCOUNT) }],
  ['creates an address', { ...ADDRESS, change: applied(orders()) }],
  [
    'creates an address with a chosen name',
    { ...ADDRESS, change: (space) => space.apply(orders({ localPart: space.name })) },
  ],
  [
    'creates an address on a domain of its own',
    {
      ...ADDRESS,
      before: verifyDomain,
      change: (space) => space.apply(orders({ localPart: 'sales', domain: domainOf(space) })),
    },
  ],
  [
    'changes an address and rotates its secret',
    {
      ...ADDRESS,
      before: settled(orders()),
      change: applied(orders({ webhookUrl: `${HOOK}/new`, secretGeneration: 2 })),
    },
  ],
  [
    'restores an address',
    {
      ...ADDRESS,
      before: settled(orders()),
      change: (space, { mongo }) =>
        mongo.db
          .collection('addresses')
          .updateOne({ 'managed_by.namespace': space.name }, { $set: { deleted_at: new Date() } }),
    },
  ],
  ['deletes an address', { ...ADDRESS, before: settled(orders()), change: deleted(ADDRESS) }],
  ['creates a receiver', { ...RECEIVER, before: settled(orders()), change: applied(more()) }],
  [
    'changes a receiver and rotates its secret',
    {
      ...RECEIVER,
      before: settled(orders(), more()),
      change: applied(more({ url: `${HOOK}/new`, secretGeneration: 2 })),
    },
  ],
  [
    'deletes a receiver',
    { ...RECEIVER, before: settled(orders(), more()), change: deleted(RECEIVER) },
  ],
  ['claims a domain', { ...DOMAIN, change: (space) => space.apply(own(space)) }],
  ['verifies a domain', { ...DOMAIN, before: claim, change: () => undefined }],
  ['deletes a domain', { ...DOMAIN, before: verifyDomain, change: deleted(DOMAIN) }],
  ['issues a token', { ...TOKEN, change: applied(token('ci')) }],
  [
    'changes a token',
    { ...TOKEN, before: settled(token('ci')), change: applied(token('ci', { name: 'other' })) },
  ],
  [
    'replaces a token whose Secret is lost',
    {
      ...TOKEN,
      before: settled(token('ci')),
      change: (space) => space.delete('Secret', 'ci-token'),
    },
  ],
  ['revokes a token', { ...TOKEN, before: settled(token('ci')), change: deleted(TOKEN) }],
  ['creates a list of senders', { ...LIST, change: applied(partners('a.example')) }],
  [
    'changes a list of senders',
    {
      ...LIST,
      before: settled(partners('a.example')),
      change: applied(partners('b.example', 'c.example')),
    },
  ],
  [
    'deletes a list of senders',
    { ...LIST, before: settled(partners('a.example')), change: deleted(LIST) },
  ],
  [
    'adds a bucket',
    {
      ...BUCKET,
      before: async (space) => void space.apply(bucketKeys()),
      change: applied(files()),
    },
  ],
  [
    'changes a bucket and its credentials',
    {
      ...BUCKET,
      before: async (space) => {
        space.apply(bucketKeys());
        await space.settle(files());
      },
      change: (space) => {
        space.apply(bucketKeys({ access_key_id: 'b3RoZXI=' }));
        space.apply(files({ endpoint: 'https://s3.other.example', prefix: 'mail/' }));
      },
    },
  ],
  [
    'removes a bucket',
    {
      ...BUCKET,
      before: async (space) => {
        space.apply(bucketKeys());
        await space.settle(files());
      },
      change: deleted(BUCKET),
    },
  ],
  ['creates a notification', { ...NOTIFICATION, change: applied(pager()) }],
  [
    'changes a notification and rotates its secret',
    {
      ...NOTIFICATION,
      before: settled(pager()),
      change: applied(pager({ url: `${HOOK}/new`, secretGeneration: 2 })),
    },
  ],
  [
    'deletes a notification',
    { ...NOTIFICATION, before: settled(pager()), change: deleted(NOTIFICATION) },
  ],
];

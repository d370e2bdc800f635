/** The custom resources of each noun: as it is, and with a change. */
import type { KindName } from '../../../services/core/kube/custom-resource.ts';
import { own, verifyDomain } from '../../operator/changes.ts';
import type { TestNamespace } from '../../operator/namespace.ts';
import type { OperatorBed } from '../../operator/operator-bed.ts';
import {
  account,
  address,
  bucket,
  bucketKeys,
  type Manifest,
  notification,
  receiver,
  senderList,
  token,
} from '../../support/manifests.ts';
import { type NounName, URL } from './nouns.ts';

export type Resource = {
  kind: KindName;
  name: string;
  before?: (space: TestNamespace, bed: OperatorBed) => unknown;
  same: (space: TestNamespace) => Manifest;
  change: (space: TestNamespace) => Manifest;
};

const orders = (spec: object = {}) => address('orders', URL, spec);
const shop = (space: TestNamespace, spec: object = {}) =>
  account('shop', { email: `shop@${space.name}.example`, ...spec });

export const RESOURCES: Record<NounName, Resource> = {
  address: {
    kind: 'InboundAddress',
    name: 'orders',
    same: () => orders(),
    change: () => orders({ description: 'other', payload: { extract: ['links'] } }),
  },
  'first receiver': {
    kind: 'InboundAddress',
    name: 'orders',
    same: () => orders({ format: 'inlet' }),
    change: () => orders({ format: 'cloudevents', webhookEnabled: false }),
  },
  receiver: {
    kind: 'InboundReceiver',
    name: 'more',
    before: (space) => space.settle(orders()),
    same: () => receiver('more', URL),
    change: () => receiver('more', URL, { format: 'cloudevents' }),
  },
  domain: {
    kind: 'InboundDomain',
    name: 'own',
    before: verifyDomain,
    same: (space) => own(space),
    change: (space) => own(space, { mtaSts: 'testing' }),
  },
  notification: {
    kind: 'AccountNotification',
    name: 'pager',
    same: () => notification('pager', URL),
    change: () => notification('pager', URL, { enabled: false }),
  },
  bucket: {
    kind: 'AccountBucket',
    name: 'files',
    before: (space) => space.apply(bucketKeys()),
    same: () => bucket('files'),
    change: (space) => {
      space.apply(bucketKeys({ access_key_id: 'b3RoZXI=' }));
      return bucket('files');
    },
  },
  list: {
    kind: 'SenderList',
    name: 'partners',
    same: () => senderList('partners', ['a.example', 'b.example']),
    change: () => senderList('partners', ['b.example', 'c.example']),
  },
  token: {
    kind: 'ApiToken',
    name: 'ci',
    same: () => token('ci'),
    change: () => token('ci', { name: 'other', permissions: ['usage:read'] }),
  },
  // it has no resource of its own: the Account names people of the OpenID provider
  member: {
    kind: 'Account',
    name: 'shop',
    same: (space) => shop(space, { members: [{ subject: 'ann', role: 'viewer' }] }),
    change: (space) => shop(space, { members: [{ subject: 'ann', role: 'developer' }] }),
  },
  account: {
    kind: 'Account',
    name: 'shop',
    same: (space) => shop(space),
    change: (space) => shop(space, { name: 'Another name', settings: { defaultTtlHours: 7 } }),
  },
};

/**
 * The custom resources of the group `inlet.email`. `spec` is what a user writes, `status` what the
 * operator answers. crd.ts turns these schemas into CustomResourceDefinitions, so the schemas stay
 * plain: objects that allow unknown fields, no unions, validation rules in CEL.
 */
import type { z } from 'zod';

import { AccountBucketSpec, AccountBucketStatus } from './spec/bucket-spec.ts';
import { AccountSpec, AccountStatus } from './spec/account-spec.ts';
import { InboundAddressSpec, InboundAddressStatus } from './spec/address-spec.ts';
import { InboundDomainSpec, InboundDomainStatus } from './spec/domain-spec.ts';
import { AccountNotificationSpec, AccountNotificationStatus } from './spec/notification-spec.ts';
import { InboundReceiverSpec, InboundReceiverStatus } from './spec/receiver-spec.ts';
import { SenderListSpec, SenderListStatus } from './spec/sender-list-spec.ts';
import { ApiTokenSpec, ApiTokenStatus } from './spec/token-spec.ts';

export const GROUP = 'inlet.email';
export const VERSION = 'v1';
export const API_VERSION = `${GROUP}/${VERSION}`;

type Column = {
  name: string;
  path: string;
  type?: 'string' | 'integer' | 'date';
  isWide?: boolean;
};
export type Kind = {
  plural: string;
  shortName: string;
  about: string;
  spec: z.ZodObject;
  status: z.ZodObject;
  columns: readonly Column[];
};

const condition = (type: string, field: string) =>
  `.status.conditions[?(@.type=="${type}")].${field}`;
const READY: readonly Column[] = [
  { name: 'Ready', path: condition('Ready', 'status') },
  { name: 'Reason', path: condition('Ready', 'reason'), isWide: true },
  { name: 'Age', path: '.metadata.creationTimestamp', type: 'date' },
];

export const KINDS = {
  Account: {
    plural: 'accounts',
    shortName: 'iacc',
    about: 'an account: a customer of this installation',
    spec: AccountSpec,
    status: AccountStatus,
    columns: [
      { name: 'Email', path: '.spec.email' },
      { name: 'Plan', path: '.status.plan' },
      { name: 'Id', path: '.status.id', isWide: true },
      ...READY,
    ],
  },
  InboundAddress: {
    plural: 'inboundaddresses',
    shortName: 'iaddr',
    about: 'an email address; Inlet sends its mail to a webhook URL',
    spec: InboundAddressSpec,
    status: InboundAddressStatus,
    columns: [
      { name: 'Address', path: '.status.address' },
      { name: 'URL', path: '.spec.webhookUrl' },
      { name: 'Secret', path: '.status.secretName', isWide: true },
      ...READY,
    ],
  },
  InboundReceiver: {
    plural: 'inboundreceivers',
    shortName: 'ircv',
    about: 'a further webhook URL for the mail of an address',
    spec: InboundReceiverSpec,
    status: InboundReceiverStatus,
    columns: [
      { name: 'Address', path: '.status.address' },
      { name: 'URL', path: '.spec.url' },
      { name: 'Secret', path: '.status.secretName', isWide: true },
      ...READY,
    ],
  },
  InboundDomain: {
    plural: 'inbounddomains',
    shortName: 'idom',
    about: 'a domain of an account, with addresses of its own',
    spec: InboundDomainSpec,
    status: InboundDomainStatus,
    columns: [
      { name: 'Domain', path: '.spec.domain' },
      { name: 'Verified', path: condition('Verified', 'status') },
      ...READY,
    ],
  },
  ApiToken: {
    plural: 'apitokens',
    shortName: 'itok',
    about: 'an API token, stored in a Secret',
    spec: ApiTokenSpec,
    status: ApiTokenStatus,
    columns: [
      { name: 'Prefix', path: '.status.prefix' },
      { name: 'Environment', path: '.spec.environment' },
      { name: 'Secret', path: '.status.secretName' },
      ...READY,
    ],
  },
  AccountNotification: {
    plural: 'accountnotifications',
    shortName: 'inotif',
    about: 'a URL that receives events of an account',
    spec: AccountNotificationSpec,
    status: AccountNotificationStatus,
    columns: [
      { name: 'URL', path: '.spec.url' },
      { name: 'Secret', path: '.status.secretName', isWide: true },
      ...READY,
    ],
  },
  SenderList: {
    plural: 'senderlists',
    shortName: 'islist',
    about: 'a list of senders of an account, which rules and filters name',
    spec: SenderListSpec,
    status: SenderListStatus,
    columns: [
      { name: 'List', path: '.spec.name' },
      { name: 'Entries', path: '.status.entryCount', type: 'integer' },
      ...READY,
    ],
  },
  AccountBucket: {
    plural: 'accountbuckets',
    shortName: 'ibkt',
    about: 'a bucket of a customer, in which Inlet stores files of emails',
    spec: AccountBucketSpec,
    status: AccountBucketStatus,
    columns: [
      { name: 'Name', path: '.spec.name' },
      { name: 'Endpoint', path: '.spec.endpoint', isWide: true },
      { name: 'Bucket', path: '.spec.bucket' },
      ...READY,
    ],
  },
} as const satisfies Record<string, Kind>;
export type KindName = keyof typeof KINDS;
export const KIND_NAMES = Object.keys(KINDS) as KindName[];

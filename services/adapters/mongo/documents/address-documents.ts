/** The documents of addresses in MongoDB, their indexes, and the writes of a change. */
import type { Filter } from 'mongodb';

import {
  type AddressChange,
  type AddressRecord,
  EXPIRED_SHOWN_HOURS,
  restartsOf,
} from '../../../core/address/address.ts';
import { ADDRESS_FIELDS } from '../../../core/address/address-fields.ts';
import { SPEC_PAYLOAD } from '../../../core/receiver/payload-settings.ts';
import { isEqual } from '../../../core/resource/changed-fields.ts';
import { withDefaults } from '../../../core/resource/record.ts';
import type { WebhookSettings } from '../../../core/receiver/webhook-settings.ts';
import type { CollectionIndexes } from '../database/connection.ts';
import { managedIndex } from './managed-records.ts';
import { FIRST_GENERATION, FORMER_REPLY_KEYS_MAX } from '../../../core/reply/reply-key.ts';
import { CERTIFICATE_EXPIRY } from './receiver-documents.ts';
import { type SealedSecrets, stillValid } from '../database/secrets.ts';

export const ADDRESSES = 'addresses';

export const NAME_HELD_ONCE = 'name_held_once';
export const NEWEST_FIRST = 'account_newest_first';
export const COUNTED = 'account_counted';
export const FAILING = 'account_failing';
export const FAILED = 'account_failed';
export const BY_LABEL = 'account_label';

export const addressIndexes: CollectionIndexes = {
  collection: ADDRESSES,
  indexes: [
    // One current address per name; superseded ones have the id of their successor here.
    { key: { address: 1, superseded_by: 1 }, name: NAME_HELD_ONCE, unique: true },
    {
      key: { domain_id: 1, deleted_at: 1 },
      name: 'on_domain',
      partialFilterExpression: { domain_id: { $exists: true } },
    },
    {
      key: { account_id: 1, environment: 1, deleted_at: 1, created_at: -1, _id: -1 },
      name: NEWEST_FIRST,
    },
    {
      key: {
        account_id: 1,
        environment: 1,
        deleted_at: 1,
        expires_at: 1,
        is_permanent: 1,
        is_enabled: 1,
      },
      name: COUNTED,
    }, // covers every field of a count
    managedIndex({ deleted_at: null }),
    {
      key: { failing_since: 1 },
      name: 'failing',
      partialFilterExpression: { failing_since: { $exists: true } },
    },
    // failing addresses are few: this index costs others nothing
    {
      key: { account_id: 1, environment: 1, created_at: -1, _id: -1 },
      name: FAILING,
      partialFilterExpression: { failing_noticed_at: { $exists: true } },
    },
    {
      key: { account_id: 1, environment: 1, created_at: -1, _id: -1 },
      name: FAILED,
      partialFilterExpression: { failing_since: { $exists: true } },
    },
    // addresses that wait for email, and those that are silent: others are in neither index
    {
      key: { silent_at: 1 },
      name: 'expecting',
      partialFilterExpression: { deleted_at: null, silent_at: { $gt: new Date(0) } },
    },
    {
      key: { silent_since: 1 },
      name: 'silent',
      partialFilterExpression: { deleted_at: null, silent_since: { $gt: new Date(0) } },
    },
    {
      key: { [CERTIFICATE_EXPIRY]: 1 },
      name: 'certificate_expiry',
      partialFilterExpression: { [CERTIFICATE_EXPIRY]: { $exists: true } },
    },
    // only addresses with labels: this index costs others nothing
    {
      key: { account_id: 1, environment: 1, labels: 1, created_at: -1, _id: -1 },
      name: BY_LABEL,
      partialFilterExpression: { deleted_at: null, 'labels.0': { $exists: true } },
    },
    // D7: an expired address is removed after thirty days. A deleted one remains, so that its name
    // is never reused (D8).
    {
      key: { expires_at: 1 },
      name: 'expired_goes',
      expireAfterSeconds: EXPIRED_SHOWN_HOURS * 3_600,
      partialFilterExpression: { deleted_at: null },
    },
  ],
  // reserved the names of deleted addresses even from a new owner of the domain
  former: ['address'],
};

type Added = 'webhook_enabled' | keyof WebhookSettings;

export type StoredAddress = Omit<AddressRecord, 'id' | 'former_secrets' | 'webhook_url' | Added> &
  // absent in documents of earlier versions
  Partial<Pick<AddressRecord, Added>> &
  SealedSecrets & {
    _id: string;
    /** Empty for none: earlier versions, which read this document after a rollback, need a text. */
    webhook_url: string;
    /** Encrypted; null or absent without authentication to the first receiver. */
    sealed_auth?: string | null;
    /** For a deleted address: the id of the address that has its name now. */
    superseded_by?: string | null;
  };

export const storedUrl = (url: string | null): string => url ?? '';
export const urlOf = ({ webhook_url }: Pick<StoredAddress, 'webhook_url'>): string | null =>
  webhook_url === '' ? null : webhook_url;

/** A change as it is stored: the authentication in two fields, encrypted. */
type StoredChange = Omit<AddressChange, 'signing' | 'auth'> &
  Partial<Pick<StoredAddress, 'auth' | 'sealed_auth' | 'credentials_changed'>>;

type Write = {
  /** One condition for each field: it has a different value. */
  differs: Filter<StoredAddress>[];
  update: object;
  /** The write removes the mark of a failing address. */
  hasRecovered: boolean;
  only: Filter<StoredAddress>;
};

/** The writes to try in this order, until one of them changes the address. */
export function writesOf(change: StoredChange, now: Date): Write[] {
  // $max: the clocks of processes differ, and updated_at never decreases
  const write = { $set: fieldsOf(change), $max: { updated_at: now } };
  const restart = {
    differs: differing(restartsOf(change)),
    update: { ...write, $unset: NOT_FAILING },
  };
  const writes = [
    { ...restart, hasRecovered: true, only: { failing_noticed_at: { $exists: true } } },
    { ...restart, hasRecovered: false, only: {} },
    { differs: differing(change), update: write, hasRecovered: false, only: {} },
  ];
  return writes.filter(({ differs }) => differs.length > 0);
}

/** Removes what says that a receiver fails, of an address or a further one. */
export const NOT_FAILING = {
  failing_since: '',
  failing_noticed_at: '',
  failing_reason: '',
  gone_at: '',
} as const;

/**
 * The changed fields by their MongoDB paths, so that one payload setting changes without the
 * others.
 */
const fieldsOf = ({
  payload = {},
  webhook_url,
  ...change
}: StoredChange): Record<string, unknown> => ({
  ...change,
  ...(webhook_url !== undefined && { webhook_url: storedUrl(webhook_url) }),
  ...Object.fromEntries(
    Object.entries(payload).map(([field, value]) => [`payload.${field}`, value]),
  ),
});

/** What a field is that a document does not have. */
const DEFAULTS = new Map<string, unknown>([
  ...Object.entries(withDefaults(ADDRESS_FIELDS, {})),
  ...Object.entries(SPEC_PAYLOAD).map(([name, value]) => [`payload.${name}`, value] as const),
]);

const differing = (change: StoredChange) =>
  Object.entries(fieldsOf(change)).map(([field, value]): Filter<StoredAddress> => ({
    [field]: { $ne: value, ...(isEqual(value, DEFAULTS.get(field)) && { $exists: true }) },
  }));

/** The fields of a pipeline update that makes the next key of reply addresses, or that generation. */
export function rotatedReplyKey(
  { formerUntil, generation }: { formerUntil: Date; generation?: number | undefined },
  now: Date,
) {
  const current = { $ifNull: ['$reply_key_generation', FIRST_GENERATION] };
  const former = [{ generation: current, valid_until: formerUntil }];
  const all = { $concatArrays: [former, stillValid('$former_reply_keys', now)] };
  return {
    reply_key_generation: generation ?? { $add: [current, 1] },
    former_reply_keys: { $slice: [all, FORMER_REPLY_KEYS_MAX] },
    updated_at: { $max: ['$updated_at', now] },
  };
}

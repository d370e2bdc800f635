/** Further receivers of addresses in MongoDB with encrypted secrets. */
import type { Db } from 'mongodb';

import { type AddressScope, type Owned, ownedBy } from '../../../core/address/scope.ts';
import type { ManagedBy } from '../../../core/resource/managed-by.ts';
import {
  type ManagedReceiver,
  type Receiver,
  type ReceiverChange,
  ReceiverRecord,
} from '../../../core/receiver/receiver.ts';
import {
  RECEIVER_SLOTS,
  receiverDeletion,
  RECEIVERS,
  type StoredReceiver,
} from '../documents/receiver-documents.ts';
import { managedBy } from '../documents/managed-records.ts';
import type { SecretBox, SecretRotation } from '../database/secrets.ts';
import { changedAuth, openedAuth, sealedAuth } from './sealed-auth.ts';
import { createWebhookRecords, type WebhookRecords } from './webhook-records.ts';

/** The address of a receiver, and its account and environment. */
type ReceiverScope = AddressScope & { addressId: string };

export type Receivers = {
  /** `full`: the address has as many as it may have. */
  insert(receiver: ManagedReceiver): Promise<'made' | 'full'>;
  /** Oldest first. */
  list(scope: ReceiverScope): Promise<ReceiverRecord[]>;
  find(scope: ReceiverScope, id: string): Promise<Receiver | undefined>;
  /** With its authentication in clear text. */
  findWithAuth(scope: Owned, id: string): Promise<ManagedReceiver | undefined>;
  /** Writes the fields that differ; only then does `updated_at` change (D29). */
  update(
    scope: Owned,
    id: string,
    change: Omit<ReceiverChange, 'signing'>,
    now: Date,
    /** What it must still be; nothing changes otherwise. */
    only?: Partial<{ updated_at: Date }>,
  ): ReturnType<WebhookRecords<ReceiverRecord>['update']>;
  /** The previous secret signs until `formerUntil` (D17). */
  rotateSecret(
    scope: Owned,
    id: string,
    rotation: SecretRotation,
    now: Date,
  ): Promise<Receiver | undefined>;
  /** It gets no more email; its waiting deliveries continue (D8). */
  remove(scope: Owned, id: string, now: Date): Promise<ReceiverRecord | undefined>;
  /** The same for all receivers of an address. */
  removeAll(scope: ReceiverScope, now: Date): Promise<void>;
  /** The ids of all receivers that deliveries of this address may have, also of deleted ones. */
  idsOf(scope: AddressScope, addressId: string): Promise<string[]>;
  /** The receiver that this resource, or an earlier one of the same name, owns. */
  findManaged(owner: ManagedBy): Promise<ManagedReceiver | undefined>;
};

export function createReceivers(db: Db, secrets: SecretBox): Receivers {
  const receivers = db.collection<StoredReceiver>(RECEIVERS);
  const records = createWebhookRecords(db, secrets, {
    collection: RECEIVERS,
    slots: RECEIVER_SLOTS,
    parse: (document) => ReceiverRecord.parse(document),
  });

  const withAuth = async (stored: StoredReceiver | null): Promise<ManagedReceiver | undefined> => {
    const record = stored && (await records.find({}, stored._id));
    if (!record) return undefined;
    const opened_auth = openedAuth(secrets, stored);
    return { ...record, ...(opened_auth && { opened_auth }) };
  };

  return {
    insert: async ({ opened_auth = null, ...receiver }) => {
      const sealed = sealedAuth(secrets, receiver.id, opened_auth);
      return (await records.insert({ ...receiver, ...sealed })) ? 'made' : 'full';
    },
    list: (scope) => records.list(current(scope)),
    find: (scope, id) => records.find(current(scope), id),
    findWithAuth: async (scope, id) =>
      withAuth(await receivers.findOne({ ...current(scope), _id: id })),
    update: (scope, id, { payload = {}, auth, ...change }, now, only = {}) => {
      const settings = Object.entries(payload).map(([name, value]) => [`payload.${name}`, value]);
      const fields = {
        ...change,
        ...(auth !== undefined && changedAuth(secrets, id, auth, now)),
        ...(Object.fromEntries(settings) as object),
      };
      return records.update({ ...current(scope), ...only }, id, fields, now);
    },
    rotateSecret: (scope, id, rotation, now) =>
      records.rotateSecret(current(scope), id, rotation, now),

    remove: async function removeReceiver(scope, id, now) {
      const which = { ...current(scope), _id: id };
      const removed = await receivers.findOneAndUpdate(which, receiverDeletion(now));
      return removed === null ? undefined : ReceiverRecord.parse({ ...removed, id });
    },

    removeAll: async function removeReceivers(scope, now) {
      await receivers.updateMany(current(scope), receiverDeletion(now));
    },

    findManaged: async (owner) => withAuth(await receivers.findOne(managedBy(owner))),

    idsOf: async function idsOfReceivers(scope, address_id) {
      const found = receivers.find(
        { ...ownedBy(scope), ...ofAddress(scope, address_id) },
        { projection: { _id: 1 } },
      );
      return (await found.toArray()).map(({ _id }) => _id);
    },
  };
}

const current = (scope: Owned | ReceiverScope) => ({
  ...ownedBy(scope),
  ...('addressId' in scope && ofAddress(scope, scope.addressId)),
  deleted_at: null,
});

/** None when the address is not in the scope. */
const ofAddress = ({ address_ids }: AddressScope, id: string) => ({
  address_id: address_ids === null ? id : { $eq: id, $in: [...address_ids] },
});

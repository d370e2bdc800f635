/** The newest email of an address that was delivered to its first receiver: the canary of the operator. */
import type { Db } from 'mongodb';

import { ADDRESSES, type StoredAddress } from '../documents/address-documents.ts';
import { BY_ADDRESS, DELIVERIES, type DeliveryDocument } from '../documents/delivery-documents.ts';

export type NewestDelivered = (
  /** The address, or its id. */
  address: string,
) => Promise<{ received_at: Date; delivered_at: Date } | undefined>;

const MAX_TIME_MS = 5_000;

export const createNewestDelivered = (db: Db): NewestDelivered =>
  async function newestDelivered(address) {
    const found = await db
      .collection<StoredAddress>(ADDRESSES)
      .findOne(
        { ...(address.includes('@') ? { address } : { _id: address }), deleted_at: null },
        { projection: { account_id: 1, environment: 1 } },
      );
    if (found === null) return undefined;
    const { _id: address_id, account_id, environment } = found;
    const newest = await db.collection<DeliveryDocument>(DELIVERIES).findOne(
      { address_id, account_id, environment, status: 'delivered' },
      {
        projection: { received_at: 1, updated_at: 1 },
        sort: { _id: -1 },
        hint: BY_ADDRESS,
        maxTimeMS: MAX_TIME_MS,
      },
    );
    return newest === null
      ? undefined
      : { received_at: newest.received_at, delivered_at: newest.updated_at };
  };

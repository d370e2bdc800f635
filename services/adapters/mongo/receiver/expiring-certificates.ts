/** Receivers, first and further ones, whose client certificate expires soon. */
import type { Db } from 'mongodb';

import { timestamp } from '../../../core/time/timestamp.ts';
import type { Owned } from '../../../core/address/scope.ts';
import type { ReceiverAuthView } from '../../../core/receiver/receiver-auth.ts';
import { ADDRESSES } from '../documents/address-documents.ts';
import { CERTIFICATE_EXPIRY, RECEIVERS } from '../documents/receiver-documents.ts';

/** `id` is that of the address for its first receiver. */
export type CertifiedReceiver = Owned & { id: string; address_id: string; auth: ReceiverAuthView };

export type ExpiringCertificates = (from: Date, until: Date) => AsyncIterable<CertifiedReceiver>;

type Stored = Owned & {
  _id: string;
  /** Absent for an address. */
  address_id?: string;
  auth: ReceiverAuthView;
  deleted_at: Date | null;
};

export const createExpiringCertificates = (db: Db): ExpiringCertificates =>
  async function* expiringCertificates(from, until) {
    for (const collection of [ADDRESSES, RECEIVERS]) {
      const found = db.collection<Stored>(collection).find({
        [CERTIFICATE_EXPIRY]: { $gte: timestamp(from), $lt: timestamp(until) },
        deleted_at: null,
      });
      for await (const { _id: id, address_id = id, account_id, environment, auth } of found)
        yield { id, address_id, account_id, environment, auth };
    }
  };

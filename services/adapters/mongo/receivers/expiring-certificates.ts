/** Receivers whose client certificate expires soon. */
import type { Db } from 'mongodb';

import { ReceiverRecord } from '../../../core/receiver/receiver.ts';
import { timestamp } from '../../../core/timestamp.ts';
import {
  CERTIFICATE_EXPIRY,
  RECEIVERS,
  type StoredReceiver,
} from '../documents/receiver-documents.ts';

export type ExpiringCertificates = (from: Date, until: Date) => AsyncIterable<ReceiverRecord>;

export const createExpiringCertificates = (db: Db): ExpiringCertificates =>
  async function* expiringCertificates(from, until) {
    const found = db.collection<StoredReceiver>(RECEIVERS).find({
      [CERTIFICATE_EXPIRY]: { $gte: timestamp(from), $lt: timestamp(until) },
      deleted_at: null,
    });
    for await (const stored of found) yield ReceiverRecord.parse({ ...stored, id: stored._id });
  };

/** Which account and address an email belongs to. The caller is not checked here. */
import type { Db } from 'mongodb';

import type { Owned } from '../../../core/address/scope.ts';
import { addressIdOfEvent } from '../../../core/delivery/mail-event.ts';
import { DELIVERIES, type DeliveryDocument } from '../documents/delivery-documents.ts';

export type EmailPlaces = {
  /**
   * For what is not bound to an account: a link, whose signature is the permission. Undefined for
   * an email without a record.
   */
  placeOf(eventId: string): Promise<(Owned & { address_id: string }) | undefined>;
};

const projection = { account_id: 1, environment: 1, address_id: 1, email: 1 } as const;

export function createEmailPlaces(db: Db): EmailPlaces {
  const deliveries = db.collection<DeliveryDocument>(DELIVERIES);
  return {
    placeOf: async function placeOfEmail(eventId) {
      const found = await deliveries.findOne({ _id: eventId }, { projection });
      if (found === null) return undefined;
      const { account_id, environment } = found;
      return { account_id, environment, address_id: addressIdOfEvent(found) };
    },
  };
}

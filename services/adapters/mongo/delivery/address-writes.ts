/** The fields of an address that outcomes change: its count of emails, and whether its receiver fails. */
import type { AnyBulkWriteOperation } from 'mongodb';

import type { ExpectedEmail } from '../../../core/address/expectation.ts';
import type { Owned } from '../../../core/address/scope.ts';
import type { ReceiverNews } from '../../../core/delivery/failing.ts';

/** The fields of an address that deliveries change. */
export type AddressDocument = Owned & {
  _id: string;
  email_count: number;
  failing_since?: Date;
  failing_noticed_at?: Date;
  failing_reason?: string;
  expect_since?: Date;
  silent_at?: Date | null;
};

/** An expected email ends the wait of its address, unless the address expects another one by now. */
export const expectedWrite = (
  _id: string,
  { since_ms, until_ms }: ExpectedEmail,
): AnyBulkWriteOperation<AddressDocument> => ({
  updateOne: {
    filter: { _id, expect_since: new Date(since_ms), silent_at: { $lt: new Date(until_ms) } },
    update: { $set: { silent_at: new Date(until_ms) } },
  },
});

/**
 * At most one write per address. Retries write only when the failing state changes, which is rare.
 */
export function addressWrite(
  _id: string,
  received: number,
  { hasAccepted, failingSince }: ReceiverNews,
): AnyBulkWriteOperation<AddressDocument>[] {
  const isKnownToFail = { failing_since: { $exists: true } };
  if (received === 0 && !hasAccepted && failingSince === undefined) return [];
  if (received === 0 && !hasAccepted)
    return [
      {
        updateOne: {
          filter: { _id, failing_since: { $exists: false } },
          update: { $set: { failing_since: failingSince } },
        },
      },
    ];
  return [
    {
      updateOne: {
        filter: { _id, ...(received === 0 && failingSince === undefined && isKnownToFail) },
        update: {
          ...(received > 0 && { $inc: { email_count: received } }),
          ...(hasAccepted && {
            $unset: {
              failing_noticed_at: '',
              failing_reason: '',
              ...(failingSince === undefined && { failing_since: '' }),
            },
          }),
          ...(failingSince &&
            (hasAccepted
              ? { $set: { failing_since: failingSince } }
              : { $min: { failing_since: failingSince } })),
        },
      },
    },
  ];
}

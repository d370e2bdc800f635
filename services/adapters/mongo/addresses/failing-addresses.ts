/**
 * Finds receivers, of addresses and further ones, that have accepted nothing since a given time, and
 * marks each as failing once.
 */
import type { Db } from 'mongodb';

import type { Owned } from '../../../core/address/scope.ts';
import { defaultSettings } from '../../../core/account/account.ts';
import type { FailureFacts, FailureVerdict } from '../../../core/delivery/failing.ts';
import { ACCOUNTS, type StoredAccount } from '../documents/account-documents.ts';
import { ADDRESSES, type StoredAddress } from '../documents/address-documents.ts';
import { BY_ADDRESS, DELIVERIES, type DeliveryDocument } from '../documents/delivery-documents.ts';
import { RECEIVERS } from '../documents/receiver-documents.ts';
import { createUsageEvents } from '../audit/events.ts';
import { transaction } from '../transaction.ts';

export type FailingAddress = Owned &
  FailureFacts & {
    /** The id of the address, also when a further receiver of it fails. */
    id: string;
    address: string;
    /** The further receiver that fails; undefined when the address's own does. */
    receiverId: string | undefined;
  };

/** An address, or a further receiver of one. */
type Stored = Pick<
  StoredAddress,
  '_id' | 'account_id' | 'environment' | 'is_enabled' | 'failing_since' | 'failing_noticed_at'
> & { address_id?: string; deleted_at: Date | null; updated_at: Date };

const COLLECTIONS = [ADDRESSES, RECEIVERS];

export type FailingAddresses = {
  /** Receivers that have failed since this time or longer, and are not yet marked. */
  since(time: Date): AsyncIterable<FailingAddress>;
  /**
   * Counts the receivers that have accepted nothing since their last failure: marked and not yet
   * marked.
   */
  count(now: Date): Promise<{ noticed: number; unnoticed: number }>;
  /**
   * Marks the receiver, adds the event, and disables it if the verdict says so. False when it
   * recovered or was marked in the meantime.
   */
  notice(
    address: FailingAddress,
    verdict: Exclude<FailureVerdict, 'wait'>,
    now: Date,
  ): Promise<boolean>;
};

export function createFailingAddresses(db: Db): FailingAddresses {
  const addresses = db.collection<StoredAddress>(ADDRESSES);
  const accounts = db.collection<StoredAccount>(ACCOUNTS);
  const deliveries = db.collection<DeliveryDocument>(DELIVERIES);
  const events = createUsageEvents(db);

  const lastFailureAt = async ({
    account_id,
    environment,
    _id,
  }: Stored): Promise<Date | undefined> => {
    const query = {
      account_id,
      environment,
      address_id: _id,
      status: { $in: ['failed' as const, 'retrying' as const] },
    };
    return (
      await deliveries.findOne(query, {
        projection: { updated_at: 1 },
        sort: { _id: -1 },
        hint: BY_ADDRESS,
      })
    )?.updated_at;
  };

  const viewOf = async (
    stored: Stored,
    failing_since: Date,
  ): Promise<FailingAddress | undefined> => {
    const { _id, account_id, environment, is_enabled, address_id: id = _id } = stored;
    const [account, address] = await Promise.all([
      accounts.findOne(
        { _id: account_id },
        { projection: { 'settings.disable_failing_addresses': 1 } },
      ),
      addresses.findOne({ _id: id, deleted_at: null }, { projection: { address: 1 } }),
    ]);
    if (address === null) return undefined;
    const { disable_failing_addresses } = { ...defaultSettings, ...account?.settings };
    return {
      id,
      receiverId: id === _id ? undefined : _id,
      account_id,
      environment,
      address: address.address,
      is_enabled,
      failing_since,
      disable_failing_addresses,
      last_failure_at: await lastFailureAt(stored),
    };
  };

  return {
    since: async function* failingSince(time) {
      for (const collection of COLLECTIONS)
        for await (const stored of db.collection<Stored>(collection).find({
          failing_since: { $lte: time },
          failing_noticed_at: { $exists: false },
          deleted_at: null,
        })) {
          const view = stored.failing_since && (await viewOf(stored, stored.failing_since));
          if (view) yield view;
        }
    },

    count: async function countFailing(now) {
      const groups = await Promise.all(
        COLLECTIONS.map((collection) =>
          db
            .collection<Stored>(collection)
            .aggregate<{ _id: boolean; receivers: number }>([
              { $match: { failing_since: { $lte: now }, deleted_at: null } },
              { $group: { _id: { $gt: ['$failing_noticed_at', null] }, receivers: { $sum: 1 } } },
            ])
            .toArray(),
        ),
      );
      const of = (isNoticed: boolean) =>
        groups
          .flat()
          .filter(({ _id }) => _id === isNoticed)
          .reduce((sum, { receivers }) => sum + receivers, 0);
      return { noticed: of(true), unnoticed: of(false) };
    },

    notice: async function noticeFailing(
      { id, receiverId, account_id, environment, is_enabled, failing_since },
      verdict,
      now,
    ) {
      const change = {
        failing_noticed_at: now,
        ...(verdict === 'disable' && { is_enabled: false }),
      };
      const event = { account_id, environment, address_id: id, timestamp: now };
      const further = receiverId !== undefined && { receiver_id: receiverId };
      const receivers = db.collection<Stored>(further ? RECEIVERS : ADDRESSES);
      return transaction(db, async (session) => {
        const which = {
          _id: receiverId ?? id,
          failing_since,
          failing_noticed_at: { $exists: false },
          deleted_at: null,
        };
        const { matchedCount } = await receivers.updateOne(
          which,
          { $set: change, ...(verdict === 'disable' && { $max: { updated_at: now } }) },
          { session },
        );
        if (matchedCount === 0) return false;
        await events.add(
          [
            {
              ...event,
              type: 'address.failing',
              data: {
                failing_since,
                is_enabled: is_enabled && verdict !== 'disable',
                ...further,
              },
            },
            ...(verdict === 'disable'
              ? [
                  {
                    ...event,
                    type: further ? ('receiver.updated' as const) : ('address.updated' as const),
                    data: { is_enabled: false, reason: 'failing', ...further },
                  },
                ]
              : []),
          ],
          session,
        );
        return true;
      });
    },
  };
}

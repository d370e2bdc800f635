/**
 * Finds addresses whose receivers have accepted nothing since a given time, and marks each as
 * failing once.
 */
import type { Db } from 'mongodb';

import type { AddressScope } from '../../../core/address/address.ts';
import { defaultSettings } from '../../../core/account/account.ts';
import type { FailureFacts, FailureVerdict } from '../../../core/delivery/failing.ts';
import { ACCOUNTS, type StoredAccount } from '../documents/account-documents.ts';
import { ADDRESSES, type StoredAddress } from '../documents/address-documents.ts';
import { BY_ADDRESS, DELIVERIES, type DeliveryDocument } from '../documents/delivery-documents.ts';
import { createUsageEvents } from '../audit/events.ts';
import { transaction } from '../transaction.ts';

export type FailingAddress = AddressScope & FailureFacts & { id: string; address: string };

export type FailingAddresses = {
  /** Addresses that have failed since this time or longer, and are not yet marked. */
  since(time: Date): AsyncIterable<FailingAddress>;
  /**
   * Counts the addresses whose receiver has accepted nothing since its last failure: marked and not
   * yet marked.
   */
  count(now: Date): Promise<{ noticed: number; unnoticed: number }>;
  /**
   * Marks the address, adds its event, and disables it if the verdict says so. False when it
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
  }: StoredAddress): Promise<Date | undefined> => {
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

  return {
    since: async function* failingSince(time) {
      for await (const stored of addresses.find({
        failing_since: { $lte: time },
        failing_noticed_at: { $exists: false },
        deleted_at: null,
      })) {
        const { _id: id, account_id, environment, address, is_enabled, failing_since } = stored;
        if (failing_since === undefined) continue;
        const account = await accounts.findOne(
          { _id: account_id },
          { projection: { 'settings.disable_failing_addresses': 1 } },
        );
        const { disable_failing_addresses } = { ...defaultSettings, ...account?.settings };
        yield {
          id,
          account_id,
          environment,
          address,
          is_enabled,
          failing_since,
          disable_failing_addresses,
          last_failure_at: await lastFailureAt(stored),
        };
      }
    },

    count: async function countFailing(now) {
      const groups = await addresses
        .aggregate<{ _id: boolean; addresses: number }>([
          { $match: { failing_since: { $lte: now }, deleted_at: null } },
          { $group: { _id: { $gt: ['$failing_noticed_at', null] }, addresses: { $sum: 1 } } },
        ])
        .toArray();
      const of = (isNoticed: boolean) =>
        groups.find(({ _id }) => _id === isNoticed)?.addresses ?? 0;
      return { noticed: of(true), unnoticed: of(false) };
    },

    notice: async function noticeFailing(
      { id, account_id, environment, is_enabled, failing_since },
      verdict,
      now,
    ) {
      const change = {
        failing_noticed_at: now,
        ...(verdict === 'disable' && { is_enabled: false }),
      };
      const event = { account_id, environment, address_id: id, timestamp: now };
      return transaction(db, async (session) => {
        const which = {
          _id: id,
          failing_since,
          failing_noticed_at: { $exists: false },
          deleted_at: null,
        };
        const { matchedCount } = await addresses.updateOne(
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
              data: { failing_since, is_enabled: is_enabled && verdict !== 'disable' },
            },
            ...(verdict === 'disable'
              ? [
                  {
                    ...event,
                    type: 'address.updated' as const,
                    data: { is_enabled: false, reason: 'failing' },
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

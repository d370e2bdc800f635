/**
 * Finds receivers, of addresses and further ones, that have accepted nothing since a given time, and
 * marks each as failing once.
 */
import type { Db } from 'mongodb';

import type { Owned } from '../../../core/address/scope.ts';
import { defaultSettings } from '../../../core/account/account.ts';
import {
  type FailureFacts,
  type FailureVerdict,
  type RefusalFacts,
  REFUSALS_IN_A_ROW,
} from '../../../core/delivery/failing.ts';
import {
  type CredentialsChange,
  type FailingReason,
  shownReason,
} from '../../../core/receiver/failing-reason.ts';
import { ACCOUNTS, type StoredAccount } from '../documents/account-documents.ts';
import { ADDRESSES, type StoredAddress } from '../documents/address-documents.ts';
import { BY_ADDRESS, DELIVERIES, type DeliveryDocument } from '../documents/delivery-documents.ts';
import { RECEIVERS } from '../documents/receiver-documents.ts';
import { createUsageEvents } from '../audit/events.ts';
import { transaction } from '../database/transaction.ts';

export type FailingAddress = Owned &
  FailureFacts & {
    /** The id of the address, also when a further receiver of it fails. */
    id: string;
    address: string;
    /** The further receiver that fails; undefined when the address's own does. */
    receiverId: string | undefined;
    /** When it was marked; absent for never. */
    failing_noticed_at?: Date;
    /** Why it was marked before its time; absent otherwise. */
    failing_reason?: FailingReason;
  };

/** A receiver that has responded with 410, or has failed since its credentials changed. */
type RefusingAddress = FailingAddress & RefusalFacts;

/** An address, or a further receiver of one. */
type Stored = Pick<
  StoredAddress,
  '_id' | 'account_id' | 'environment' | 'is_enabled' | 'failing_since' | 'failing_noticed_at'
> & {
  address_id?: string;
  failing_reason?: FailingReason;
  gone_at?: Date;
  credentials_changed?: CredentialsChange;
  deleted_at: Date | null;
  updated_at: Date;
};

const COLLECTIONS = [ADDRESSES, RECEIVERS];

const NOT_NOTICED = { failing_noticed_at: { $exists: false } };
/** For receivers that were marked before their time: they may still be disabled later. */
const MAY_BE_DISABLED = [
  { failing_reason: { $exists: true }, is_enabled: true },
  { gone_at: { $exists: true }, is_enabled: true },
];

/** The newest deliveries without success have the newest attempts, but for retries of older ones. */
const RECENT_FAILURES = 20;

export type FailingAddresses = {
  /** Receivers that have failed since this time or longer, and are not yet marked or disabled. */
  since(time: Date): AsyncIterable<FailingAddress>;
  /**
   * Receivers that fail, are not yet marked, and have responded with 410, or whose former credentials
   * ended after this time, or have not ended yet.
   */
  refusing(endedAfter: Date): AsyncIterable<RefusingAddress>;
  /**
   * Counts the receivers that have accepted nothing since their last failure: marked and not yet
   * marked.
   */
  count(now: Date): Promise<{ noticed: number; unnoticed: number }>;
  /**
   * Marks the receiver, adds the event, and disables it if the verdict says so. False when it
   * recovered or was marked in the meantime. `failing_reason` is stored, except `gone`.
   */
  notice(
    address: FailingAddress,
    verdict: Exclude<FailureVerdict, 'wait'>,
    now: Date,
  ): Promise<boolean>;
};

export function createFailingAddresses(db: Db): FailingAddresses {
  const events = createUsageEvents(db);

  const { failuresOf, viewOf } = createViews(db);

  return {
    since: async function* failingSince(time) {
      for (const collection of COLLECTIONS)
        for await (const stored of db.collection<Stored>(collection).find({
          failing_since: { $lte: time },
          $or: [NOT_NOTICED, ...MAY_BE_DISABLED],
          deleted_at: null,
        })) {
          const { failing_since } = stored;
          const view =
            failing_since && (await viewOf(stored, failing_since, failuresOf(stored, 1)));
          if (view) yield view;
        }
    },

    refusing: async function* failingByRefusal(endedAfter) {
      for (const collection of COLLECTIONS)
        for await (const stored of db.collection<Stored>(collection).find({
          failing_since: { $exists: true },
          $or: [
            { gone_at: { $exists: true } },
            { 'credentials_changed.until': { $gt: endedAfter } },
          ],
          ...NOT_NOTICED,
          deleted_at: null,
        })) {
          const { failing_since, credentials_changed, gone_at } = stored;
          if (!failing_since) continue;
          const failures = failuresOf(stored, RECENT_FAILURES);
          const view = await viewOf(stored, failing_since, failures);
          if (!view) continue;
          const attempts = (await failures).flatMap((one) => one.attempts);
          yield {
            ...view,
            ...(credentials_changed && { credentials_changed }),
            ...(gone_at && { gone_at }),
            attempts,
          };
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
      { id, receiverId, account_id, environment, is_enabled, failing_since, ...marked },
      verdict,
      now,
    ) {
      const { failing_noticed_at, failing_reason } = marked;
      const stored = failing_reason === 'gone' ? undefined : failing_reason;
      const change = {
        failing_noticed_at: now,
        ...(stored && { failing_reason: stored }),
        ...(verdict === 'disable' && { is_enabled: false }),
      };
      const unset = stored === undefined && { $unset: { failing_reason: '' as const } };
      const event = { account_id, environment, address_id: id, timestamp: now };
      const further = receiverId !== undefined && { receiver_id: receiverId };
      const receivers = db.collection<Stored>(further ? RECEIVERS : ADDRESSES);
      return transaction(db, async (session) => {
        const which = {
          _id: receiverId ?? id,
          failing_since,
          failing_noticed_at: failing_noticed_at ?? { $exists: false },
          deleted_at: null,
        };
        const { matchedCount } = await receivers.updateOne(
          which,
          { $set: change, ...unset, ...(verdict === 'disable' && { $max: { updated_at: now } }) },
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
                ...(failing_reason && { reason: failing_reason }),
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

/** What else is known of a receiver that fails. */
function createViews(db: Db) {
  const addresses = db.collection<StoredAddress>(ADDRESSES);
  const accounts = db.collection<StoredAccount>(ACCOUNTS);
  const deliveries = db.collection<DeliveryDocument>(DELIVERIES);

  /** The newest deliveries without success. */
  const failuresOf = async (
    { account_id, environment, _id }: Pick<Stored, '_id' | 'account_id' | 'environment'>,
    limit: number,
  ) => {
    const status = { $in: ['failed' as const, 'retrying' as const] };
    const query = { account_id, environment, address_id: _id, status };
    const projection = { updated_at: 1, attempts: { $slice: -REFUSALS_IN_A_ROW } };
    const options = { projection, sort: { _id: -1 }, hint: BY_ADDRESS, limit } as const;
    return deliveries
      .find<Pick<DeliveryDocument, 'updated_at' | 'attempts'>>(query, options)
      .toArray();
  };

  const viewOf = async (
    stored: Stored,
    failing_since: Date,
    failures: Promise<readonly Pick<DeliveryDocument, 'updated_at'>[]>,
  ): Promise<FailingAddress | undefined> => {
    const { _id, account_id, environment, is_enabled, address_id: id = _id } = stored;
    const { failing_noticed_at } = stored;
    const failing_reason = shownReason(stored);
    const [account, address, [newest]] = await Promise.all([
      accounts.findOne(
        { _id: account_id },
        { projection: { 'settings.disable_failing_addresses': 1 } },
      ),
      addresses.findOne({ _id: id, deleted_at: null }, { projection: { address: 1 } }),
      failures,
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
      is_noticed: failing_noticed_at !== undefined,
      failing_since,
      ...(failing_noticed_at && { failing_noticed_at }),
      ...(failing_reason && { failing_reason }),
      disable_failing_addresses,
      last_failure_at: newest?.updated_at,
    };
  };

  return { failuresOf, viewOf };
}

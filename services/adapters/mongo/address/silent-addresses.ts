/**
 * Addresses whose expected email is absent: marks each as silent once, and removes the mark when the
 * email arrives (core/address/expectation.ts).
 */
import type { Db, Filter } from 'mongodb';

import { type Expectation, silentAt } from '../../../core/address/expectation.ts';
import type { Owned } from '../../../core/address/scope.ts';
import { ACCOUNTS, type StoredAccount } from '../documents/account-documents.ts';
import { ADDRESSES, type StoredAddress } from '../documents/address-documents.ts';
import { createUsageEvents } from '../audit/events.ts';
import { transaction } from '../database/transaction.ts';

type Noticed = Owned & { id: string; address: string };
/** An address that has waited too long. */
type OverdueAddress = Noticed & { expect: Expectation; silent_at: Date };
/** An address that was silent, and got an expected email. */
type ResumedAddress = Noticed & { silent_since: Date; silent_at: Date };

export type SilentAddresses = {
  /** Enabled addresses that waited until now, and are not yet marked. */
  overdue(now: Date): AsyncIterable<OverdueAddress>;
  /** Marked addresses that wait for the next email. */
  resumed(now: Date): AsyncIterable<ResumedAddress>;
  /**
   * Marks the address and adds the event. False when its email arrived, or it was changed or marked, in
   * the meantime. An address of a suspended account, which gets no email, begins to wait again.
   */
  notice(address: OverdueAddress, now: Date): Promise<boolean>;
  /** Removes the mark and adds the event. False when that was done in the meantime. */
  resume(address: ResumedAddress, now: Date): Promise<boolean>;
  /** How many enabled addresses of live environments are marked. */
  count(now: Date): Promise<number>;
};

const EPOCH = new Date(0);

/** Disabled and expired addresses refuse email, so their silence says nothing. */
const receiving = (now: Date): Filter<StoredAddress> => ({
  deleted_at: null,
  is_enabled: true,
  expires_at: { $not: { $lte: now } },
});

export function createSilentAddresses(db: Db): SilentAddresses {
  const addresses = db.collection<StoredAddress>(ADDRESSES);
  const accounts = db.collection<StoredAccount>(ACCOUNTS);
  const events = createUsageEvents(db);
  const projection = {
    account_id: 1,
    environment: 1,
    address: 1,
    expect: 1,
    silent_at: 1,
    silent_since: 1,
  };

  /** Writes the mark and its event together, if the address is still as it was read. */
  const mark = (
    which: Filter<StoredAddress>,
    silent_since: Date | null,
    event: Parameters<typeof events.add>[0][number],
  ): Promise<boolean> =>
    transaction(db, async (session) => {
      const { matchedCount } = await addresses.updateOne(
        { ...which, deleted_at: null },
        { $set: { silent_since } },
        { session },
      );
      if (matchedCount === 0) return false;
      await events.add([event], session);
      return true;
    });

  return {
    overdue: async function* overdueAddresses(now) {
      const found = addresses.find(
        { ...receiving(now), silent_at: { $gt: EPOCH, $lte: now }, silent_since: null },
        { projection },
      );
      for await (const { _id: id, account_id, environment, address, expect, silent_at } of found)
        if (expect && silent_at) yield { id, account_id, environment, address, expect, silent_at };
    },

    resumed: async function* resumedAddresses(now) {
      const found = addresses.find(
        {
          deleted_at: null,
          silent_since: { $gt: EPOCH },
          silent_at: { $gt: now },
          // only an email moves it there: the clock of another process, which noticed, may be ahead
          $expr: { $gt: ['$silent_at', '$silent_since'] },
        },
        { projection },
      );
      for await (const one of found) {
        const { _id: id, account_id, environment, address, silent_since, silent_at } = one;
        if (silent_since && silent_at)
          yield { id, account_id, environment, address, silent_since, silent_at };
      }
    },

    notice: async function noticeSilence({ id, expect, silent_at, ...owner }, now) {
      const { account_id, environment } = owner;
      const which = { _id: id, silent_at, silent_since: null, is_enabled: true };
      const account = await accounts.findOne(
        { _id: account_id },
        { projection: { suspended_at: 1 } },
      );
      if (account?.suspended_at) {
        await addresses.updateOne(which, { $set: { silent_at: silentAt(expect, now) } });
        return false;
      }
      return mark(which, now, {
        account_id,
        environment,
        type: 'address.silent',
        address_id: id,
        timestamp: now,
        data: { ...expect, silent_at },
      });
    },

    resume: ({ id, account_id, environment, silent_since, silent_at }, now) =>
      mark({ _id: id, silent_since, silent_at }, null, {
        account_id,
        environment,
        type: 'address.resumed',
        address_id: id,
        timestamp: now,
        data: { reason: 'received', silent_since },
      }),

    count: (now) =>
      addresses.countDocuments({
        ...receiving(now),
        environment: 'live',
        silent_since: { $gt: EPOCH },
      }),
  };
}

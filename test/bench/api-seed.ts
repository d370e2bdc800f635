/**
 * Test data for the API, written directly to MongoDB in its stored form: addresses, deliveries and
 * their counters.
 */
import { randomBytes } from 'node:crypto';
import type { Db } from 'mongodb';

import {
  ACCOUNTS,
  type StoredAccount,
} from '../../services/adapters/mongo/documents/account-documents.ts';
import {
  type CollectionIndexes,
  ensureIndexes,
} from '../../services/adapters/mongo/database/connection.ts';
import {
  addressIndexes,
  ADDRESSES,
  COUNTED,
  NAME_HELD_ONCE,
  NEWEST_FIRST,
  type StoredAddress,
} from '../../services/adapters/mongo/documents/address-documents.ts';
import {
  BY_ACCOUNT,
  BY_ADDRESS,
  BY_TERM,
  DELIVERIES,
  type DeliveryDocument,
  deliveryIndexes,
} from '../../services/adapters/mongo/documents/delivery-documents.ts';
import type { SecretBox } from '../../services/adapters/mongo/database/secrets.ts';
import {
  createUsageSums,
  USAGE_DAILY,
  type UsageDocument,
} from '../../services/adapters/mongo/usage/counters.ts';
import type { Owned } from '../../services/core/address/scope.ts';
import { type DeliveryStatus, tallyOf } from '../../services/core/delivery/delivery.ts';
import { base32, ID_RANDOM_BYTES, newId } from '../../services/core/id/ids.ts';
import { searchKeys } from '../../services/core/delivery/search-terms.ts';
import { newSecret } from '../../services/core/webhook/signature.ts';

const BATCH = 5_000;
/** More than the scenarios ask for. 10,000,000 ids would take a gigabyte. */
const IDS_KEPT = 100_000;
const DAY_MS = 86_400_000;
const SPREAD_MS = 25 * DAY_MS; // all within one billing period
const FAILED_SHARE = 0.02;
const LOCAL_PART_RANDOM_BYTES = 10;
// only to seed faster
const UNJOURNALED = { ordered: false, writeConcern: { w: 1, j: false } } as const;

/** @returns the ids of the first 100,000 */
export async function seedAddresses(
  db: Db,
  secrets: SecretBox,
  scope: Owned,
  count: number,
): Promise<string[]> {
  const ids: string[] = [];
  const made = (): StoredAddress => {
    const created_at = new Date(Date.now() - DAY_MS - Math.random() * SPREAD_MS);
    const _id = newId('addr', created_at, randomBytes(ID_RANDOM_BYTES));
    if (ids.length < IDS_KEPT) ids.push(_id);
    return {
      _id,
      ...scope,
      address: `${base32(randomBytes(LOCAL_PART_RANDOM_BYTES))}@inlet.localhost`,
      webhook_url: 'https://hooks.example.com/inbound/orders',
      is_enabled: true,
      is_permanent: true,
      expires_at: null,
      email_count: 10,
      description: 'orders of one shop',
      created_at,
      updated_at: created_at,
      deleted_at: null,
      payload: { attachments: 'inline', raw: false, extract: [], storage: null },
      sealed_secret: secrets.seal(newSecret(randomBytes(32)), _id),
    };
  };
  const addresses = db.collection<StoredAddress>(ADDRESSES);
  await load(db, addressIndexes, [NAME_HELD_ONCE, NEWEST_FIRST, COUNTED], count, (size) =>
    addresses.insertMany(Array.from({ length: size }, made), UNJOURNALED),
  );
  return ids;
}

type SeededDeliveries = {
  count: number;
  retrying: number;
  after?: number;
};

/**
 * Spread over 25 days of the current billing period. `after`: so many exist already. The newest
 * `retrying` ones wait for a retry that is in no lane.
 */
export async function seedDeliveries(
  db: Db,
  scope: Owned & { addressIds: readonly string[] },
  { count, retrying, after = 0 }: SeededDeliveries,
): Promise<void> {
  const { account_id, environment, addressIds } = scope;
  const now = Date.now();
  const period = { $set: { created_at: new Date(now - SPREAD_MS - DAY_MS) } };
  await db.collection<StoredAccount>(ACCOUNTS).updateOne({ _id: account_id }, period);
  const sums = createUsageSums();
  let index = 0; // of these; searches name numbers that go on
  const made = (): DeliveryDocument => {
    const received_at = new Date(now - SPREAD_MS + Math.floor((index / count) * SPREAD_MS));
    const status: DeliveryStatus =
      index >= count - retrying
        ? 'retrying'
        : Math.random() < FAILED_SHARE
          ? 'failed'
          : 'delivered';
    sums.add({ account_id, environment, received_at }, tallyOf(undefined, status));
    const attempt =
      status === 'delivered'
        ? { outcome: 'accepted' as const, status_code: 200 }
        : { outcome: 'busy' as const, status_code: 503 };
    const searched = searchedFields(after + index);
    return {
      _id: newId('evt', received_at, randomBytes(ID_RANDOM_BYTES)),
      account_id,
      environment,
      address_id: addressIds[index++ % addressIds.length] ?? '',
      status,
      ...searched,
      search: searchKeys(searched, received_at),
      size_bytes: 2_048,
      received_at,
      stored_at: { partition: 0, sequence: index },
      payload_in: 'message',
      attempts: [{ at: received_at, duration_ms: 5, ...attempt, error: null, excerpt: null }],
      attempts_before_replay: 0,
      next_attempt_at: status === 'retrying' ? new Date(now + DAY_MS) : null,
      updated_at: received_at,
    };
  };
  const deliveries = db.collection<DeliveryDocument>(DELIVERIES);
  await load(db, deliveryIndexes, [BY_ACCOUNT, BY_ADDRESS, BY_TERM], count, (size) =>
    deliveries.insertMany(Array.from({ length: size }, made), UNJOURNALED),
  );
  if (count > 0) await db.collection<UsageDocument>(USAGE_DAILY).bulkWrite(sums.writes());
}

/**
 * The words `order` and `inlet` are in every email, `returned` in 1 %, the number of the order in one.
 * SPF fails for 2 %, never for an order that is `returned`.
 */
function searchedFields(index: number) {
  const isReturned = index % 100 === 0;
  const company = `company-${index % 500}`;
  return {
    mail_from: `desk@${company}.example`,
    from: `Desk of ${company} <desk@${company}.example>`,
    subject: `Order ${1_000_000 + index} ${isReturned ? 'returned' : 'shipped'} by Inlet`,
    recipients: [`shop-${index % 2_000}@inlet.localhost`],
    verdict: {
      spf: index % 50 === 1 ? 'fail' : 'pass',
      dkim: 'pass',
      dmarc: 'pass',
      spam: 'not_spam' as const,
    },
  };
}

/**
 * Inserts without the indexes that every document updates, and builds them afterwards: MongoDB
 * sorts all entries then, instead of searching a place for each.
 */
async function load(
  db: Db,
  wanted: CollectionIndexes,
  dropped: readonly string[],
  count: number,
  insert: (size: number) => Promise<unknown>,
): Promise<void> {
  if (count > BATCH)
    for (const name of dropped)
      await db
        .collection(wanted.collection)
        .dropIndex(name)
        .catch(() => undefined); // it does not exist yet
  await inBatches(count, insert);
  await ensureIndexes(db, [wanted]);
}

/** Two batches in flight: one is created while the other is written. */
async function inBatches(count: number, insert: (size: number) => Promise<unknown>): Promise<void> {
  let before: Promise<unknown> = Promise.resolve();
  for (let done = 0; done < count; done += BATCH) {
    const writing = insert(Math.min(BATCH, count - done));
    await before;
    before = writing;
  }
  await before;
}

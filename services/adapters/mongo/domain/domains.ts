/** Domains of accounts in MongoDB. Several accounts can claim a domain, one can verify it. */
import type { ClientSession, Collection, Db, Filter } from 'mongodb';

import { type AccountScope, ownedBy } from '../../../core/address/scope.ts';
import {
  DomainRecord,
  type DomainStatus,
  type NewDomain,
  newDomain,
  PENDING_PROBLEMS,
} from '../../../core/domain/domain.ts';
import { LOOK_AGAIN_MS } from '../../../core/domain/findings.ts';
import type { ManagedBy } from '../../../core/resource/managed-by.ts';
import type { Page, PageRequest } from '../../../core/resource/pagination.ts';
import { domainsAbove } from '../../../core/address/resolution.ts';
import { ADDRESSES, type StoredAddress } from '../documents/address-documents.ts';
import { managedBy } from '../documents/managed-records.ts';
import {
  DOMAINS,
  NEWEST_FIRST,
  type StoredDomain,
  VERIFIED,
} from '../documents/domain-documents.ts';
import { isDuplicateKey } from '../database/errors.ts';
import { createPages } from '../database/pages.ts';
import { createUsageEvents } from '../audit/events.ts';
import { createDomainChecks, type DomainChecks } from './domain-checks.ts';
import { transaction } from '../database/transaction.ts';

/** Keeps its first name: during an upgrade, processes of both versions must take the same lock. */
const VERIFICATION_LOCKS = 'domain_turns';

export type Domains = DomainChecks & {
  /** `undefined` when this account and environment has already claimed it. */
  insert(domain: NewDomain, now: Date): Promise<DomainRecord | undefined>;
  /** Whether at least `count` claims are not yet verified. */
  hasPending(scope: AccountScope, count: number): Promise<boolean>;
  /** Newest first. */
  page(
    scope: AccountScope,
    status: DomainStatus | undefined,
    page: PageRequest,
  ): Promise<Page<DomainRecord>>;
  find(scope: AccountScope, id: string): Promise<DomainRecord | undefined>;
  /** The domain that this resource, or an earlier one of the same name, owns. */
  findManaged(owner: ManagedBy): Promise<DomainRecord | undefined>;
  /**
   * The verified domain that equals this one or contains it; the longest one if there are several.
   */
  covering(domain: string): Promise<DomainRecord | undefined>;
  /**
   * 'taken': another account has verified this domain, a parent or a subdomain, or this account has
   * in its other environment.
   */
  verify(record: DomainRecord, now: Date): Promise<'verified' | 'already' | 'taken' | 'gone'>;
  /** A number is the count of addresses on the domain, which is then not removed. */
  remove(scope: AccountScope, id: string): Promise<'removed' | 'gone' | number>;
  /**
   * The verified domains that conflict with a verification of this one: itself, its parents and its
   * subdomains, shortest first.
   */
  conflicting(domain: string): Promise<DomainRecord[]>;
  /**
   * Deletes a verified domain and its addresses, with an event for the account. `addresses` is
   * their count.
   * `undefined` when nobody has verified the domain. Gateways follow within 30 seconds.
   */
  release(
    domain: string,
    now: Date,
  ): Promise<{ record: DomainRecord; addresses: number } | undefined>;
  /** Claims one verified domain whose DNS check is due. */
  claimDue(now: Date): Promise<DomainRecord | undefined>;
};

export function createDomains(db: Db): Domains {
  const domains = db.collection<StoredDomain>(DOMAINS);
  const pageOf = createPages(domains, recordOf);
  const addresses = db.collection<StoredAddress>(ADDRESSES);
  const events = createUsageEvents(db);

  const findDomain = async (filter: Filter<StoredDomain>): Promise<DomainRecord | undefined> => {
    const stored = await domains.findOne(filter);
    return stored === null ? undefined : recordOf(stored);
  };

  return {
    ...createDomainChecks(domains),

    insert: async function insertDomain(requested, now) {
      const record = newDomain(requested, now);
      const { id: _id, ...fields } = record;
      try {
        await domains.insertOne({
          _id,
          ...fields,
          above: domainsAbove(record.domain),
          next_look_at: now,
        });
        return record;
      } catch (error) {
        if (isDuplicateKey(error)) return undefined;
        throw error;
      }
    },

    hasPending: async (scope, count) =>
      (await domains.countDocuments({ ...ownedBy(scope), is_verified: false }, { limit: count })) >=
      count,

    page: (scope, status, page) =>
      pageOf(
        {
          query: { ...ownedBy(scope), ...(status && STATUS_QUERY[status]) },
          sort: { created_at: -1, _id: -1 },
          hint: NEWEST_FIRST,
        },
        page,
      ),

    find: (scope, id) => findDomain({ ...ownedBy(scope), _id: id }),
    findManaged: (owner) => findDomain(managedBy(owner)),

    covering: async function coveringDomain(domain) {
      const found = await domains
        .find({ ...VERIFIED, domain: { $in: [domain, ...domainsAbove(domain)] } })
        .toArray();
      const [longest] = found.toSorted(
        (first, second) => second.domain.length - first.domain.length,
      );
      return longest && recordOf(longest);
    },

    conflicting: async function conflictingDomains(domain) {
      const found = await Promise.all([
        domains.find({ ...VERIFIED, domain: { $in: [domain, ...domainsAbove(domain)] } }).toArray(),
        domains.find({ ...VERIFIED, above: domain }).toArray(),
      ]);
      return found
        .flat()
        .toSorted((first, second) => first.domain.length - second.domain.length)
        .map(recordOf);
    },

    verify: createVerification(db, domains),

    remove: (scope, id) =>
      transaction(db, async (session) => {
        const { deletedCount } = await domains.deleteOne(
          { ...ownedBy(scope), _id: id },
          { session },
        );
        if (deletedCount === 0) return 'gone';
        const left = await addresses.countDocuments(
          { domain_id: id, deleted_at: null },
          { session },
        );
        if (left === 0) return 'removed';
        await session.abortTransaction();
        return left;
      }),

    release: (domain, now) =>
      transaction(db, async (session) => {
        const released = await domains.findOneAndDelete({ ...VERIFIED, domain }, { session });
        if (released === null) return undefined;
        const record = recordOf(released);
        const { id: domain_id, account_id, environment } = record;
        const { modifiedCount } = await addresses.updateMany(
          { domain_id, deleted_at: null },
          { $set: { deleted_at: now } },
          { session },
        );
        const data = { domain_id, domain, addresses_deleted: modifiedCount, reason: 'released' };
        await events.add(
          [
            {
              account_id,
              environment,
              type: 'domain.deleted',
              address_id: null,
              timestamp: now,
              data,
            },
          ],
          session,
        );
        return { record, addresses: modifiedCount };
      }),

    claimDue: async function claimDueDomain(now) {
      const due = await domains.findOneAndUpdate(
        { ...VERIFIED, next_look_at: { $lte: now } },
        { $set: { next_look_at: new Date(now.getTime() + LOOK_AGAIN_MS) } },
        { sort: { next_look_at: 1 } },
      );
      return due === null ? undefined : recordOf(due);
    },
  };
}

function createVerification(db: Db, domains: Collection<StoredDomain>): Domains['verify'] {
  const locks = db.collection<{ _id: string; taken: number }>(VERIFICATION_LOCKS);

  /** Serializes verifications: no index can exclude a domain and its subdomain. They are rare. */
  const lockVerification = (session: ClientSession) =>
    locks.updateOne({ _id: DOMAINS }, { $inc: { taken: 1 } }, { upsert: true, session });

  const isTakenFrom = async (
    { account_id, domain }: DomainRecord,
    session: ClientSession,
  ): Promise<boolean> => {
    const others = { ...VERIFIED, account_id: { $ne: account_id } };
    const found = [
      await domains.findOne(
        { ...others, domain: { $in: [domain, ...domainsAbove(domain)] } },
        { session, projection: { _id: 1 } },
      ),
      await domains.findOne({ ...others, above: domain }, { session, projection: { _id: 1 } }),
    ];
    return found.some((other) => other !== null);
  };

  return async function verifyDomain(record, now) {
    try {
      return await transaction(db, async (session) => {
        await lockVerification(session);
        if (await isTakenFrom(record, session)) return 'taken';
        const { matchedCount } = await domains.updateOne(
          { _id: record.id, is_verified: false },
          {
            $set: {
              ...VERIFIED,
              verified_at: now,
              next_look_at: now, // for its deliverability, unless the caller checks that
            },
          },
          { session },
        );
        if (matchedCount === 1) return 'verified';
        return (await domains.findOne({ _id: record.id }, { session, projection: { _id: 1 } })) ===
          null
          ? 'gone'
          : 'already';
      });
    } catch (error) {
      if (isDuplicateKey(error)) return 'taken'; // by this account, in its other environment
      throw error;
    }
  };
}

const STATUS_QUERY: Record<DomainStatus, Filter<StoredDomain>> = {
  verified: VERIFIED,
  pending: { is_verified: false, problem: { $in: [...PENDING_PROBLEMS] } },
  failed: { is_verified: false, problem: { $nin: [...PENDING_PROBLEMS] } },
};

const recordOf = (stored: StoredDomain): DomainRecord =>
  DomainRecord.parse({ ...stored, id: stored._id });

/**
 * Claims, verifies, changes and deletes the domains of accounts, and checks verified ones again. For
 * the API and the operator.
 */
import { randomBytes } from 'node:crypto';

import type { AccountScope } from '../../core/address/scope.ts';
import { AppError, fieldConflict, orNotFound, tooMany } from '../../core/error/app-error.ts';
import {
  DOMAIN,
  type DomainNoun,
  type DomainRecord,
  isDomainWithin,
  mtaStsModeOf,
  newDomain,
  takenByAnother,
} from '../../core/domain/domain.ts';
import { findings } from '../../core/domain/findings.ts';
import { MX_ASKED_MAX } from '../../core/deliverability/deliverability-facts.ts';
import { enforceRefusal } from '../../core/deliverability/mx-certificate.ts';
import { base32 } from '../../core/id/ids.ts';
import type { Audit, Cause } from '../audit.ts';
import { createOwnedOperations, type OwnedOperations } from '../owned-operations.ts';
import type { LookUpDeliverability, LookUpDomain } from '../../adapters/dns/domain-records.ts';
import type { ProbeMx } from '../../adapters/smtp/mx-probe.ts';
import type { ReadMxCertificate } from '../../adapters/tls/mx-certificate.ts';
import type { Domains } from '../../adapters/mongo/domain/domains.ts';

/** A change is refused for `enforce` while the certificate of the MX hosts does not cover each of them. */
export type DomainOperations = OwnedOperations<DomainNoun> & {
  /**
   * Looks the domain up in the DNS. A verified domain stays verified. @throws AppError `not_found`,
   * `conflict` when another account has verified it, `rate_limit_exceeded` soon after the last
   * lookup
   */
  verify(cause: Cause, id: string): Promise<DomainRecord>;
  /** Checks the verified domains that are due for a check. */
  recheckVerified(now: Date): Promise<void>;
};

type DomainOperationDependencies = {
  domains: Domains;
  look: LookUpDomain;
  /** undefined where verified domains are not checked further. */
  deliverability?: { look: LookUpDeliverability; probeMx: ProbeMx };
  mxHosts: readonly string[];
  readMxCertificate: ReadMxCertificate;
  audit: Audit;
  inboundDomain: string;
};

const TOKEN_RANDOM_BYTES = 20;
const LOOK_PAUSE_MS = 5_000;
/** Domains whose name servers do not answer delay few others. */
const RECHECKED_TOGETHER = 8;
/** A limit, since claims are free and each causes DNS lookups. Real users verify a domain long before. */
const PENDING_MAX = 100;

export function createDomainOperations({
  domains,
  look,
  deliverability,
  mxHosts,
  readMxCertificate,
  audit,
  inboundDomain,
}: DomainOperationDependencies): DomainOperations {
  /** Only of a verified domain: nobody else decides which hosts are asked. */
  const checkDeliverability = async (record: DomainRecord, now: Date): Promise<void> => {
    if (deliverability === undefined) return;
    const hosts = record.mx.map(({ exchange }) => exchange).filter((host) => host !== '');
    const [records, mx] = await Promise.all([
      deliverability.look(record.domain),
      Promise.all(
        hosts.slice(0, MX_ASKED_MAX).map((host) => deliverability.probeMx(host, record.account_id)),
      ),
    ]);
    await domains.recordDeliverability(record.id, { ...records, mx, checked_at: now });
  };

  const verifyByDns = async (cause: Cause, record: DomainRecord): Promise<void> => {
    if (await lookAt(cause, record))
      await checkDeliverability(await existing(cause.caller, record.id), cause.now);
  };

  /** @returns whether the domain is verified now */
  const lookAt = async (cause: Cause, record: DomainRecord): Promise<boolean> => {
    const { isProved, isToBeTold, ...found } = findings(
      record,
      await look(record.domain),
      cause.now,
    );
    const { domain } = record;
    // before it is marked as noticed: a crash in between repeats the event, and loses none
    if (isToBeTold)
      await audit(cause, {
        type: 'domain.unconfirmed',
        address_id: null,
        data: { domain_id: record.id, domain, missing_since: found.missing_since },
      });
    await domains.recordCheck(record.id, found);
    if (!isProved || record.is_verified) return record.is_verified;
    const verdict = await domains.verify(record, cause.now);
    if (verdict === 'taken') {
      await domains.recordCheck(record.id, { ...found, problem: 'taken' });
      throw new AppError('conflict', takenByAnother(domain));
    }
    if (verdict === 'verified')
      await audit(cause, {
        type: 'domain.verified',
        address_id: null,
        data: { domain_id: record.id, domain },
      });
    return verdict !== 'gone';
  };

  /** The domain may be deleted meanwhile. */
  const recheck = async (cause: Cause, record: DomainRecord): Promise<void> => {
    try {
      await verifyByDns(cause, record);
    } catch (error) {
      if (!(error instanceof AppError && error.kind === 'not_found')) throw error;
    }
  };

  const existing = async (scope: AccountScope, id: string): Promise<DomainRecord> =>
    orNotFound(await domains.find(scope, id), 'domain');

  const { saved: _, ...owned } = createOwnedOperations<DomainNoun>(
    {
      resource: DOMAIN,
      store: {
        insert: async (record) => {
          if (await domains.insert(record, record.created_at)) return 'made';
          throw fieldConflict('domain', `This account has the domain ${record.domain} already`);
        },
        find: (scope, id) => domains.find(scope, id),
        remove: async (scope, id) => {
          const record = await domains.find(scope, id);
          const removed = record && (await domains.remove(scope, id));
          if (typeof removed === 'number') throw hasAddresses(record?.domain ?? '', removed);
          return removed === 'removed' ? record : undefined;
        },
      },
      newRecord: async ({ domain, managed_by }, { account_id, environment }, { id, now }) => {
        if (isDomainWithin(domain, inboundDomain))
          throw fieldConflict('domain', `${domain} belongs to this service itself`);
        if (await domains.hasPending({ account_id, environment }, PENDING_MAX))
          throw tooMany(
            'domains that are not verified',
            PENDING_MAX,
            'account',
            'verify or delete',
          );
        const token = base32(randomBytes(TOKEN_RANDOM_BYTES));
        return newDomain({ id, account_id, environment, domain, token, managed_by }, now);
      },
      update: async ({ caller, now }, before, { mta_sts: mode = mtaStsModeOf(before) }) => {
        if (mtaStsModeOf(before) === mode) return { record: before, changed: {} };
        const refusal =
          mode === 'enforce' && enforceRefusal(mxHosts, await readMxCertificate(), now);
        if (refusal) throw fieldConflict('mta_sts', refusal);
        await domains.setMtaSts(before.id, mode);
        return { record: await existing(caller, before.id), changed: { mta_sts: mode } };
      },
    },
    undefined,
    audit,
  );

  return {
    ...owned,

    verify: async function verifyDomain(cause, id) {
      const record = await existing(cause.caller, id);
      const lastBefore = new Date(cause.now.getTime() - LOOK_PAUSE_MS);
      if (!(await domains.beginCheck(id, lastBefore, cause.now))) {
        const retryAfterSeconds = LOOK_PAUSE_MS / 1_000;
        throw new AppError(
          'rate_limit_exceeded',
          `This domain was looked at a moment ago. Wait ${retryAfterSeconds} seconds before the next look`,
          { retryAfterSeconds },
        );
      }
      await verifyByDns(cause, record);
      return existing(cause.caller, id);
    },

    recheckVerified: async function recheckVerifiedDomains(now) {
      const recheckDue = async (): Promise<void> => {
        for (;;) {
          const record = await domains.claimDue(now);
          if (record === undefined) return;
          const { account_id, environment } = record;
          await recheck({ caller: { account_id, environment }, now }, record);
        }
      };
      await Promise.all(Array.from({ length: RECHECKED_TOGETHER }, recheckDue));
    },
  };
}

const hasAddresses = (domain: string, count: number) =>
  new AppError(
    'conflict',
    count === 1
      ? `An address is on ${domain}: delete it first`
      : `${count} addresses are on ${domain}: delete them first`,
  );

/**
 * The next step for an InboundDomain resource, until it is settled, and the time of the next DNS
 * lookup.
 */
import { RULE_TEXT } from '../error/app-error.ts';
import { checkDomain } from '../address/address-name.ts';
import { notReady, ready, type Verdict } from './condition.ts';
import type { InboundDomainSpec } from './spec/domain-spec.ts';
import {
  type DomainProblem,
  type DomainRecord,
  domainView,
  takenByAnother,
} from '../domain/domain.ts';

export type DomainFacts = {
  spec: InboundDomainSpec;
  accountId: string | undefined;
  record: DomainRecord | undefined;
  /** Whether the DNS was queried in this reconciliation. */
  hasLookedUp: boolean;
  mxHosts: readonly string[];
};

export type DomainStep =
  | { kind: 'settled'; verdicts: { Ready: Verdict; Verified?: Verdict } }
  | { kind: 'claim'; accountId: string; domain: string }
  | { kind: 'look_up' };

const refused = (reason: string, message: string): DomainStep => ({
  kind: 'settled',
  verdicts: { Ready: notReady(reason, message) },
});

export function domainStep({
  spec,
  accountId,
  record,
  hasLookedUp,
  mxHosts,
}: DomainFacts): DomainStep {
  const checked = checkDomain(spec.domain);
  if ('fault' in checked) return refused('InvalidDomain', `domain ${RULE_TEXT[checked.fault]}`);
  if (accountId === undefined)
    return refused(
      'AccountNotReady',
      `the Account ${spec.accountRef.name} does not exist in this namespace, or is not ready`,
    );
  if (record === undefined) return { kind: 'claim', accountId, domain: checked.domain };
  if (
    record.account_id !== accountId ||
    record.environment !== spec.environment ||
    record.domain !== checked.domain
  ) {
    return refused(
      'NotOurs',
      `an earlier resource of this name left ${record.domain} behind, which this spec does ` +
        `not describe; deleting this resource deletes that domain`,
    );
  }
  if (!record.is_verified && !hasLookedUp) return { kind: 'look_up' };
  return { kind: 'settled', verdicts: verdictsOf(record, mxHosts) };
}

const REASONS: Record<DomainProblem, string> = {
  txt_missing: 'TxtMissing',
  txt_differs: 'TxtDiffers',
  dns_unavailable: 'DnsUnavailable',
  taken: 'Taken',
};

function verdictsOf(
  record: DomainRecord,
  mxHosts: readonly string[],
): { Ready: Verdict; Verified: Verdict } {
  const { verification, mx, verified_at } = domainView(record, { mxHosts });
  if (!record.is_verified && record.problem === 'taken') {
    const taken = notReady(REASONS.taken, takenByAnother(record.domain));
    return { Ready: taken, Verified: taken };
  }
  if (!record.is_verified) {
    const message = `to verify the domain, set the TXT record ${verification.name} to ${verification.value}`;
    return {
      Ready: notReady('Unverified', message),
      Verified: notReady(record.problem ? REASONS[record.problem] : 'Pending', message),
    };
  }
  const verified = ready('Proved', `verified at ${verified_at}`);
  if (!mx.is_ok)
    return {
      Ready: ready(
        'MxElsewhere',
        `addresses can be created, but the MX records do not point to ${mx.expected.join(' and ')}`,
      ),
      Verified: verified,
    };
  return { Ready: ready('Ready', 'addresses can be created and receive mail'), Verified: verified };
}

const SOONEST_MS = 30_000;
const LATEST_MS = 3_600_000;

/**
 * A user who has just claimed a domain will set the record soon; one who has not set it for a day
 * may take another hour.
 */
export const nextLookupMs = ({ created_at }: DomainRecord, now: Date): number =>
  Math.min(LATEST_MS, Math.max(SOONEST_MS, (now.getTime() - created_at.getTime()) / 10));

/** What is to be done for an InboundDomain resource, one step at a time until nothing is left; and when to look at the DNS again. */
import { checkDomain } from '../account/address-name.ts';
import { notReady, ready, type Verdict } from './condition.ts';
import type { InboundDomainSpec } from './domain-spec.ts';
import {
  type DomainProblem,
  type DomainRecord,
  domainView,
  takenByAnother,
} from '../account/domain.ts';

export type DomainFacts = {
  spec: InboundDomainSpec;
  accountId: string | undefined;
  record: DomainRecord | undefined;
  /** Whether the DNS was asked in this round. */
  hasLooked: boolean;
  mxHosts: readonly string[];
};

export type DomainStep =
  | { kind: 'settled'; verdicts: { Ready: Verdict; Verified?: Verdict } }
  | { kind: 'claim'; accountId: string; domain: string }
  | { kind: 'look' };

const refused = (reason: string, message: string): DomainStep => ({
  kind: 'settled',
  verdicts: { Ready: notReady(reason, message) },
});

export function domainStep({
  spec,
  accountId,
  record,
  hasLooked,
  mxHosts,
}: DomainFacts): DomainStep {
  const checked = checkDomain(spec.domain);
  if ('fault' in checked)
    return refused('InvalidDomain', `domain cannot be used: ${checked.fault}`);
  if (accountId === undefined)
    return refused(
      'AccountNotReady',
      `there is no Account ${spec.accountRef.name} in this namespace that is ready`,
    );
  if (record === undefined) return { kind: 'claim', accountId, domain: checked.domain };
  if (
    record.account_id !== accountId ||
    record.environment !== spec.environment ||
    record.domain !== checked.domain
  ) {
    return refused(
      'NotOurs',
      `an earlier resource of this name left ${record.domain} behind, which this one does not ask for; deleting this one deletes that too`,
    );
  }
  if (!record.is_verified && !hasLooked) return { kind: 'look' };
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
  const { verification, mx, verified_at } = domainView(record, mxHosts);
  if (!record.is_verified && record.problem === 'taken') {
    const taken = notReady(REASONS.taken, takenByAnother(record.domain));
    return { Ready: taken, Verified: taken };
  }
  if (!record.is_verified) {
    const message = `set the TXT record ${verification.name} to ${verification.value}`;
    return {
      Ready: notReady('Unverified', message),
      Verified: notReady(record.problem ? REASONS[record.problem] : 'Pending', message),
    };
  }
  const verified = ready('Proved', `proved at ${verified_at}`);
  if (!mx.is_ok)
    return {
      Ready: ready(
        'MxElsewhere',
        `addresses can be made, but its MX records do not point to ${mx.expected.join(' and ')}`,
      ),
      Verified: verified,
    };
  return { Ready: ready('Ready', 'addresses can be made and receive mail'), Verified: verified };
}

const SOONEST_MS = 30_000;
const LATEST_MS = 3_600_000;

/** Who has just claimed a domain is about to set the record; who has not for a day may take another hour. */
export const nextLookMs = ({ created_at }: DomainRecord, now: Date): number =>
  Math.min(LATEST_MS, Math.max(SOONEST_MS, (now.getTime() - created_at.getTime()) / 10));

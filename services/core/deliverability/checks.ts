/**
 * What keeps email of a domain from arriving safely, or reports about it from arriving at all: each
 * record with its expected and its present value.
 */
import { z } from 'zod';

import { describeSchema } from '../resource/api-reference.ts';
import { daneCheck, daneLine, tlsaToSet } from './dane.ts';
import type { DeliverabilityFacts } from './deliverability-facts.ts';
import { CHECK_STATUSES, type CheckResult } from './check-result.ts';
import { type MtaStsMode, policyHost, policyRecord } from './mta-sts.ts';
import { certificateCheck, reachabilityCheck } from './mx-checks.ts';
import { dmarcCheck, tlsReportCheck } from './report-records.ts';

const CHECK_KINDS = [
  'mta_sts',
  'mta_sts_host',
  'tls_rpt',
  'dmarc',
  'mx_reachable',
  'mx_certificate',
  'dane',
] as const;

export const DeliverabilityCheck = z.object({
  kind: z
    .enum(CHECK_KINDS)
    .describe(
      'the TXT record of MTA-STS; the host that serves its policy; the TXT record for TLS ' +
        'reports; that for DMARC; whether the MX hosts answer on port 25; their certificates; their ' +
        'TLSA records',
    ),
  status: z
    .enum(CHECK_STATUSES)
    .describe('`unknown`: not checked, or not possible from here; `off`: not in use'),
  message: z.string().describe('what was found, or what to do'),
  record: z
    .object({ type: z.enum(['TXT', 'CNAME', 'TLSA']), name: z.string(), value: z.string() })
    .nullable()
    .describe('the DNS record to set; null when there is none to copy'),
  found: z.array(z.string()).describe('values in the DNS, or one line for each MX host'),
});
export type DeliverabilityCheck = z.infer<typeof DeliverabilityCheck>;
describeSchema(DeliverabilityCheck, 'DeliverabilityCheck');

export type CheckFacts = {
  domain: string;
  isVerified: boolean;
  mode: MtaStsMode;
  /** Hosts that the MX records must name. */
  mxHosts: readonly string[];
  /** Host name that the policy host is to be an alias of; undefined when not known. */
  aliasTarget: string | undefined;
  /** undefined before the first check. */
  found: DeliverabilityFacts | undefined;
};

const txt = (name: string, value: string) => ({ type: 'TXT' as const, name, value });

/** In the order in which they should be read. */
export function deliverabilityChecks(facts: CheckFacts): DeliverabilityCheck[] {
  const { domain, mode, mxHosts, aliasTarget, found } = facts;
  const host = policyHost(domain);
  const resultOf = <T>(
    value: T | null | undefined,
    judge: (value: T) => CheckResult,
  ): CheckResult =>
    found === undefined
      ? { status: 'unknown', message: notChecked(facts) }
      : value === null || value === undefined
        ? { status: 'unknown', message: 'The DNS did not respond' }
        : judge(value);
  const reports = `reports@${domain}`;
  const mx = found?.mx ?? [];
  const tlsa = tlsaToSet(mx);
  return [
    {
      kind: 'mta_sts',
      ...resultOf(found?.mta_sts, (texts) => policyRecordCheck(texts, facts)),
      record: mode === 'none' ? null : txt(`_mta-sts.${domain}`, policyRecord(mode, mxHosts)),
      found: found?.mta_sts ?? [],
    },
    {
      kind: 'mta_sts_host',
      ...resultOf(found?.mta_sts_host, (addresses) => policyHostCheck(addresses, host, mode)),
      record:
        mode === 'none' || aliasTarget === undefined
          ? null
          : { type: 'CNAME', name: host, value: aliasTarget },
      found: found?.mta_sts_host ?? [],
    },
    {
      kind: 'tls_rpt',
      ...resultOf(found?.tls_rpt, tlsReportCheck),
      record: txt(`_smtp._tls.${domain}`, `v=TLSRPTv1; rua=mailto:${reports}`),
      found: found?.tls_rpt ?? [],
    },
    {
      kind: 'dmarc',
      ...resultOf(found?.dmarc, (texts) => dmarcCheck(texts, found?.dmarc_name ?? '', domain)),
      record: txt(`_dmarc.${domain}`, `v=DMARC1; p=none; rua=mailto:${reports}`),
      found: found?.dmarc ?? [],
    },
    {
      kind: 'mx_reachable',
      ...resultOf(found && mx, reachabilityCheck),
      record: null,
      found: mx.map(({ host: name, outcome }) => `${name}: ${outcome}`),
    },
    {
      kind: 'mx_certificate',
      ...resultOf(found && mx, (answers) => certificateCheck(answers, mode)),
      record: null,
      found: mx.map(({ host: name, tls, detail }) =>
        detail === null ? `${name}: ${tls}` : `${name}: ${tls} (${detail})`,
      ),
    },
    {
      kind: 'dane',
      ...resultOf(found && mx, daneCheck),
      record: tlsa && { type: 'TLSA', ...tlsa },
      found: mx.map(daneLine),
    },
  ];
}

const notChecked = ({ isVerified }: CheckFacts): string =>
  isVerified ? 'Not checked yet' : 'Checked after the domain is verified';

/** RFC 8461 §3.1: senders ignore other TXT records, and all if there are two of this kind. */
function policyRecordCheck(texts: readonly string[], { mode, mxHosts }: CheckFacts): CheckResult {
  const records = texts.filter((text) => /^v=STSv1\s*;/.test(text));
  const [record] = records;
  if (mode === 'none')
    return record === undefined
      ? { status: 'off', message: 'MTA-STS is off for this domain' }
      : {
          status: 'wrong',
          message: 'There is a record, but MTA-STS is off: remove it, or turn MTA-STS on',
        };
  if (record === undefined)
    return { status: 'missing', message: 'Without this record, senders do not ask for the policy' };
  if (records.length > 1)
    return { status: 'wrong', message: 'There are several records, so senders ignore all of them' };
  const id = /;\s*id\s*=\s*(\w{1,32})\s*(;|$)/.exec(record)?.[1];
  return policyRecord(mode, mxHosts).includes(`id=${id};`)
    ? { status: 'ok', message: 'Senders get the present policy' }
    : {
        status: 'wrong',
        message: 'The id is not that of the present policy: senders may go on with an earlier one',
      };
}

const policyHostCheck = (
  addresses: readonly string[],
  host: string,
  mode: MtaStsMode,
): CheckResult => {
  if (mode === 'none') return { status: 'off', message: 'MTA-STS is off for this domain' };
  return addresses.length > 0
    ? { status: 'ok', message: `${host} has an address. It must serve HTTPS with its own name` }
    : { status: 'missing', message: `${host} has no address, so senders cannot get the policy` };
};

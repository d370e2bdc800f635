/** TLS reports (RFC 8460): whether servers could reach a domain's mail servers with TLS. */
import { jsonOf } from '../../text/text.ts';
import type { Report } from './report.ts';
import { countOf, textOrNull, timeOf } from './values.ts';

type TlsPolicy = NonNullable<Report['policies']>[number];

/** Any JSON of this length takes at most some 50 MB while it is read. */
const JSON_MAX_CHARS = 2 * 1024 * 1024;
const MAX_POLICIES = 20;
const MAX_FAILURES = 50;
const MAX_HOSTS = 20;

export const mayBeTlsReport = (json: string): boolean =>
  /^\s*\{/.test(json) && json.includes('"policies"') && json.includes('"report-id"');

/** Undefined when it is another document or incomplete. */
export function tlsReport(json: string): Report | undefined {
  const report = fieldsOf(json.length > JSON_MAX_CHARS ? undefined : jsonOf(json));
  const { policies } = report;
  if (!Array.isArray(policies)) return undefined;
  const range = fieldsOf(report['date-range']);
  const read = policies.slice(0, MAX_POLICIES).map(policyOf);
  return {
    kind: 'tls-rpt',
    organization: textOrNull(report['organization-name']),
    report_id: textOrNull(report['report-id']),
    domain: read[0]?.domain ?? null,
    from: timeOf(textOrNull(range['start-datetime'])),
    to: timeOf(textOrNull(range['end-datetime'])),
    policies: read,
    policies_left_out: policies.length - read.length,
  };
}

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

/** Some write a single value without the list around it. */
const listOf = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];

function policyOf(value: unknown): TlsPolicy {
  const fields = fieldsOf(value);
  const [policy, summary] = [fieldsOf(fields['policy']), fieldsOf(fields['summary'])];
  const failures = listOf(fields['failure-details']);
  return {
    type: textOrNull(policy['policy-type']),
    domain: textOrNull(policy['policy-domain']),
    mx_hosts: listOf(policy['mx-host'] ?? policy['mx-host-pattern'])
      .slice(0, MAX_HOSTS)
      .flatMap((host) => textOrNull(host) ?? []),
    successful_sessions: countOf(summary['total-successful-session-count']),
    failed_sessions: countOf(summary['total-failure-session-count']),
    failures: failures.slice(0, MAX_FAILURES).map(failureOf),
    failures_left_out: Math.max(0, failures.length - MAX_FAILURES),
  };
}

function failureOf(value: unknown): TlsPolicy['failures'][number] {
  const fields = fieldsOf(value);
  return {
    result_type: textOrNull(fields['result-type']),
    sending_ip: textOrNull(fields['sending-mta-ip']),
    receiving_host: textOrNull(fields['receiving-mx-hostname']),
    receiving_ip: textOrNull(fields['receiving-ip']),
    failed_sessions: countOf(fields['failed-session-count']),
    reason:
      textOrNull(fields['failure-reason-code']) ?? textOrNull(fields['additional-information']),
  };
}

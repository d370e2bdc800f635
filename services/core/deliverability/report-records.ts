/** The TXT records that ask other servers for reports: TLS-RPT (RFC 8460) and DMARC (RFC 7489). */
import type { CheckResult } from './check-result.ts';

/** RFC 8460 §3: with two records, senders behave as if there were none. */
export function tlsReportCheck(texts: readonly string[]): CheckResult {
  const records = texts.filter((text) => /^v=TLSRPTv1\s*(;|$)/.test(text));
  const [record] = records;
  if (record === undefined)
    return {
      status: 'missing',
      message: 'Without this record, nobody reports failed TLS connections to the MX hosts',
    };
  if (records.length > 1)
    return { status: 'wrong', message: 'There are several records, so senders ignore all of them' };
  return /;\s*rua\s*=\s*(mailto|https):/i.test(record)
    ? { status: 'ok', message: 'Senders report failed TLS connections' }
    : { status: 'wrong', message: 'The record has no rua=mailto: or rua=https: to report to' };
}

/** RFC 7489 §6.3, §6.6.3: the record of the domain, or else of a domain above it. */
export function dmarcCheck(texts: readonly string[], name: string, domain: string): CheckResult {
  const records = texts.filter((text) => /^v=DMARC1\s*(;|$)/.test(text));
  const [record] = records;
  if (record === undefined)
    return {
      status: 'missing',
      message: 'Without this record, anybody may send email in the name of the domain',
    };
  if (records.length > 1)
    return {
      status: 'wrong',
      message: 'There are several records, so receivers ignore all of them',
    };
  if (!/;\s*p\s*=\s*(none|quarantine|reject)\s*(;|$)/i.test(record))
    return { status: 'wrong', message: 'The record has no p=none, p=quarantine or p=reject' };
  const where = name === `_dmarc.${domain}` ? '' : ` The record of ${name} applies.`;
  return /;\s*rua\s*=/i.test(record)
    ? { status: 'ok', message: `Receivers know the policy and send reports.${where}` }
    : {
        status: 'ok',
        message: `Receivers know the policy. Without rua= they report nothing.${where}`,
      };
}

/** Reports that receivers of email send to the owners of domains: DMARC, TLS-RPT and ARF. */
import { z } from 'zod';

import { describeSchema } from '../../resource/api-reference.ts';
import { Timestamp } from '../../time/timestamp.ts';

const text = z.string().nullable();

const DmarcResult = z.object({
  domain: text,
  selector: text.describe('of the key; null for SPF'),
  scope: text.describe('`mfrom` or `helo`; null for DKIM'),
  result: text.describe('pass, fail, none, neutral …'),
});

const DmarcRow = z.object({
  source_ip: text.describe('server that sent the emails'),
  count: z.int().describe('number of emails'),
  disposition: text.describe('what the receiver did: none, pass, quarantine or reject'),
  dkim: text.describe('pass or fail for DMARC, where the domains must match'),
  spf: text.describe('pass or fail for DMARC, where the domains must match'),
  reasons: z
    .array(z.object({ type: text, comment: text }))
    .describe('why the receiver did not do what the policy says'),
  header_from: text.describe('domain of the From header'),
  envelope_from: text,
  envelope_to: text,
  dkim_results: z.array(DmarcResult).describe('of each signature'),
  spf_results: z.array(DmarcResult),
});
const DmarcPolicy = z.object({
  p: text.describe('policy of the domain'),
  sp: text.describe('of its subdomains'),
  np: text.describe('of subdomains that do not exist'),
  adkim: text.describe('r or s: whether the domain of DKIM may be a subdomain'),
  aspf: text.describe('r or s: whether the domain of SPF may be a subdomain'),
  pct: text.describe('share of the emails that the policy applies to (RFC 7489)'),
  testing: text.describe('y while the policy is only tested (RFC 9990)'),
  fo: text.describe('which failures the domain wants reports about'),
});

const TlsFailure = z.object({
  result_type: text.describe('such as certificate-expired or starttls-not-supported'),
  sending_ip: text,
  receiving_host: text,
  receiving_ip: text,
  failed_sessions: z.int(),
  reason: text.describe('code or words of the sending server'),
});

const TlsPolicy = z.object({
  type: text.describe('sts, tlsa or no-policy-found'),
  domain: text,
  mx_hosts: z.array(z.string()),
  successful_sessions: z.int(),
  failed_sessions: z.int(),
  failures: z.array(TlsFailure),
  failures_left_out: z.int().describe('failures beyond the first 50, which are left out'),
});

const Feedback = z.object({
  type: z.string().describe('abuse, fraud, virus, not-spam, auth-failure or other'),
  user_agent: text,
  source_ip: text.describe('server that sent the email'),
  incidents: z.int().describe('number of such emails that the report stands for'),
  auth_failure: text.describe('adsp, bodyhash, revoked, signature, spf or dmarc (RFC 6591)'),
  original_mail_from: text.describe('envelope sender of the email'),
  original_recipients: z.array(z.string()).describe('often none: many reporters leave them out'),
  original_message_id: text,
});

export const Report = z.object({
  kind: z
    .enum(['dmarc', 'tls-rpt', 'arf'])
    .describe(
      'who sends in the name of the domain (DMARC), whether servers reach it with TLS (TLS-RPT), ' +
        'or a report about one email, such as a complaint (ARF)',
    ),
  organization: text.describe('who sends the report'),
  report_id: text.describe('of the organization; null for arf'),
  domain: text.describe('that the report is about'),
  from: Timestamp.nullable().describe(
    'beginning of the time that the report covers; for arf, when the email arrived',
  ),
  to: Timestamp.nullable().describe('end of that time'),
  policy: DmarcPolicy.optional().describe(
    'of dmarc: the policy that the organization found in the DNS; null for what is not there',
  ),
  rows: z.array(DmarcRow).optional().describe('of dmarc'),
  rows_left_out: z.int().optional().describe('of dmarc: rows beyond the first 500'),
  policies: z.array(TlsPolicy).optional().describe('of tls-rpt'),
  policies_left_out: z.int().optional().describe('of tls-rpt: policies beyond the first 20'),
  feedback: Feedback.optional().describe('of arf: what it says about the email'),
});
export type Report = z.infer<typeof Report>;

describeSchema(Report, 'ExtractedReport', {
  kind: 'dmarc',
  organization: 'Example Mail',
  report_id: '2026112000.4711',
  domain: 'example.com',
  from: '2026-11-19T00:00:00Z',
  to: '2026-11-19T23:59:59Z',
  policy: {
    p: 'quarantine',
    sp: 'none',
    np: null,
    adkim: 'r',
    aspf: 'r',
    pct: '100',
    testing: null,
    fo: null,
  },
  rows: [
    {
      source_ip: '192.0.2.25',
      count: 12,
      disposition: 'none',
      dkim: 'pass',
      spf: 'fail',
      reasons: [],
      header_from: 'example.com',
      envelope_from: 'bounces.example.com',
      envelope_to: null,
      dkim_results: [{ domain: 'example.com', selector: 's1', scope: null, result: 'pass' }],
      spf_results: [
        { domain: 'bounces.example.com', selector: null, scope: 'mfrom', result: 'fail' },
      ],
    },
  ],
  rows_left_out: 0,
});

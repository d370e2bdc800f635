/** K.5: what is recorded of DMARC and TLS reports, and what they say about a domain together. */
import { expect, test } from 'vitest';

import {
  domainReports,
  REPORTS_READ_MAX,
} from '../../../services/core/deliverability/domain-reports.ts';
import {
  type ReportSummary,
  summaryOf,
} from '../../../services/core/deliverability/report-summary.ts';
import type { Report } from '../../../services/core/extract/report/report.ts';

const RECEIVED = new Date('2026-11-20T08:00:00Z');
const head = {
  organization: 'Example Mail',
  report_id: '1',
  domain: 'Shop.Example.',
  from: '2026-11-19T00:00:00Z',
  to: '2026-11-19T23:59:59Z',
};
type Row = NonNullable<Report['rows']>[number];
const row = (fields: Partial<Row>): Row => ({
  source_ip: '192.0.2.1',
  count: 1,
  disposition: 'none',
  dkim: 'fail',
  spf: 'fail',
  reasons: [],
  header_from: null,
  envelope_from: null,
  envelope_to: null,
  dkim_results: [],
  spf_results: [],
  ...fields,
});
type Policy = NonNullable<Report['policies']>[number];
const policy = (fields: Partial<Policy>): Policy => ({
  type: 'sts',
  domain: 'shop.example',
  mx_hosts: [],
  successful_sessions: 0,
  failed_sessions: 0,
  failures: [],
  failures_left_out: 0,
  ...fields,
});
const failure = (result_type: string | null, failed_sessions: number) => ({
  result_type,
  sending_ip: null,
  receiving_host: null,
  receiving_ip: null,
  failed_sessions,
  reason: null,
});

test('K.5: an email passes DMARC by DKIM or by SPF; rows of one server count together', () => {
  const rows = [
    row({ count: 5, dkim: 'pass' }),
    row({ count: 2, spf: 'pass' }),
    row({ count: 4 }),
    row({ source_ip: '203.0.113.9', count: 40 }),
  ];
  expect(summaryOf({ ...head, kind: 'dmarc', rows }, RECEIVED)).toEqual({
    kind: 'dmarc',
    domain: 'shop.example',
    organization: 'Example Mail',
    report_id: '1',
    day: '2026-11-19',
    passed: 7,
    failed: 44,
    parts: [
      { name: '203.0.113.9', passed: 0, failed: 40 },
      { name: '192.0.2.1', passed: 7, failed: 4 },
    ],
  });
});

test('K.5: TLS sessions that fail for no named reason count, too', () => {
  const policies = [
    policy({
      successful_sessions: 90,
      failed_sessions: 10,
      failures: [failure('certificate-expired', 7), failure(null, 1)],
    }),
    policy({ successful_sessions: 5 }),
  ];
  expect(summaryOf({ ...head, kind: 'tls-rpt', from: null, policies }, RECEIVED)).toMatchObject({
    day: '2026-11-20',
    passed: 95,
    failed: 10,
    parts: [
      { name: 'certificate-expired', passed: 0, failed: 7 },
      { name: '', passed: 0, failed: 3 },
    ],
  });
});

test.each<Report>([
  { ...head, kind: 'arf' },
  { ...head, kind: 'dmarc', domain: null },
])('K.5: a report about one email, or about no domain, has none: %j', (report) => {
  expect(summaryOf(report, RECEIVED)).toBeUndefined();
});

test('K.5: a summary is small, whatever the report says', () => {
  const rows = Array.from({ length: 500 }, (_, i) =>
    row({ source_ip: `${'x'.repeat(1_000)}${i}`, count: Number.MAX_SAFE_INTEGER }),
  );
  const summary = summaryOf(
    { ...head, kind: 'dmarc', organization: '\u{1f4e7}'.repeat(10_000), rows },
    RECEIVED,
  );
  expect(JSON.stringify(summary).length).toBeLessThan(4_000);
  expect(summary?.failed).toBe(1e12);
});

const summary = (fields: Partial<ReportSummary> = {}): ReportSummary => ({
  kind: 'dmarc',
  domain: 'shop.example',
  organization: 'Example Mail',
  report_id: null,
  day: '2026-11-19',
  passed: 10,
  failed: 1,
  parts: [{ name: '192.0.2.1', passed: 10, failed: 1 }],
  ...fields,
});
const trusted = (report: ReportSummary) => ({ report, isAuthenticated: true });

test('K.5: reports of several days and kinds together', () => {
  const tls = { kind: 'tls-rpt', day: '2026-11-18', passed: 5, failed: 2 } as const;
  const parts = [{ name: 'certificate-expired', passed: 0, failed: 2 }];
  expect(
    domainReports([
      trusted(summary()),
      trusted(summary({ organization: null })),
      trusted(summary({ ...tls, parts })),
    ]),
  ).toEqual({
    days: [
      {
        day: '2026-11-18',
        dmarc: { passed: 0, failed: 0 },
        tls: { passed: 5, failed: 2 },
      },
      {
        day: '2026-11-19',
        dmarc: { passed: 20, failed: 2 },
        tls: { passed: 0, failed: 0 },
      },
    ],
    sources: [{ source_ip: '192.0.2.1', passed: 20, failed: 2 }],
    tls_failures: [{ result_type: 'certificate-expired', failed: 2 }],
    organizations: [
      { organization: 'Example Mail', reports: 2 },
      { organization: '', reports: 1 },
    ],
    reports: 3,
    unauthenticated: 0,
    is_complete: true,
  });
});

test('K.5: a report that arrives twice counts once, a forged one not at all', () => {
  const forged = { report: summary({ failed: 1_000 }), isAuthenticated: false };
  const repeated = trusted(summary({ report_id: '7' }));
  expect(domainReports([forged, repeated, repeated])).toMatchObject({
    days: [{ dmarc: { passed: 10, failed: 1 } }],
    reports: 1,
    unauthenticated: 1,
  });
});

test('K.5: it is said when not all reports were read', () => {
  const many = Array.from({ length: REPORTS_READ_MAX }, () => trusted(summary()));
  expect(domainReports(many).is_complete).toBe(false);
});

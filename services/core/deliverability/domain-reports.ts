/** What the DMARC and TLS reports about a domain say together: GET /v1/domains/{id}/reports. */
import { z } from 'zod';

import { describeSchema } from '../api-reference.ts';
import { largest, type ReportPart, type ReportSummary, sumOf } from './report-summary.ts';

const Counts = z.object({ passed: z.int(), failed: z.int() });

export const DomainReports = z.object({
  days: z
    .array(
      z.object({
        day: z.string().describe('UTC day on which the time of the reports begins'),
        dmarc: Counts.describe('emails in the name of the domain that passed or failed DMARC'),
        tls: Counts.describe('TLS sessions with its MX hosts that succeeded or failed'),
      }),
    )
    .describe('days with reports, oldest first'),
  sources: z
    .array(z.object({ source_ip: z.string(), ...Counts.shape }))
    .describe('servers that sent in the name of the domain: the 50 with the most emails'),
  tls_failures: z
    .array(z.object({ result_type: z.string(), failed: z.int() }))
    .describe('why TLS sessions failed; empty text for an unknown reason'),
  organizations: z
    .array(z.object({ organization: z.string(), reports: z.int() }))
    .describe('who sent the reports: the 50 with the most'),
  reports: z.int().describe('reports that these numbers are made of'),
  unauthenticated: z
    .int()
    .describe('reports that are left out because their email did not pass DMARC'),
  is_complete: z.boolean().describe('false when there are more reports than the newest 2,000'),
});
export type DomainReports = z.infer<typeof DomainReports>;
describeSchema(DomainReports, 'DomainReports', {
  days: [
    {
      day: '2026-11-19',
      dmarc: { passed: 120, failed: 3 },
      tls: { passed: 88, failed: 1 },
    },
  ],
  sources: [
    { source_ip: '192.0.2.25', passed: 120, failed: 0 },
    { source_ip: '203.0.113.9', passed: 0, failed: 3 },
  ],
  tls_failures: [{ result_type: 'certificate-expired', failed: 1 }],
  organizations: [{ organization: 'Example Mail', reports: 2 }],
  reports: 2,
  unauthenticated: 0,
  is_complete: true,
});

export type RecordedReport = { report: ReportSummary; isAuthenticated: boolean };

const SHOWN_MAX = 50;
/** Records that are read at most. */
export const REPORTS_READ_MAX = 2_000;

export function domainReports(recorded: readonly RecordedReport[]): DomainReports {
  const trusted = recorded.filter(({ isAuthenticated }) => isAuthenticated);
  const reports = withoutRepeats(trusted.map(({ report }) => report));
  const partsOf = (kind: ReportSummary['kind']): ReportPart[] =>
    reports.filter((report) => report.kind === kind).flatMap(({ parts }) => parts);
  const days = [...Map.groupBy(reports, ({ day }) => day)].toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  );
  return {
    days: days.map(([day, ofDay]) => ({
      day,
      dmarc: countsOf(ofDay, 'dmarc'),
      tls: countsOf(ofDay, 'tls-rpt'),
    })),
    sources: largest(partsOf('dmarc'), SHOWN_MAX).map(({ name, ...counts }) => ({
      source_ip: name,
      ...counts,
    })),
    tls_failures: largest(partsOf('tls-rpt'), SHOWN_MAX).map(({ name, failed }) => ({
      result_type: name,
      failed,
    })),
    organizations: [...Map.groupBy(reports, ({ organization }) => organization ?? '')]
      .map(([organization, of]) => ({ organization, reports: of.length }))
      .toSorted((one, other) => other.reports - one.reports)
      .slice(0, SHOWN_MAX),
    reports: reports.length,
    unauthenticated: recorded.length - trusted.length,
    is_complete: recorded.length < REPORTS_READ_MAX,
  };
}

/** One report can arrive at several addresses, and again when its sender repeats it. */
function withoutRepeats(reports: readonly ReportSummary[]): ReportSummary[] {
  const known = new Set<string>();
  return reports.filter(({ kind, organization, report_id }) => {
    if (report_id === null) return true;
    const key = JSON.stringify([kind, organization, report_id]);
    if (known.has(key)) return false;
    known.add(key);
    return true;
  });
}

function countsOf(reports: readonly ReportSummary[], kind: ReportSummary['kind']) {
  const ofKind = reports.filter((report) => report.kind === kind);
  return {
    passed: sumOf(ofKind.map(({ passed }) => passed)),
    failed: sumOf(ofKind.map(({ failed }) => failed)),
  };
}

/**
 * A DMARC or TLS report in the record of its email: the counts that the page of a domain needs. The
 * payload has the whole report.
 */
import { z } from 'zod';

import type { Report } from '../extract/report/report.ts';

const SUMMARIZED = ['dmarc', 'tls-rpt'] as const;

export const ReportSummary = z.object({
  kind: z.enum(SUMMARIZED),
  /** That the report is about, in lower case. */
  domain: z.string(),
  organization: z.string().nullable(),
  report_id: z.string().nullable(),
  /** UTC day on which the time of the report begins. */
  day: z.string(),
  /** Emails that passed DMARC, or TLS sessions that succeeded. */
  passed: z.int(),
  failed: z.int(),
  /** By source address for dmarc, by type of failure for tls-rpt; the largest ones. */
  parts: z.array(z.object({ name: z.string(), passed: z.int(), failed: z.int() })),
});
export type ReportSummary = z.infer<typeof ReportSummary>;
export type ReportPart = ReportSummary['parts'][number];

/** The summary is in a header of the queued email, which has 64 KiB in all. */
const PARTS_MAX = 20;
const NAME_MAX_CHARS = 100;
const COUNT_MAX = 1e12;
const DAY_CHARS = 10;

/** undefined for reports about a single email, and for those that name no domain. */
export function summaryOf(report: Report, receivedAt: Date): ReportSummary | undefined {
  const { kind, domain, organization, report_id, from } = report;
  if (kind === 'arf' || domain === null) return undefined;
  const parts = kind === 'dmarc' ? sourcesOf(report) : sessionsOf(report);
  return {
    kind,
    domain: short(domain.toLowerCase().replace(/\.$/, '')),
    organization: organization && short(organization),
    report_id: report_id && short(report_id),
    day: (from ?? receivedAt.toISOString()).slice(0, DAY_CHARS),
    passed: sumOf(parts.map(({ passed }) => passed)),
    failed: sumOf(parts.map(({ failed }) => failed)),
    parts: largest(
      parts.filter(({ name }) => name !== SUCCESS),
      PARTS_MAX,
    ),
  };
}

/** RFC 7489 §4.2: an email passes if DKIM or SPF passes for the domain of its author. */
const sourcesOf = ({ rows = [] }: Report): ReportPart[] =>
  rows.map(({ source_ip, count, dkim, spf }) => {
    const isPassed = dkim === 'pass' || spf === 'pass';
    return {
      name: short(source_ip ?? ''),
      passed: isPassed ? count : 0,
      failed: isPassed ? 0 : count,
    };
  });

const SUCCESS = 'successful';

/** A session can fail in several ways, so the sum is that of the policies. */
const sessionsOf = ({ policies = [] }: Report): ReportPart[] =>
  policies.flatMap(({ successful_sessions, failed_sessions, failures }) => {
    const named = failures.map(({ result_type, failed_sessions: failed }) => ({
      name: short(result_type ?? ''),
      passed: 0,
      failed,
    }));
    const rest = failed_sessions - sumOf(named.map(({ failed }) => failed));
    return [
      { name: SUCCESS, passed: successful_sessions, failed: 0 },
      ...named,
      ...(rest > 0 ? [{ name: '', passed: 0, failed: rest }] : []),
    ];
  });

/** Parts of one name together, the largest first. */
export function largest(parts: readonly ReportPart[], count: number): ReportPart[] {
  const byName = Map.groupBy(parts, ({ name }) => name);
  return [...byName]
    .map(([name, same]) => ({
      name,
      passed: sumOf(same.map(({ passed }) => passed)),
      failed: sumOf(same.map(({ failed }) => failed)),
    }))
    .toSorted(
      (one, other) =>
        other.failed + other.passed - one.failed - one.passed || (one.name < other.name ? -1 : 1),
    )
    .slice(0, count);
}

/** Senders write these numbers: no sum of them leaves the exact integers. */
export const sumOf = (counts: readonly number[]): number =>
  Math.min(
    COUNT_MAX,
    counts.reduce((sum, count) => sum + count, 0),
  );

const short = (text: string): string => text.slice(0, NAME_MAX_CHARS).toWellFormed();

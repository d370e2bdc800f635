/** What DMARC and TLS reports of the last days say about a domain. */
import { call } from '../../client/api.ts';
import { useResource } from '../../client/resource.ts';
import type { DomainReports as Reports } from '../../../core/api/api-types.generated.ts';
import { formatCount } from '../../parts/format.ts';
import { plain } from '../../parts/plain-text.ts';
import { BarPlot } from '../../parts/plots/bar-plot.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/lists/table.tsx';
import { reportText as text } from '../../strings/reports.ts';

type Source = Reports['sources'][number];
type Failure = Reports['tls_failures'][number];

/** Other organizations wrote these texts. */
const SOURCES: readonly Column<Source>[] = [
  { title: text.source, cell: ({ source_ip }) => <code>{plain(source_ip)}</code> },
  { title: text.passed, isNumber: true, cell: ({ passed }) => formatCount(passed) },
  { title: text.failed, isNumber: true, cell: ({ failed }) => formatCount(failed) },
];
const FAILURES: readonly Column<Failure>[] = [
  { title: text.reason, cell: ({ result_type }) => plain(result_type) || text.unknown },
  { title: text.failed, isNumber: true, cell: ({ failed }) => formatCount(failed) },
];

export function DomainReports({ id }: { id: string }) {
  const resource = useResource(`reports ${id}`, (signal) =>
    call('GET /domains/{domain_id}/reports', { params: { domain_id: id }, signal }),
  );
  return (
    <>
      <h2 class="section-title">{text.title}</h2>
      <Loaded resource={resource} rows={2}>
        {(reports) =>
          reports.reports === 0 ? (
            <EmptyState title={text.emptyTitle} text={emptyText(reports)} />
          ) : (
            <Summary reports={reports} />
          )
        }
      </Loaded>
    </>
  );
}

const emptyText = ({ unauthenticated }: Reports): string =>
  unauthenticated > 0 ? text.leftOut(unauthenticated) : text.emptyText;

const Summary = ({ reports }: { reports: Reports }) => (
  <>
    <Days label={text.dmarc} reports={reports} of="dmarc" />
    <Days label={text.tls} reports={reports} of="tls" />
    <p class="soft">
      {text.made(reports.reports, reports.organizations.length)}
      {reports.unauthenticated > 0 && ` ${text.leftOut(reports.unauthenticated)}`}
      {!reports.is_complete && ` ${text.incomplete}`}
    </p>
    {reports.sources.length > 0 && (
      <Table
        label={text.sources}
        columns={SOURCES}
        rows={reports.sources}
        keyOf={({ source_ip }) => source_ip}
      />
    )}
    {reports.tls_failures.length > 0 && (
      <Table
        label={text.failures}
        columns={FAILURES}
        rows={reports.tls_failures}
        keyOf={({ result_type }) => result_type}
      />
    )}
  </>
);

type DaysProps = { label: string; reports: Reports; of: 'dmarc' | 'tls' };

const Days = ({ label, reports: { days }, of }: DaysProps) =>
  days.some((day) => day[of].passed + day[of].failed > 0) ? (
    <BarPlot
      label={label}
      series={[
        { name: text.passed, tone: 'good' },
        { name: text.failed, tone: 'bad' },
      ]}
      bars={days.map((day) => ({ label: day.day, values: [day[of].passed, day[of].failed] }))}
    />
  ) : null;

/** The numbers of a period, and their course as a plot. */
import { BarPlot } from './bar-plot.tsx';
import {
  formatClock,
  formatCount,
  formatDay,
  formatDuration,
  formatPercent,
} from '../../parts/format.ts';
import { Link } from '../../parts/link.tsx';
import { mailText } from '../../strings/mail/mail.ts';
import { overviewText } from '../../strings/overview.ts';
import type {
  GetUsageSeriesResponse,
  UsageInterval,
} from '../../../core/api/api-types.generated.ts';
import { COUNTED, type Counts, type Period } from './load-overview.ts';

type Props = {
  period: Period;
  usage: GetUsageSeriesResponse;
  counts: Counts | undefined;
  refused: number | undefined;
};

export function Numbers({ period, usage: { data, total }, counts, refused = 0 }: Props) {
  const hasOutcomes = total.delivered + total.failed > 0;
  const all = counts?.numbers[''] ?? total.received;
  const shown = COUNTED.filter((status) => status !== 'dropped' || countOf('dropped') > 0);
  const times: [string, string][] = [
    [
      overviewText.successRate,
      hasOutcomes ? formatPercent(total.success_rate / 100) : overviewText.unknown,
    ],
    [overviewText.median, durationOf(total.p50_ms)],
    [overviewText.p95, durationOf(total.p95_ms)],
  ];
  function countOf(status: keyof Counts['numbers']): number {
    return counts?.numbers[status] ?? total[status === '' ? 'received' : status];
  }
  return (
    <>
      <dl class="numbers">
        {shown.map((status) => (
          <div key={status}>
            <dt>{status === '' ? overviewText.deliveries : mailText.states[status]}</dt>
            <dd>
              {counts ? (
                <Link to={listOf(status, counts.from)}>{formatCount(countOf(status))}</Link>
              ) : (
                formatCount(countOf(status))
              )}
              {status === '' && all > total.received && (
                <span class="hint">{overviewText.ofEmails(formatCount(total.received))}</span>
              )}
            </dd>
          </div>
        ))}
        {counts && refused > 0 && (
          <div>
            <dt>{overviewText.refused}</dt>
            <dd>
              <Link to={`/mail/refused?from=${counts.from}`}>{formatCount(refused)}</Link>
            </dd>
          </div>
        )}
        {times.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <section class="card">
        <BarPlot
          label={overviewText.plot[period]}
          series={[
            { name: mailText.states.delivered, tone: 'good' },
            { name: mailText.states.waiting, tone: 'wait' },
            { name: mailText.states.held, tone: 'held' },
            { name: mailText.states.dropped, tone: 'plain' },
            { name: mailText.states.failed, tone: 'bad' },
          ]}
          bars={data.map((point) => ({
            label: labelOf(point, period),
            values: [point.delivered, point.waiting, point.held, point.dropped, point.failed],
          }))}
        />
      </section>
    </>
  );
}

const listOf = (status: string, from: string): string =>
  `/mail?${status === '' ? '' : `status=${status}&`}from=${from}`;

const durationOf = (ms: number | null): string =>
  ms === null ? overviewText.unknown : formatDuration(ms);

const labelOf = ({ start }: UsageInterval, period: Period): string =>
  period === 'day' ? formatClock(new Date(start)) : formatDay(new Date(start));

/** The numbers of a period, and their course as a plot. */
import { BarPlot } from '../../parts/plots/bar-plot.tsx';
import {
  formatClock,
  formatCount,
  formatDay,
  formatDuration,
  formatPercent,
} from '../../parts/format.ts';
import { may } from '../../session/session.ts';
import { Link } from '../../parts/link.tsx';
import { overviewText } from '../../strings/overview.ts';
import type {
  GetUsageSeriesResponse,
  UsageInterval,
} from '../../../core/api/api-types.generated.ts';
import type { Period } from './load-overview.ts';

type Props = { period: Period; usage: GetUsageSeriesResponse };

export function Numbers({ period, usage: { data, total } }: Props) {
  const hasOutcomes = total.delivered + total.failed > 0;
  const from = may('deliveries:read') ? fromOf(data[0]?.start, period) : undefined;
  const listOf = (status: string) =>
    from && `/mail?${status === '' ? '' : `status=${status}&`}from=${from}`;
  const numbers: [string, string, (string | undefined)?][] = [
    [overviewText.received, formatCount(total.received), listOf('')],
    [overviewText.delivered, formatCount(total.delivered), listOf('delivered')],
    [overviewText.waiting, formatCount(total.waiting), listOf('waiting')],
    [overviewText.failed, formatCount(total.failed), listOf('failed')],
    [
      overviewText.successRate,
      hasOutcomes ? formatPercent(total.success_rate / 100) : overviewText.unknown,
    ],
    [overviewText.median, durationOf(total.p50_ms)],
    [overviewText.p95, durationOf(total.p95_ms)],
  ];
  return (
    <>
      <dl class="numbers">
        {numbers.map(([name, value, to]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{to === undefined ? value : <Link to={to}>{value}</Link>}</dd>
          </div>
        ))}
      </dl>
      <section class="card">
        <BarPlot
          label={overviewText.plot[period]}
          series={[
            { name: overviewText.delivered, tone: 'good' },
            { name: overviewText.plotWaiting, tone: 'wait' },
            { name: overviewText.failed, tone: 'bad' },
          ]}
          bars={data.map((point) => ({
            label: labelOf(point, period),
            values: [point.delivered, point.waiting, point.failed],
          }))}
        />
      </section>
    </>
  );
}

const two = (part: number) => String(part).padStart(2, '0');

/** In the viewer's zone, as the dates of the mail list are: the hour for a day, the day for a month. */
function fromOf(start: string | undefined, period: Period): string | undefined {
  if (start === undefined) return undefined;
  const date = new Date(start);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return period === 'month' ? day : `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

const durationOf = (ms: number | null): string =>
  ms === null ? overviewText.unknown : formatDuration(ms);

const labelOf = ({ start }: UsageInterval, period: Period): string =>
  period === 'day' ? formatClock(new Date(start)) : formatDay(new Date(start));

/** The numbers of a period, and their course as a plot. */
import { BarPlot } from '../../parts/plots/bar-plot.tsx';
import {
  formatClock,
  formatCount,
  formatDay,
  formatDuration,
  formatPercent,
} from '../../parts/format.ts';
import { overviewText } from '../../strings/overview.ts';
import type {
  GetUsageSeriesResponse,
  UsageInterval,
} from '../../../core/api/api-types.generated.ts';
import type { Period } from './load-overview.ts';

type Props = { period: Period; usage: GetUsageSeriesResponse };

export function Numbers({ period, usage: { data, total } }: Props) {
  const hasOutcomes = total.delivered + total.failed > 0;
  const numbers: [string, string][] = [
    [overviewText.received, formatCount(total.received)],
    [overviewText.delivered, formatCount(total.delivered)],
    [overviewText.waiting, formatCount(total.waiting)],
    [overviewText.failed, formatCount(total.failed)],
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
        {numbers.map(([name, value]) => (
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

const durationOf = (ms: number | null): string =>
  ms === null ? overviewText.unknown : formatDuration(ms);

const labelOf = ({ start }: UsageInterval, period: Period): string =>
  period === 'day' ? formatClock(new Date(start)) : formatDay(new Date(start));

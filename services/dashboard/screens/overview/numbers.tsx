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
import type { UsageInterval } from '../../app/api-types.golden.ts';
import type { Period } from './load-overview.ts';

type Props = { period: Period; series: readonly UsageInterval[]; waiting: number | undefined };

export function Numbers({ period, series, waiting }: Props) {
  const total = (field: 'received' | 'delivered' | 'failed') =>
    series.reduce((sum, point) => sum + point[field], 0);
  const [delivered, failed] = [total('delivered'), total('failed')];
  const ended = delivered + failed;
  const numbers: [string, string][] = [
    [overviewText.received, formatCount(total('received'))],
    [overviewText.delivered, formatCount(delivered)],
    [overviewText.failed, formatCount(failed)],
    [overviewText.waiting, waiting === undefined ? overviewText.unknown : formatCount(waiting)],
    [
      overviewText.successRate,
      ended === 0 ? overviewText.unknown : formatPercent(delivered / ended),
    ],
    [overviewText.median, durationOf(series, 'p50_ms')],
    [overviewText.p95, durationOf(series, 'p95_ms')],
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
            { name: overviewText.failed, tone: 'bad' },
          ]}
          bars={series.map((point) => ({
            label: labelOf(point, period),
            values: [point.delivered, point.failed],
          }))}
        />
      </section>
    </>
  );
}

/** The latest interval that has one: percentiles of several intervals cannot be added. */
function durationOf(series: readonly UsageInterval[], field: 'p50_ms' | 'p95_ms'): string {
  const value = series.findLast((point) => point[field] !== null)?.[field];
  return value === undefined || value === null ? overviewText.unknown : formatDuration(value);
}

const labelOf = ({ start }: UsageInterval, period: Period): string =>
  period === 'day' ? formatClock(new Date(start)) : formatDay(new Date(start));

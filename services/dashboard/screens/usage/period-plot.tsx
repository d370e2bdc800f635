/** The emails of the period, summed up by day, against what the plan includes. */
import { call } from '../../app/api.ts';
import type { Usage } from '../../app/api-types.golden.ts';
import { useResource } from '../../app/resource.ts';
import { formatCount, formatDay } from '../../parts/format.ts';
import { Loaded } from '../../parts/states.tsx';
import { usageText } from '../../strings/usage.ts';

const WIDTH = 720;
const HEIGHT = 160;
const DAY_MS = 86_400_000;
/** The longest period is a month. */
const DAYS_ASKED = 31;

type Props = { period: Usage['period']; included: number | undefined };

export function PeriodPlot({ period, included }: Props) {
  const resource = useResource('daily usage', (signal) =>
    call('GET /usage/daily', { query: { days: DAYS_ASKED }, signal }),
  );
  return (
    <section class="card" aria-labelledby="period-plot">
      <h2 id="period-plot">{usageText.plotTitle}</h2>
      <Loaded resource={resource} rows={3}>
        {({ data }) => {
          const start = new Date(period.start);
          const days = data.filter((day) => new Date(day.start) >= new Date(start.toDateString()));
          return (
            <Plot
              sums={runningSums(days.map(({ received }) => received))}
              start={start}
              end={new Date(period.end)}
              included={included}
            />
          );
        }}
      </Loaded>
    </section>
  );
}

const runningSums = (counts: readonly number[]): number[] => {
  let sum = 0;
  return counts.map((count) => (sum += count));
};

type PlotProps = { sums: readonly number[]; start: Date; end: Date; included: number | undefined };

function Plot({ sums, start, end, included }: PlotProps) {
  const used = sums.at(-1) ?? 0;
  const most = Math.max(1, used, included ?? 0) * 1.08;
  const days = Math.max(1, Math.round((end.getTime() - start.getTime()) / DAY_MS));
  const x = (day: number) => (day / days) * WIDTH;
  const y = (count: number) => HEIGHT - (count / most) * HEIGHT;
  const line = [`0,${y(0)}`, ...sums.map((sum, day) => `${x(day + 1)},${y(sum)}`)].join(' ');
  return (
    <figure class="line-plot">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={usageText.plot(formatCount(used), formatCount(included ?? 0))}
      >
        <polygon class="line-plot-area" points={`${line} ${x(sums.length)},${y(0)}`} />
        <polyline class="line-plot-line" points={line} />
        {included !== undefined && (
          <line class="line-plot-limit" x1={0} x2={WIDTH} y1={y(included)} y2={y(included)} />
        )}
      </svg>
      <figcaption>
        <span>{formatDay(start)}</span>
        {included !== undefined && (
          <span class="line-plot-limit-label">
            {usageText.planLine}: {formatCount(included)}
          </span>
        )}
        <span>{formatDay(end)}</span>
      </figcaption>
    </figure>
  );
}

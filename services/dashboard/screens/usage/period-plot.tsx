/** The emails of the period, summed up by day, against what the plan includes. */
import { call } from '../../client/api.ts';
import type { Usage, UsageInterval } from '../../../core/api/api-types.generated.ts';
import { useResource } from '../../client/resource.ts';
import { formatCount, formatDay } from '../../parts/format.ts';
import { PlotScale } from '../overview/bar-plot.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { usageText } from '../../strings/usage.ts';

const WIDTH = 720;
const HEIGHT = 160;
/** The line of the plan is drawn from this part of it. */
const SHOWN_PART = 0.05;
const HALF_DAY_MS = 43_200_000;
/** The longest period is a month, whose ends are within days. */
const DAYS_ASKED = 32;

type Props = { usage: Usage; included: number | undefined };

export function PeriodPlot({ usage, included }: Props) {
  const resource = useResource('daily usage', (signal) =>
    call('GET /usage/daily', { query: { days: DAYS_ASKED }, signal }),
  );
  return (
    <section class="card" aria-labelledby="period-plot">
      <h2 id="period-plot">
        {included === undefined ? usageText.plotTitle : usageText.plotTitleOfPlan}
      </h2>
      <Loaded resource={resource} rows={3}>
        {({ data }) => <Plot days={daysOf(usage, data)} usage={usage} included={included} />}
      </Loaded>
    </section>
  );
}

/** `sum`: emails of the period until its end. */
type Day = { start: string; endMs: number; sum: number };

/**
 * The days of the period, in the account's time zone. The period can begin within the first one, so
 * the sums are counted back from the period's total.
 */
function daysOf({ period, emails, updated_at }: Usage, series: readonly UsageInterval[]): Day[] {
  const startMs = Date.parse(period.start);
  const days: Day[] = [];
  let [sum, endMs] = [emails.total, Date.parse(updated_at)];
  for (const { start, received } of series.toReversed()) {
    if (endMs <= startMs) break;
    days.unshift({ start, endMs, sum });
    sum = Math.max(0, sum - received);
    endMs = Date.parse(start);
  }
  return days;
}

type PlotProps = Props & { days: readonly Day[] };

function Plot({ days, usage: { period, emails }, included }: PlotProps) {
  const [startMs, endMs] = [Date.parse(period.start), Date.parse(period.end)];
  // far below the plan, the line would lie on the axis
  const showsPlan = included !== undefined && emails.total >= included * SHOWN_PART;
  const most = Math.max(1, emails.total, showsPlan ? included : 0);
  const x = (ms: number) => ((ms - startMs) / (endMs - startMs)) * WIDTH;
  const y = (count: number) => HEIGHT - (count / most) * HEIGHT;
  const points = days.map((day) => `${x(day.endMs)},${y(day.sum)}`);
  const line = [`0,${y(0)}`, ...points].join(' ');
  const lastX = x(days.at(-1)?.endMs ?? startMs);
  const used = formatCount(emails.total);
  const label =
    included === undefined
      ? usageText.plot(used)
      : usageText.plotOfPlan(used, formatCount(included));
  return (
    <figure class="line-plot">
      <div class="plot-area">
        <PlotScale most={most} />
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={label}
        >
          <polygon class="line-plot-area" points={`${line} ${lastX},${y(0)}`} />
          <polyline class="line-plot-line" points={line} />
          {showsPlan && (
            <line class="line-plot-limit" x1={0} x2={WIDTH} y1={y(included)} y2={y(included)} />
          )}
        </svg>
      </div>
      <figcaption>
        <Time at={period.start} as="day" />
        {included !== undefined && (
          <span class={showsPlan ? 'line-plot-limit-label' : ''}>
            {usageText.planLine}: {formatCount(included)}
          </span>
        )}
        <Time at={period.end} as="day" />
      </figcaption>
      <table class="visually-hidden">
        <caption>{label}</caption>
        <tbody>
          {days.map(({ start, sum }) => (
            <tr key={start}>
              <th scope="row">{dayName(start)}</th>
              <td>{formatCount(sum)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}

/** Formats the day's noon: its midnight can be on another day in the viewer's zone. */
const dayName = (start: string): string => formatDay(new Date(Date.parse(start) + HALF_DAY_MS));

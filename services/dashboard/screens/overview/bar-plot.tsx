/** Stacked bars over time, with the same numbers as a table for screen readers. */
import { formatCount } from '../../parts/format.ts';

type Series = { name: string; tone: 'good' | 'bad' | 'wait' | 'held' | 'plain' };
type Bar = { label: string; values: readonly number[] };

type Props = {
  /** Says what is shown. */
  label: string;
  series: readonly Series[];
  /** Oldest first; values in the order of the series. */
  bars: readonly Bar[];
};

const EXACT_BELOW = 20;

/** The label of the middle; none where a rounded number would be wrong to the eye. */
const halfOf = (most: number): string =>
  most % 2 === 1 && most < EXACT_BELOW ? '' : formatCount(Math.round(most / 2));

/** The labels of the vertical axis. */
export const PlotScale = ({ most }: { most: number }) => (
  <>
    <span class="plot-most" aria-hidden="true">
      {formatCount(most)}
    </span>
    <span class="plot-half" aria-hidden="true">
      {halfOf(most)}
    </span>
  </>
);

const HEIGHT = 100;
const SLOT = 10;
const GAP = 2;

export function BarPlot({ label, series, bars }: Props) {
  const most = Math.max(1, ...bars.map(({ values }) => sum(values)));
  return (
    <figure class="plot">
      <figcaption>
        <span>{label}</span>
        {series.map(({ name, tone }) => (
          <span key={name} class={`legend tone-${tone}`}>
            {name}
          </span>
        ))}
      </figcaption>
      <div class="plot-area">
        <PlotScale most={most} />
        <svg
          viewBox={`0 0 ${bars.length * SLOT} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          {bars.map((bar, n) => (
            <Column key={n} bar={bar} series={series} x={n * SLOT} scale={HEIGHT / most} />
          ))}
        </svg>
      </div>
      <div class="plot-labels" aria-hidden="true">
        {labelsOf(bars).map((text, n) => (
          <span key={n}>{text}</span>
        ))}
      </div>
      <table class="visually-hidden">
        <caption>{label}</caption>
        <tbody>
          {bars.map(({ label: title, values }, n) => (
            <tr key={n}>
              <th scope="row">{title}</th>
              {values.map((value, m) => (
                <td key={m}>
                  {series[m]?.name}: {formatCount(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}

const LABELS = 5;

/** Labels for the first bar, the last one, and some in between at equal distances. */
const labelsOf = (bars: readonly Bar[]): (string | undefined)[] =>
  bars.length <= LABELS
    ? bars.map(({ label }) => label)
    : Array.from(
        { length: LABELS },
        (_, n) => bars[Math.round((n * (bars.length - 1)) / (LABELS - 1))]?.label,
      );

type ColumnProps = { bar: Bar; series: readonly Series[]; x: number; scale: number };

const Column = ({ bar: { label, values }, series, x, scale }: ColumnProps) => (
  <g>
    <title>
      {label}:{' '}
      {values.map((value, n) => `${formatCount(value)} ${series[n]?.name ?? ''}`).join(', ')}
    </title>
    <rect class="plot-slot" x={x} y={0} width={SLOT} height={HEIGHT} />
    {values.map((value, n) => (
      <rect
        key={n}
        class={`plot-bar tone-${series[n]?.tone ?? 'good'}`}
        x={x + GAP / 2}
        y={HEIGHT - sum(values.slice(0, n + 1)) * scale}
        width={SLOT - GAP}
        height={value * scale}
      />
    ))}
  </g>
);

const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);

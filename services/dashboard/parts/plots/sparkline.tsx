/** A small row of bars without axes: the shape of a series. */
type Props = { values: readonly number[]; label: string };

const WIDTH = 240;
const HEIGHT = 44;
const GAP = 2;

export function Sparkline({ values, label }: Props) {
  const most = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, values.length);
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {values.map((value, n) => {
        const height = Math.max(1, (value / most) * HEIGHT);
        return (
          <rect
            key={n}
            x={n * step}
            y={HEIGHT - height}
            width={Math.max(1, step - GAP)}
            height={height}
            rx="1"
          />
        );
      })}
    </svg>
  );
}

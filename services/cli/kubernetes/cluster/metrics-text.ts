/** Reads the text of a Prometheus endpoint. */

type Sample = { labels: Readonly<Record<string, string>>; value: number };

const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** The samples of a metric whose labels have these values. */
export const samplesOf = (
  text: string,
  metric: string,
  wanted: Readonly<Record<string, string>> = {},
): Sample[] =>
  [...text.matchAll(new RegExp(`^${metric}(?:\\{([^\\n]*)\\})? (\\S+)`, 'gm'))]
    .map(([, labels = '', value]) => ({
      labels: Object.fromEntries(
        [...labels.matchAll(LABEL)].map(([, name = '', quoted = '']) => [name, quoted]),
      ),
      value: Number(value),
    }))
    .filter(({ labels }) =>
      Object.entries(wanted).every(([name, value]) => labels[name] === value),
    );

/** The values of a metric, whatever their labels. */
export const valuesOf = (text: string, metric: string): number[] =>
  samplesOf(text, metric).map(({ value }) => value);

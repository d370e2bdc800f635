/** Reads the text of a Prometheus endpoint. */

/** The values of a metric, for each set of labels. */
export const valuesOf = (text: string, metric: string): number[] =>
  [...text.matchAll(new RegExp(`^${metric}(?:\\{[^\\n]*\\})? (\\S+)`, 'gm'))].map(([, value]) =>
    Number(value),
  );

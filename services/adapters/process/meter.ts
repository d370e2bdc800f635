/**
 * Declares metrics. A label has a list of its values, so that a metric has few series, and all
 * counters begin at 0: otherwise increase() misses the first event of each.
 */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** For a label without such a list: its series begin when its values first occur. */
export const ANY: readonly (string | number)[] = [];

type Lists = Readonly<Record<string, readonly (string | number)[]>>;
type Labels<L extends Lists> = { readonly [K in keyof L]: L[K][number] };
/** Takes the labels, if the metric has any, and a number. */
type Call<L extends Lists, N extends [number?]> = keyof L extends never
  ? (...number: N) => void
  : (labels: Labels<L>, ...number: N) => void;

type MeterCounter<L extends Lists> = {
  inc: Call<L, [by?: number]>;
  /** Begins, or ends, the series with these values and all of the listed ones. */
  begin: (values: Partial<Labels<L>>) => void;
  end: (values: Partial<Labels<L>>) => void;
};
type MeterHistogram<L extends Lists> = { observe: Call<L, [value: number]> };
type MeterGauge<L extends Lists> = Record<'inc' | 'dec', Call<L, [by?: number]>> & {
  set: Call<L, [value: number]>;
};

export type Meter = ReturnType<typeof createMeter>;

export function createMeter(registry: Registry) {
  const shared = (name: string, help: string, labels: Lists) => ({
    name,
    help,
    labelNames: Object.keys(labels),
    registers: [registry],
  });

  function counter<const L extends Lists>(name: string, help: string, labels: L): MeterCounter<L> {
    const counted = new Counter(shared(name, help, labels));
    const begin = (values: object) => {
      for (const one of series(labels, values)) counted.inc(one, 0);
    };
    const end = (values: object) => {
      for (const one of series(labels, values)) counted.remove(one);
    };
    begin({});
    return { inc: counted.inc.bind(counted), begin, end };
  }

  function histogram<const L extends Lists>(
    name: string,
    help: string,
    labels: L,
    buckets: readonly number[],
  ): MeterHistogram<L> {
    const observed = new Histogram({ ...shared(name, help, labels), buckets: [...buckets] });
    for (const one of series(labels, {})) observed.zero(one);
    return { observe: observed.observe.bind(observed) };
  }

  /** @param read sets the values when they are asked for. Series that it does not set are absent */
  function gauge<const L extends Lists>(
    name: string,
    help: string,
    labels: L,
    read?: (set: (labels: Labels<L>, value: number) => void) => void | Promise<void>,
  ): MeterGauge<L> {
    const collect = async (): Promise<void> => {
      const values: [Labels<L>, number][] = [];
      await read?.((...value) => values.push(value));
      measured.reset(); // an old value would look current
      if (Object.keys(labels).length === 0) measured.remove(); // reset() sets it to 0
      for (const value of values) measured.set(...value);
    };
    const measured = new Gauge({ ...shared(name, help, labels), ...(read && { collect }) });
    return {
      inc: measured.inc.bind(measured),
      dec: measured.dec.bind(measured),
      set: measured.set.bind(measured),
    };
  }

  return { counter, histogram, gauge };
}

/** The labels of each series: all combinations of the listed values with the given ones. */
const series = (lists: Lists, values: object): Record<string, string | number>[] =>
  Object.entries({ ...lists, ...values }).reduce<Record<string, string | number>[]>(
    (found, [label, list]) =>
      found.flatMap((one) => [list].flat().map((value) => ({ ...one, [label]: value }))),
    [{}],
  );

/** Median, sum and percentiles of numbers. NaN is a figure that was not measured. */

/** For an even number of values, the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = values
    .filter((value) => !Number.isNaN(value))
    .toSorted((one, other) => one - other);
  const half = sorted.length / 2;
  return ((sorted[Math.ceil(half) - 1] ?? NaN) + (sorted[Math.floor(half)] ?? NaN)) / 2;
}

export const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);

/**
 * Percentile by nearest rank: the smallest value that at least `share` of all values do not exceed;
 * NaN when there is none.
 */
export function percentile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).toSorted();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}

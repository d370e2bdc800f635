/** Median and sum of numbers. NaN is a figure that was not measured. */

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

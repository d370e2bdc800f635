/** Percentiles of what a scenario measured. */

/**
 * Percentile by nearest rank: the smallest value that at least `share` of all values do not exceed;
 * NaN when there is none.
 */
export function percentile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).toSorted();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}

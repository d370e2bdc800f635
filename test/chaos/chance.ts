/** Reproducible randomness: the same seed gives the same plan. */

export type Chance = {
  /** In [0, 1). */
  next(): number;
  between(low: number, high: number): number;
  oneOf<T>(values: readonly T[]): T;
  /**
   * An independent sequence from the same seed, so that one user's draws do not change another's
   * plan.
   */
  fork(name: string): Chance;
};

export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0; // mulberry32
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (low, high) => low + next() * (high - low),
    oneOf: (values) => {
      const value = values[Math.floor(next() * values.length)];
      if (value === undefined) throw new Error('nothing to choose from');
      return value;
    },
    fork: (name) =>
      createChance(
        Buffer.from(name).reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193), seed),
      ), // FNV-1a
  };
}

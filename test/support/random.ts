/**
 * Random tests, all with one seed. `npm test` uses a fixed seed and a fixed number of runs.
 * `npm run test:fuzz` sets FUZZ_SEED, and with FUZZ_MS the time for which each property runs.
 * A failure prints the seed and the path of its counterexample.
 */
import * as fc from 'fast-check';

export const seed = Number(process.env.FUZZ_SEED ?? 20_261_122);
const fuzzMs = Number(process.env.FUZZ_MS ?? 0);

const UNLIMITED = { numRuns: 10_000_000, interruptAfterTimeLimit: fuzzMs };
fc.configureGlobal({ seed, ...(fuzzMs > 0 && UNLIMITED) });

/**
 * How many cases a property must have found to prove something. With a time limit, a busy machine finds
 * few.
 */
export const atLeast = (cases: number): number => (fuzzMs > 0 ? 1 : cases);

/** fast-check, which must be imported from here so that it has the seed. */
export { fc };

/**
 * Parameters of `fc.assert` for a property that needs more or fewer runs than the default of 100.
 */
export const runs = (count: number): fc.Parameters<unknown> =>
  fuzzMs > 0 ? UNLIMITED : { numRuns: count };

const FUZZ_TIMES = 2;

/**
 * The same for a property with servers or other processes, without a limit of time: it would end a
 * run with requests in flight.
 */
export const slowRuns = (count: number): fc.Parameters<unknown> =>
  fuzzMs > 0
    ? { numRuns: FUZZ_TIMES * count, interruptAfterTimeLimit: undefined }
    : { numRuns: count };

/**
 * What all tests of a file share, such as servers. It starts while the file is loaded, and ends
 * after its last test, in reverse order.
 */
import { afterAll } from 'vitest';

import { atMost } from './slowdown.ts';

/** vitest limits the time of hooks, but not of loading a file. */
const START_MS = 300_000;

export async function useInFile<T extends AsyncDisposable | Disposable>(
  starting: T | Promise<T>,
): Promise<T> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const limit = setTimeout(() => reject(new Error('did not start in time')), atMost(START_MS));
  const parts = new AsyncDisposableStack();
  afterAll(() => parts.disposeAsync());
  try {
    return parts.use(await Promise.race([starting, tooLate]));
  } finally {
    clearTimeout(limit);
  }
}

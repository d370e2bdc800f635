/** Waiting with a limit: the result in time, or an error; never an unhandled rejection. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';

import { DeadlineError, withDeadline } from '../../../services/adapters/async/deadline.ts';

test('work that ends before its deadline gives its result or its error', async () => {
  expect(await withDeadline(1_000, Promise.resolve(7))).toBe(7);
  await expect(withDeadline(1_000, Promise.reject(new Error('broken')))).rejects.toThrow('broken');
});

test('after the deadline the caller gets a DeadlineError, and a late failure is ignored', async () => {
  const work = sleep(30).then(() => {
    throw new Error('too late');
  });
  const waited = withDeadline(5, work, 'no reply');
  await expect(waited).rejects.toBeInstanceOf(DeadlineError);
  await expect(waited).rejects.toThrow('no reply within 0.005 s');
  await expect(work).rejects.toThrow('too late');
});

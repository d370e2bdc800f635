/** The rate limit of requests: a burst immediately, then an even rate. */
import { expect, test } from 'vitest';

import { createRequestSlots } from '../../../services/adapters/kube/request-rate.ts';

test('a burst is sent immediately, further requests no faster than the rate', async () => {
  const turn = createRequestSlots({ perSecond: 100, burst: 5 });
  const startedMs = performance.now();
  const at = await Promise.all(
    Array.from({ length: 15 }, async () => {
      await turn();
      return performance.now() - startedMs;
    }),
  );
  expect(Math.max(...at.slice(0, 5))).toBeLessThan(Math.min(...at.slice(5)));
  expect(at[14]).toBeGreaterThanOrEqual(100 - 5); // ten at 10 ms each; timers may be early by a little
});

test('after a pause there is a burst again', async () => {
  const turn = createRequestSlots({ perSecond: 200, burst: 2 });
  for (let i = 0; i < 4; i++) await turn();
  await new Promise((resolve) => setTimeout(resolve, 50));
  const startedMs = performance.now();
  await Promise.all([turn(), turn()]);
  const burstMs = performance.now() - startedMs;
  await turn();
  expect(performance.now() - startedMs).toBeGreaterThan(burstMs);
});

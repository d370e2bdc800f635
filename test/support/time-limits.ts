/**
 * Runs before each test file. Tests and hooks have no limit of their own: the one here ends what
 * would never end, and grows with the machine, up to a quarter of an hour. What `expect.poll` waits
 * grows, too.
 */
import { inject, vi } from 'vitest';

import { atMost } from './slowdown.ts';
import { GIVE_UP_MS, GIVE_UP_MOST_MS } from './until.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** How long a test or a hook may take on a fast machine. */
    testMaxMs: number;
  }
}

/** A test that never ends leaves time for the others, and to run once more. */
const TEST_MOST_MS = 900_000;
const limitMs = Math.min(atMost(inject('testMaxMs')), TEST_MOST_MS);
const limits = {
  testTimeout: limitMs,
  hookTimeout: limitMs,
  expect: {
    poll: {
      get timeout() {
        return Math.min(atMost(GIVE_UP_MS), GIVE_UP_MOST_MS);
      },
    },
  },
};
vi.setConfig(limits);

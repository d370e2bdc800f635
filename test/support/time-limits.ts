/**
 * Runs before each test file. Tests and hooks have no limit of their own: the one here ends what
 * would never end, and grows with the machine, as does what `expect.poll` waits.
 */
import { inject, vi } from 'vitest';

import { atMost } from './slowdown.ts';
import { GIVE_UP_MS } from './until.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** How long a test or a hook may take on a fast machine. */
    testMaxMs: number;
  }
}

const limitMs = atMost(inject('testMaxMs'));
const limits = {
  testTimeout: limitMs,
  hookTimeout: limitMs,
  expect: {
    poll: {
      get timeout() {
        return atMost(GIVE_UP_MS);
      },
    },
  },
};
vi.setConfig(limits);

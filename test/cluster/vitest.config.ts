/**
 * Tests against a real Kubernetes API server, the one of the current KUBECONFIG context: `npm run
 * test:cluster`.
 */
import { defineConfig } from 'vitest/config';

import { GIVE_UP_MS } from '../support/until.ts';

export default defineConfig({
  test: {
    include: ['test/cluster/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: GIVE_UP_MS } }, // instead of a second
    reporters: ['default'],
  },
});

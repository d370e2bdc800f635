/**
 * `npm run test:disturb`: the table of disturbances on the cluster of the current kubectl context. It
 * takes about a quarter of an hour, so neither `npm run test:cluster` nor `.ci/run` includes it.
 */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    pool: 'forks',
    include: ['test/cluster/disturb/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts', 'test/cluster/images.ts'],
    testTimeout: 1_200_000,
    hookTimeout: 900_000,
    reporters: ['default'],
  },
});

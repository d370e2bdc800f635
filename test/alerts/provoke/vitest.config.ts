/**
 * `npm run test:provoke`: provokes each alert once, with real processes, a real Prometheus and a real
 * Alertmanager. It takes about half an hour, so neither `npm run test:all` nor `.ci/run` includes it.
 */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    include: ['test/alerts/provoke/*.provoke.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/thread-bundles.ts'],
    testTimeout: 3_600_000,
    hookTimeout: 900_000,
    reporters: ['default'],
  },
});

/**
 * Tests against a real Kubernetes API server, the one of the current KUBECONFIG context: `npm run
 * test:cluster`. They wait more than they compute, so three files run at a time, each in namespaces
 * of its own. The upgrade runs alone, because it also installs earlier definitions of the resources.
 */
import { defineConfig } from 'vitest/config';

const SERVERS = 'test/support/global-setup.ts';
const IMAGES = 'test/cluster/images.ts';
const DEFINITIONS = 'test/cluster/definitions.ts';
const OPERATORS = 'test/cluster/operator-*.test.ts';
const UPGRADE = 'test/cluster/upgrade.test.ts';

const project = (
  name: string,
  include: string[],
  {
    exclude = [],
    globalSetup = [SERVERS, DEFINITIONS, IMAGES],
    groupOrder = 0,
  }: {
    exclude?: string[];
    globalSetup?: string[];
    groupOrder?: number;
  },
) => ({
  extends: true as const,
  test: { name, include, exclude, globalSetup, sequence: { groupOrder } },
});

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 3,
    setupFiles: ['test/support/time-limits.ts'],
    provide: { testMaxMs: 900_000 }, // some install a release
    reporters: ['default'],
    projects: [
      project('installations', ['test/cluster/*.test.ts'], { exclude: [OPERATORS, UPGRADE] }),
      project('operators', [OPERATORS], { globalSetup: [SERVERS, DEFINITIONS] }),
      project('upgrade', [UPGRADE], { groupOrder: 1 }),
    ],
  },
});

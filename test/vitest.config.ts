/**
 * How `npm test` runs: real servers from global-setup, fast folders first, two files at a time.
 */
import { join, relative } from 'node:path';

import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

import { GIVE_UP_MS } from './support/until.ts';

const FASTEST_FIRST = [
  'test/core/',
  'test/architecture',
  'test/adapters/',
  'test/api/',
  'test/gateway/',
  'test/dispatcher/',
  'test/standalone/',
  'test/system/',
];

/**
 * Tests of rules without I/O report a failure within seconds; tests of the whole system run last.
 */
class FastestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- not an array's sort
    const slowestFirst = await super.sort(files);
    return slowestFirst.toSorted((one, other) => rank(one.moduleId) - rank(other.moduleId));
  }
}

function rank(moduleId: string): number {
  const path = relative(join(import.meta.dirname, '..'), moduleId);
  const index = FASTEST_FIRST.findIndex((prefix) => path.startsWith(prefix));
  return index === -1 ? FASTEST_FIRST.length : index;
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/bench/**', 'test/cluster/**', 'node_modules/**'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000, // only a test that fails takes so long, also on a busy machine
    hookTimeout: 120_000,
    expect: { poll: { timeout: GIVE_UP_MS } }, // instead of a second
    sequence: { sequencer: FastestFirst },
    reporters: ['default'],
  },
});

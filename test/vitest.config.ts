/**
 * How `npm test` runs. Files without servers come first and start none. The others get real servers
 * from global-setup, in the order of their folders. They wait for most of their time, so six run at a
 * time. Files that start whole systems, with browsers or other languages, come last, three at a
 * time: with a browser they use a whole processor, else about half of one. The files of a process
 * share the modules that they import, which would otherwise take a quarter of the time. `npm run
 * test:attacks` runs the project `load`, which `npm test` leaves out: one file at a time.
 */
import { join, relative } from 'node:path';

import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

import { divideTestFiles } from './run/server-files.ts';

const CHECKOUT = join(import.meta.dirname, '..');
const { withServers, withoutServers, underLoad } = divideTestFiles(CHECKOUT, ['test/cluster/**']);
const globalSetup = ['test/support/global-setup.ts'];

const FASTEST_FIRST = ['test/adapters/', 'test/api/', 'test/gateway/', 'test/dispatcher/'];

/**
 * Short sources that take long. vitest starts with the largest files when it knows no durations, as
 * in a new checkout, and then the other processors would wait for one of these at the end.
 */
const LONG = new Set([
  'test/alerts/alerts.test.ts',
  'test/contract/contract.test.ts',
  'test/docs/email-recipes.test.ts',
  'test/generate/payload-languages.test.ts',
  'test/operator/crashes.test.ts',
  'test/operator/lease-guard.test.ts',
  'test/system/index-build.test.ts',
]);

/** Their files start processes of their own. */
const WHOLE_SYSTEMS = [
  'test/chaos/',
  'test/clients/',
  'test/cli/',
  'test/contract/',
  'test/dashboard/browser/',
  'test/docs/',
  'test/standalone/',
  'test/system/',
];
/** What hostile clients, receivers and files try: `npm run test:attacks` runs them, too. */
const ATTACKS = [
  'test/api/deliveries/uploads.test.ts',
  'test/cli/restore.test.ts',
  'test/clients/typescript-webhooks.test.ts',
  'test/core/delivery/secret-mask.test.ts',
];

const isOfSystem = (path: string) => WHOLE_SYSTEMS.some((prefix) => path.startsWith(prefix));

/** Tests of rules without I/O report a failure within seconds. */
class FastestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- not an array's sort
    const slowestFirst = await super.sort(files);
    return slowestFirst.toSorted(
      (one, other) => rank(one) - rank(other) || Number(isLong(other)) - Number(isLong(one)),
    );
  }
}

const isLong = ({ moduleId }: TestSpecification) => LONG.has(relative(CHECKOUT, moduleId));

/** Projects stay together, because a worker that changes the project starts again. */
function rank({ moduleId, project }: TestSpecification): number {
  if (project.name === 'plain') return -1;
  const path = relative(CHECKOUT, moduleId);
  const index = FASTEST_FIRST.findIndex((prefix) => path.startsWith(prefix));
  return index === -1 ? FASTEST_FIRST.length : index;
}

export default defineConfig({
  test: {
    pool: 'forks',
    isolate: false,
    maxWorkers: 6,
    setupFiles: ['time-limits', 'processor-time', 'recorded-children'].map(
      (name) => `test/support/${name}.ts`,
    ),
    provide: { testMaxMs: 300_000 },
    unstubEnvs: true,
    unstubGlobals: true,
    sequence: { sequencer: FastestFirst },
    reporters: ['default'],
    projects: [
      { extends: true, test: { name: 'plain', include: withoutServers } },
      {
        extends: true,
        test: {
          name: 'servers',
          include: withServers.filter((path) => !isOfSystem(path)),
          globalSetup,
        },
      },
      {
        extends: true,
        test: {
          name: 'systems',
          include: withServers.filter(isOfSystem),
          globalSetup,
          provide: { testMaxMs: 900_000 }, // some install or compile programs
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'load',
          include: [...underLoad, ...ATTACKS],
          globalSetup,
          isolate: true, // a process of its own, whose memory is measured
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});

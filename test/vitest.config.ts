/**
 * How the tests run: `npm test` runs the projects `plain` and `servers`, `npm run test:all` also the
 * others, one after another. Files without servers start none. The others get real servers from
 * global-setup, in the order of their folders. They wait for most of their time, so six run at a
 * time. The files of a process share the modules that they import, which would otherwise take a
 * quarter of the time.
 */
import { join, relative } from 'node:path';

import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

import { divideTestFiles, EVERYDAY, STAGES } from './run/stages.ts';

const CHECKOUT = join(import.meta.dirname, '..');
const files = divideTestFiles(CHECKOUT);
const globalSetup = ['test/support/global-setup.ts'];

/** The stages that share a run are in one group, so that their files fill the same workers. */
const SHARED_GROUP = STAGES.length + 1;

const FASTEST_FIRST = ['test/adapters/', 'test/api/', 'test/gateway/', 'test/dispatcher/'];

/**
 * Short sources that take long. vitest starts with the largest files when it knows no durations, as
 * in a new checkout, and then the other processors would wait for one of these at the end.
 */
const LONG = new Set([
  'test/alerts/alerts.test.ts',
  'test/api/sites/docs-browser.test.ts',
  'test/contract/clients.test.ts',
  'test/contract/contract.test.ts',
  'test/contract/mcp.test.ts',
  'test/dashboard/browser/accessibility.test.ts',
  'test/dashboard/browser/hostile.test.ts',
  'test/dashboard/browser/longest.test.ts',
  'test/dashboard/browser/screens.test.ts',
  'test/docs/email-recipes.test.ts',
  'test/docs/examples.test.ts',
  'test/docs/tutorials.test.ts',
  'test/generate/payload-languages.test.ts',
  'test/operator/crashes.test.ts',
  'test/operator/cluster/lease-guard.test.ts',
  'test/standalone/standalone.test.ts',
  'test/system/first-mail.test.ts',
  'test/system/index-build.test.ts',
]);
const WAITING = 'slow';
const PROJECTS: readonly string[] = [...EVERYDAY, ...STAGES.map(({ name }) => name)];

/**
 * Tests of rules without I/O report a failure within seconds. Files of a project stay together, because
 * a worker that changes the project starts again.
 */
class FastestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- not an array's sort
    const slowestFirst = await super.sort(specifications);
    return spread(
      slowestFirst.toSorted(
        (one, other) =>
          rank(one) - rank(other) ||
          Number(isLong(other)) - Number(isLong(one)) ||
          placeOf(one) - placeOf(other),
      ),
    );
  }
}

/** Files of the stage slow wait for most of their time. Among others, they leave no processor idle. */
function spread(all: TestSpecification[]): TestSpecification[] {
  const others = all.filter((one) => one.project.name !== WAITING);
  const waiting = all.filter((one) => one.project.name === WAITING);
  const each = Math.max(1, Math.floor(others.length / (waiting.length + 1)));
  return others
    .flatMap((one, at) => (at % each === 0 ? [...waiting.splice(0, 1), one] : [one]))
    .concat(waiting);
}

const isLong = ({ moduleId }: TestSpecification) => LONG.has(relative(CHECKOUT, moduleId));
const placeOf = ({ project }: TestSpecification) => PROJECTS.indexOf(project.name);

/** Only `npm test` has fast files. */
function rank({ moduleId, project }: TestSpecification): number {
  if (project.name !== 'servers') return -1;
  const path = relative(CHECKOUT, moduleId);
  const index = FASTEST_FIRST.findIndex((prefix) => path.startsWith(prefix));
  return index === -1 ? FASTEST_FIRST.length : index;
}

export default defineConfig({
  test: {
    pool: 'forks',
    isolate: false,
    maxWorkers: 6,
    setupFiles: ['time-limits', 'record-children', 'thread-bundles'].map(
      (name) => `test/support/${name}.ts`,
    ),
    provide: { testMaxMs: 300_000 },
    unstubEnvs: true,
    unstubGlobals: true,
    sequence: { sequencer: FastestFirst },
    reporters: ['default'],
    projects: [
      { extends: true, test: { name: 'plain', include: files.plain } },
      { extends: true, test: { name: 'servers', include: files.servers, globalSetup } },
      ...STAGES.map(({ name, workers, ...stage }, at) => ({
        extends: true as const,
        test: {
          name,
          include: files[name],
          globalSetup,
          provide: { testMaxMs: 900_000 }, // some install or compile programs
          isolate: name === 'load', // a process of its own, whose memory is measured
          maxWorkers: workers,
          sequence: { groupOrder: 'isShared' in stage ? SHARED_GROUP : at + 1 },
        },
      })),
    ],
  },
});

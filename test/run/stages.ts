/**
 * Which test files `npm test` runs, and which belong to a later stage of `npm run test:all`. The name
 * of a file, its folder, and what it imports decide, and flaky-files.ts. A file of `npm test` that calls vitest's
 * `inject`, or imports a file of test/ that does, needs the servers of global-setup.ts: nothing else
 * gives it the address or the path of a server. The others run without.
 */
import { globSync } from 'node:fs';

import { FLAKY_FILES } from './flaky-files.ts';
import { createImports } from './imports.ts';

export type Stage = {
  name: string;
  about: string;
  /** How a test file is recognized: the end of its name, its folder, or a file that it reaches. */
  suffix?: string;
  folders?: readonly string[];
  reaches?: readonly string[];
  /**
   * What decides about its result in addition to its test files and all that they import, as
   * patterns of git. With it, the stage is skipped when nothing of that has changed, see
   * green-stages.ts.
   */
  inputs?: readonly string[];
  /** How many files run at the same time. */
  workers: number;
};

/** A file belongs to the first stage that recognizes it. */
export const STAGES = [
  {
    name: 'load',
    about: 'what load and hostile clients cost, one file at a time',
    suffix: '.load.test.ts',
    workers: 1,
  },
  {
    name: 'slow',
    about: 'what takes longer than five seconds, waits longer than two, or failed by chance',
    suffix: '.slow.test.ts',
    workers: 6,
  },
  {
    name: 'browser',
    about: 'the dashboard and the pages of the API in a browser',
    folders: ['test/dashboard/browser/'],
    reaches: ['test/support/browser.ts'],
    workers: 3,
  },
  {
    name: 'contract',
    about: 'programs of other projects against the API, its document, and the webhooks',
    folders: ['test/contract/'],
    workers: 3,
  },
  {
    name: 'languages',
    about: 'clients, examples, payload types and formats in other languages',
    folders: ['test/clients/', 'test/formats/', 'test/generate/payload-languages.test.ts'],
    reaches: ['test/docs/runtimes.ts', 'test/docs/example-programs.ts'],
    inputs: [
      'services/clients',
      'services/core/api/api-types.generated.ts',
      'docs/clients',
      'docs/examples',
      ':(glob)docs/*.md',
      'test/api/documentation/openapi',
      'test/cli/help/listen.golden.txt',
      'LICENSE',
      'package.json',
      'tsconfig.json',
      '.gitignore',
    ],
    workers: 3,
  },
  {
    name: 'chart',
    about: 'the chart and the alerts, with helm, kubeconform and promtool',
    folders: ['test/chart/', 'test/alerts/alerts.test.ts'],
    inputs: [
      'charts',
      'docs/images',
      'docs/monitoring.md',
      'package.json',
      'skaffold.yaml',
      'Dockerfile',
      'test/fixtures',
      ':(glob)services/**/metrics.ts',
    ],
    workers: 3,
  },
  {
    name: 'programs',
    about: 'other programs that are compiled or downloaded, such as rspamd and clamd',
    reaches: [
      'test/contract/tools.ts',
      'test/support/debian-packages.ts',
      'test/support/go-tool.ts',
      'test/support/s3-server.ts',
    ],
    workers: 3,
  },
  {
    name: 'systems',
    about: 'whole systems, clusters of servers, the processes of services',
    folders: ['test/chaos/', 'test/standalone/', 'test/system/'],
    reaches: [
      'test/support/nats-cluster.ts',
      'test/support/region.ts',
      'test/support/service-process.ts',
      'test/support/sharded-cluster.ts',
      'test/support/start-standalone.ts',
    ],
    workers: 3,
  },
] as const satisfies readonly Stage[];

/** The one whole system of `npm test`, from SMTP to webhook. */
const WHOLE_SYSTEM = 'test/system/first-mail.test.ts';
/** It has commands of its own, because it needs a cluster. */
const CLUSTER = 'test/cluster/**';

/** The projects of vitest that `npm test` runs. */
export const EVERYDAY = ['plain', 'servers'] as const;
export type Project = (typeof EVERYDAY)[number] | (typeof STAGES)[number]['name'];

const NEEDS_SERVERS = /\binject\(/;

/**
 * @param flaky the files of `npm test` that the stage `slow` runs in its place
 * @returns paths relative to `checkout`, by project
 */
export function divideTestFiles(
  checkout: string,
  flaky: Readonly<Record<string, unknown>> = FLAKY_FILES,
): Record<Project, string[]> {
  const files = globSync('test/**/*.test.ts', { cwd: checkout, exclude: [CLUSTER] }).toSorted();
  const imports = createImports(checkout);

  const projectOf = (path: string): Project => {
    const all = imports.reached(path, 'test/');
    const stage = STAGES.find(
      ({ suffix, folders = [], reaches = [] }: Stage) =>
        (suffix !== undefined && path.endsWith(suffix)) ||
        folders.some((folder) => path.startsWith(folder)) ||
        reaches.some((to) => all.has(to)),
    );
    if (stage && path !== WHOLE_SYSTEM) return stage.name;
    if (path in flaky) return 'slow';
    return [...all].some((to) => NEEDS_SERVERS.test(imports.text(to))) ? 'servers' : 'plain';
  };
  const divided = Object.groupBy(files, projectOf);
  const names = [...EVERYDAY, ...STAGES.map(({ name }) => name)];
  return Object.fromEntries(names.map((name) => [name, divided[name] ?? []])) as Record<
    Project,
    string[]
  >;
}

/** The last lines of `npm test`: what it leaves out, and the commands for it. */
export function leftOutText(files: Readonly<Record<Project, readonly string[]>>): string {
  const lines = STAGES.map(({ name, about }) => {
    const command = `npm run test:all -- --stage ${name}`.padEnd(42);
    return `  ${command} ${about} (${files[name].length} files)`;
  });
  return [
    '\nNot part of npm test. npm run test:all runs everything, in stages:',
    ...lines,
    `  ${'npm run test:cluster'.padEnd(42)} chart and operator on a Kubernetes cluster`,
    '',
  ].join('\n');
}

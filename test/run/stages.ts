/**
 * Which test files `npm test` runs, and which belong to a later stage of `npm run test:all`. The name
 * of a file, its folder, and what it imports decide. A file of `npm test` that calls vitest's
 * `inject`, or imports a file of test/ that does, needs the servers of global-setup.ts: nothing else
 * gives it the address or the path of a server. The others run without.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export type Stage = {
  name: string;
  /** How a test file is recognized: the end of its name, its folder, or a file that it reaches. */
  suffix?: string;
  folders?: readonly string[];
  reaches?: readonly string[];
  /** How many files run at the same time. */
  workers: number;
  /**
   * `npm run test:all` gives these to one run of vitest: they often wait for programs of others, and a
   * run for each would also wait for its last file.
   */
  isShared?: true;
};

const SHARED = { workers: 4, isShared: true } as const;

/** A file belongs to the first stage that recognizes it. CONTRIBUTING says what each tests. */
export const STAGES = [
  {
    name: 'load',
    suffix: '.load.test.ts',
    workers: 1,
  },
  {
    name: 'slow',
    suffix: '.slow.test.ts',
    ...SHARED,
  },
  {
    name: 'browser',
    folders: ['test/dashboard/browser/'],
    reaches: ['test/support/browser.ts'],
    workers: 3,
  },
  {
    name: 'contract',
    folders: ['test/contract/'],
    ...SHARED,
  },
  {
    name: 'languages',
    folders: ['test/clients/', 'test/formats/', 'test/generate/payload-languages.test.ts'],
    reaches: ['test/docs/runtimes.ts', 'test/docs/example-programs.ts'],
    ...SHARED,
  },
  {
    name: 'chart',
    folders: ['test/chart/', 'test/alerts/alerts.test.ts'],
    ...SHARED,
  },
  {
    name: 'programs',
    reaches: [
      'test/contract/tools.ts',
      'test/support/debian-packages.ts',
      'test/support/go-tool.ts',
      'test/support/s3-server.ts',
    ],
    ...SHARED,
  },
  {
    name: 'systems',
    folders: ['test/chaos/', 'test/standalone/', 'test/system/'],
    reaches: [
      'test/support/nats-cluster.ts',
      'test/support/region.ts',
      'test/support/service-process.ts',
      'test/support/sharded-cluster.ts',
      'test/support/start-standalone.ts',
    ],
    ...SHARED,
  },
] as const satisfies readonly Stage[];

/** The one whole system of `npm test`, from SMTP to webhook. */
const WHOLE_SYSTEM = 'test/system/first-mail.test.ts';
/** It has commands of its own, because it needs a cluster. */
const CLUSTER = 'test/cluster/**';

/** The projects of vitest that `npm test` runs. */
export const EVERYDAY = ['plain', 'servers'] as const;
export type Project = (typeof EVERYDAY)[number] | (typeof STAGES)[number]['name'];

const IMPORTS = /\b(?:from|import)\s*\(?\s*'(\.[^']+\.ts)'/g;
const NEEDS_SERVERS = /\binject\(/;

/** @returns paths relative to `checkout`, by project */
export function divideTestFiles(checkout: string): Record<Project, string[]> {
  const files = globSync('test/**/*.test.ts', { cwd: checkout, exclude: [CLUSTER] }).toSorted();
  const sources = new Map<string, { text: string; imports: string[] }>();

  function sourceOf(path: string) {
    const known = sources.get(path);
    if (known) return known;
    const text = readFileSync(join(checkout, path), 'utf8');
    const imports = Array.from(text.matchAll(IMPORTS), ([, to = '']) => join(dirname(path), to));
    const source = {
      text,
      imports: imports.filter((to) => to.startsWith('test/') && existsSync(join(checkout, to))),
    };
    sources.set(path, source);
    return source;
  }
  /** The file itself, and all files of test/ that it imports, directly or not. */
  function reached(path: string, all = new Set<string>()): Set<string> {
    if (all.has(path)) return all;
    all.add(path);
    for (const to of sourceOf(path).imports) reached(to, all);
    return all;
  }
  function projectOf(path: string): Project {
    const all = reached(path);
    const stage = STAGES.find(
      ({ suffix, folders = [], reaches = [] }: Stage) =>
        (suffix !== undefined && path.endsWith(suffix)) ||
        folders.some((folder) => path.startsWith(folder)) ||
        reaches.some((to) => all.has(to)),
    );
    if (stage && path !== WHOLE_SYSTEM) return stage.name;
    return [...all].some((to) => NEEDS_SERVERS.test(sourceOf(to).text)) ? 'servers' : 'plain';
  }
  const divided = Object.groupBy(files, projectOf);
  const names = [...EVERYDAY, ...STAGES.map(({ name }) => name)];
  return Object.fromEntries(names.map((name) => [name, divided[name] ?? []])) as Record<
    Project,
    string[]
  >;
}

/** The last lines of `npm test`: what it leaves out, and the commands for it. */
export function leftOutText(files: Readonly<Record<Project, readonly string[]>>): string {
  const stages = STAGES.map(({ name }) => `${name} (${files[name].length} files)`).join(', ');
  return `
Not part of npm test: ${stages},
and chart and operator on a Kubernetes cluster. "npm run test:all" runs everything, in stages,
"npm run test:all -- --stage NAME" one of them, "npm run test:cluster" the tests on the cluster.
`;
}

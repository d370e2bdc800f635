/** Where the time of a run went: by phase, and by test file, dearest first. */
import type { TestModule } from 'vitest/node';

import { fileOf } from './results.ts';

export type FileDurations = {
  file: string;
  project: string;
  /** Time of a processor. */
  cpu: number;
  /** The longest test. */
  longest: number;
} & Record<Phase, number>;

const PHASES = ['start', 'import', 'hooks', 'tests'] as const;
type Phase = (typeof PHASES)[number];
const COLUMNS = ['cpu', ...PHASES, 'longest'] as const;
type Column = (typeof COLUMNS)[number];

/**
 * In milliseconds. Files that run at the same time share processors: only `cpu` is comparable.
 * `import` includes the servers that a file starts (support/use-in-file.ts).
 */
export function durationsOf(module: TestModule): FileDurations {
  const { environmentSetupDuration, prepareDuration, setupDuration, collectDuration, duration } =
    module.diagnostic();
  const tests = [...module.children.allTests()].map((test) => test.diagnostic()?.duration ?? 0);
  const inTests = tests.reduce((sum, ms) => sum + ms, 0);
  return {
    file: fileOf(module),
    project: module.project.name,
    cpu: Math.round(module.meta().cpuMs ?? 0),
    longest: Math.round(Math.max(0, ...tests)),
    start: Math.round(environmentSetupDuration + prepareDuration + setupDuration),
    import: Math.round(collectDuration),
    hooks: Math.round(Math.max(0, duration - inTests)), // tests may run at the same time
    tests: Math.round(inTests),
  };
}

export const dearestFirst = (files: readonly FileDurations[]): FileDurations[] =>
  files.toSorted((one, other) => other.cpu - one.cpu);

/** The phases of all files, and the `rows` dearest files. */
export function durationsText(files: readonly FileDurations[], rows: number): string {
  if (files.length === 0) return '';
  const all = { cpu: 0, longest: 0, start: 0, import: 0, hooks: 0, tests: 0 };
  for (const file of files) {
    for (const column of ['cpu', ...PHASES] as const) all[column] += file[column];
    all.longest = Math.max(all.longest, file.longest);
  }
  const lines = [
    [...COLUMNS, 'seconds'].map((word) => word.padStart(7)).join('  '),
    lineOf(all, `all ${files.length} files`),
    ...dearestFirst(files)
      .slice(0, rows)
      .map((file) => lineOf(file, file.file)),
  ];
  return `${lines.join('\n')}\n`;
}

function lineOf(durations: Record<Column, number>, name: string): string {
  const columns = COLUMNS.map((column) => durations[column]);
  return [...columns.map((ms) => (ms / 1000).toFixed(1).padStart(7)), name].join('  ');
}

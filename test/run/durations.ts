/** Where the time of a run went: by phase, and by test file, slowest first. */
import type { TestModule } from 'vitest/node';

import { fileOf } from './results.ts';

export type FileDurations = { file: string; project: string } & Record<Phase, number>;

const PHASES = ['start', 'import', 'hooks', 'tests'] as const;
type Phase = (typeof PHASES)[number];

/** In milliseconds. Files that run at the same time share processors, so compare shares. */
export function durationsOf(module: TestModule): FileDurations {
  const { environmentSetupDuration, prepareDuration, setupDuration, collectDuration, duration } =
    module.diagnostic();
  const tests = [...module.children.allTests()].map((test) => test.diagnostic()?.duration ?? 0);
  const inTests = tests.reduce((sum, ms) => sum + ms, 0);
  return {
    file: fileOf(module),
    project: module.project.name,
    start: Math.round(environmentSetupDuration + prepareDuration + setupDuration),
    import: Math.round(collectDuration),
    hooks: Math.round(Math.max(0, duration - inTests)), // tests may run at the same time
    tests: Math.round(inTests),
  };
}

export const slowestFirst = (files: readonly FileDurations[]): FileDurations[] =>
  files.toSorted((one, other) => totalOf(other) - totalOf(one));

/** The phases of all files, and the `rows` slowest files. */
export function durationsText(files: readonly FileDurations[], rows: number): string {
  if (files.length === 0) return '';
  const all: Record<Phase, number> = { start: 0, import: 0, hooks: 0, tests: 0 };
  for (const file of files) for (const phase of PHASES) all[phase] += file[phase];
  const lines = [
    ['total', ...PHASES, 'seconds'].map((word) => word.padStart(7)).join('  '),
    lineOf(all, `all ${files.length} files`),
    ...slowestFirst(files)
      .slice(0, rows)
      .map((file) => lineOf(file, file.file)),
  ];
  return `${lines.join('\n')}\n`;
}

function lineOf(durations: Record<Phase, number>, name: string): string {
  const columns = [totalOf(durations), ...PHASES.map((phase) => durations[phase])];
  return [...columns.map((ms) => (ms / 1000).toFixed(1).padStart(7)), name].join('  ');
}

function totalOf(durations: Record<Phase, number>): number {
  return PHASES.reduce((sum, phase) => sum + durations[phase], 0);
}

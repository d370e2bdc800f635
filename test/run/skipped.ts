/** The last lines of a run name the skipped tests, by file, and why they are skipped. */
import type { TestModule, Vitest } from 'vitest/node';

import { readSkipNotes, type SkipNote } from '../support/skip-notes.ts';
import { fileOf } from './results.ts';

export type SkippedFile = { file: string; skipped: number; reasons: string[] };

/** Empty when nothing was skipped, or when the user chose tests by their names. */
export function skippedText(vitest: Vitest): string {
  if (vitest.config.testNamePattern !== undefined) return '';
  const modules = vitest.state.getTestModules();
  const folders = modules.map(({ project }) => project.getProvidedContext().scratchDir);
  // without global-setup.ts, there is none
  const notes = [...new Set(folders)].flatMap((folder?: string) =>
    folder ? readSkipNotes(folder) : [],
  );
  return skipText(skippedFiles(modules, notes));
}

function skippedFiles(modules: readonly TestModule[], notes: readonly SkipNote[]): SkippedFile[] {
  return modules.flatMap((module) => {
    const file = fileOf(module);
    const tests = [...module.children.allTests('skipped')];
    if (tests.length === 0) return [];
    const noted = notes.filter((note) => note.file === file).map(({ reason }) => reason);
    const given = tests.flatMap((test) => {
      const result = test.result();
      return result.state === 'skipped' && result.note !== undefined ? [result.note] : [];
    });
    return [{ file, skipped: tests.length, reasons: [...new Set([...noted, ...given])] }];
  });
}

/** Empty when nothing was skipped. */
export function skipText(files: readonly SkippedFile[]): string {
  if (files.length === 0) return '';
  const total = files.reduce((sum, { skipped }) => sum + skipped, 0);
  const lines = files.map(
    ({ file, skipped, reasons }) =>
      `  ${String(skipped).padStart(4)}  ${file}: ${reasons.join('; ') || 'the test gives no reason'}`,
  );
  return `\nSkipped tests: ${total}\n${lines.join('\n')}\n`;
}

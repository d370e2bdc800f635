/**
 * A vitest reporter: its last lines name the skipped tests, by file, and why they are skipped. It
 * also appends them to the file SKIP_REPORT, for the last lines of `.ci/run`.
 */
import { appendFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import type { Reporter, TestModule } from 'vitest/node';

import { readSkipNotes, type SkipNote } from './skip-notes.ts';

const CHECKOUT = join(import.meta.dirname, '..', '..');

export type SkippedFile = { file: string; skipped: number; reasons: string[] };

export const skipReport: Reporter = {
  onTestRunEnd(modules) {
    const [module] = modules;
    if (module === undefined) return;
    const { project } = module;
    if (project.globalConfig.testNamePattern !== undefined) return; // the user chose what to skip
    const notes = readSkipNotes(project.getProvidedContext().scratchDir);
    const text = skipText(skippedFiles(modules, notes));
    process.stdout.write(text);
    if (process.env.SKIP_REPORT) appendFileSync(process.env.SKIP_REPORT, text);
  },
};

function skippedFiles(modules: readonly TestModule[], notes: readonly SkipNote[]): SkippedFile[] {
  return modules.flatMap((module) => {
    const file = relative(CHECKOUT, module.moduleId);
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

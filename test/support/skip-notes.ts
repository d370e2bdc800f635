/**
 * Why tests are skipped: a finder of a program notes the reason here, and run/results.ts prints it
 * at the end of the run.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import { expect, inject } from 'vitest';

const CHECKOUT = join(import.meta.dirname, '..', '..');
const FILE = 'skip-notes.ndjson';

/** `file` is relative to the checkout. */
export type SkipNote = { file: string; reason: string };

/**
 * Notes why tests of the calling test file are skipped, such as "helm is missing: Go is not
 * installed".
 */
export function noteSkip(reason: string): void {
  const { testPath = '' } = expect.getState();
  const note: SkipNote = { file: relative(CHECKOUT, testPath), reason };
  appendFileSync(join(inject('scratchDir'), FILE), `${JSON.stringify(note)}\n`);
}

/** All notes of a run. @param scratchDir the folder that global-setup.ts made */
export function readSkipNotes(scratchDir: string): SkipNote[] {
  let lines: string;
  try {
    lines = readFileSync(join(scratchDir, FILE), 'utf8');
  } catch {
    return []; // nothing is missing
  }
  return lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as SkipNote);
}

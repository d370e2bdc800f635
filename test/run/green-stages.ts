/**
 * Stages of `npm run test:all` with few and clear inputs run only when these have changed since a
 * green run. Their record is in two files: .inlet/green-stages.json, which each green run writes, and
 * test/run/green-stages.json, so that new clones can skip stages, too: copy the first one there, and
 * commit it. Without a record, a stage runs.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { createImports } from './imports.ts';
import { divideTestFiles, type Project, type Stage, STAGES } from './stages.ts';

type GreenRun = { inputs: string; commit: string };
type GreenStages = Record<string, GreenRun>;

const CHECKOUT = join(import.meta.dirname, '..', '..');
const OWN_FILE = join(CHECKOUT, '.inlet', 'green-stages.json');
const SHARED_FILE = join(import.meta.dirname, 'green-stages.json');

const ALWAYS = ['package-lock.json', 'test/vitest.config.ts'];

const git = async (...args: string[]): Promise<string> =>
  (await promisify(execFile)('git', args, { cwd: CHECKOUT, maxBuffer: 64 * 1024 * 1024 })).stdout;

/** A hash of the inputs. Undefined if the stage has too many, or without git. */
export async function inputsOf(name: string): Promise<string | undefined> {
  const stage: Stage | undefined = STAGES.find((one) => one.name === name);
  if (stage?.inputs === undefined) return undefined;
  const listed = await git(
    'ls-files',
    '-zco',
    '--exclude-standard',
    '--',
    ...ALWAYS,
    ...stage.inputs,
  )
    .then((text) => text.split('\0').filter(Boolean))
    .catch(() => undefined);
  if (listed === undefined) return undefined;
  const imports = createImports(CHECKOUT);
  const tests = divideTestFiles(CHECKOUT)[name as Project];
  const files = new Set([...listed, ...tests.flatMap((test) => [...imports.reached(test)])]);
  const hash = createHash('sha256');
  for (const file of [...files].toSorted())
    hash
      .update(`${file}\0`)
      .update(await contentOf(file))
      .update('\0');
  return hash.digest('hex');
}

/** A green run of the stage with these inputs. */
export async function greenRun(stage: string, inputs: string): Promise<GreenRun | undefined> {
  for (const file of [OWN_FILE, SHARED_FILE]) {
    const green = (await readStages(file))[stage];
    if (green?.inputs === inputs) return green;
  }
  return undefined;
}

export async function recordGreen(stage: string, inputs: string): Promise<void> {
  const commit = (await git('rev-parse', '--short', 'HEAD')).trim();
  const stages = { ...(await readStages(OWN_FILE)), [stage]: { inputs, commit } };
  await mkdir(dirname(OWN_FILE), { recursive: true });
  await writeFile(OWN_FILE, `${JSON.stringify(stages, null, 2)}\n`);
}

async function readStages(file: string): Promise<GreenStages> {
  const text = await readFile(file, 'utf8').catch(() => '{}');
  return JSON.parse(text) as GreenStages;
}

/** A file that was removed, but not yet from git, has none. */
const contentOf = (file: string) => readFile(join(CHECKOUT, file)).catch(() => '');

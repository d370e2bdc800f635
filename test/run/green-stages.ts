/**
 * Stages of `npm run test:all` with few and clear inputs run only when these have changed since a
 * green run. A green run in which no test was skipped and no file flaky writes the hash of its inputs to
 * test/run/green-stages.json. That file belongs into the commit: then every clone, also that of CI,
 * skips the stage until an input changes. Without a record, a stage runs.
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

const ALWAYS = ['package-lock.json', 'test/vitest.config.ts'];
const RECORD = join('test', 'run', 'green-stages.json');

export type Green = {
  /** A hash of the inputs. Undefined if the stage has too many, or without git. */
  inputsOf(stage: string): Promise<string | undefined>;
  /** A green run of the stage with these inputs. */
  runWith(stage: string, inputs: string): Promise<GreenRun | undefined>;
  record(stage: string, inputs: string): Promise<void>;
};

export function createGreenStages(checkout: string): Green {
  const recordFile = join(checkout, RECORD);
  const git = async (...args: string[]): Promise<string> =>
    (await promisify(execFile)('git', args, { cwd: checkout, maxBuffer: 2 ** 26 })).stdout;
  /** A file that was removed, but not yet from git, has none. */
  const contentOf = (file: string) => readFile(join(checkout, file)).catch(() => '');

  async function inputsOf(name: string): Promise<string | undefined> {
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
    const imports = createImports(checkout);
    const tests = divideTestFiles(checkout)[name as Project];
    const files = new Set([...listed, ...tests.flatMap((test) => [...imports.reached(test)])]);
    const hash = createHash('sha256');
    for (const file of [...files].toSorted())
      hash
        .update(`${file}\0`)
        .update(await contentOf(file))
        .update('\0');
    return hash.digest('hex');
  }

  async function runWith(stage: string, inputs: string): Promise<GreenRun | undefined> {
    const green = (await readStages(recordFile))[stage];
    return green?.inputs === inputs ? green : undefined;
  }

  async function record(stage: string, inputs: string): Promise<void> {
    const commit = (await git('rev-parse', '--short', 'HEAD')).trim();
    const stages = { ...(await readStages(recordFile)), [stage]: { inputs, commit } };
    await mkdir(dirname(recordFile), { recursive: true });
    await writeFile(recordFile, `${JSON.stringify(stages, null, 2)}\n`);
  }
  return { inputsOf, runWith, record };
}

async function readStages(file: string): Promise<GreenStages> {
  const text = await readFile(file, 'utf8').catch(() => '{}');
  return JSON.parse(text) as GreenStages;
}

/** `npm run test:fuzz`: how many seeds may find a defect, and what its last line says. */
import { spawnSync } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';

const FUZZ = join(import.meta.dirname, 'fuzz.ts');

/** Three seeds, of which so many fail, with a `vitest` that does nothing else. */
async function fuzz(failing: number, ...args: string[]) {
  const folder = await mkdtemp(join(inject('scratchDir'), 'fuzz-'));
  const vitest = `#!/bin/sh
    echo run >> ${folder}/runs
    [ $(wc -l < ${folder}/runs) -gt ${failing} ]`;
  await writeFile(join(folder, 'vitest'), vitest, { mode: 0o755 });
  const { stdout, status } = spawnSync(
    process.execPath,
    [FUZZ, '--seeds', '3', ...args, 'any.test.ts'],
    { encoding: 'utf8', env: { PATH: `${folder}:${process.env.PATH}` } },
  );
  return [
    status,
    stdout
      .trimEnd()
      .split('\n')
      .at(-1)
      ?.replaceAll(/\d{3,}/g, 'SEED'),
  ];
}

const SEEDS = 'of the seeds SEED, SEED, SEED';
const REPEAT = 'npm run test:fuzz -- --seed SEED';

test.each([
  [0, [], 0, 'npm run test:fuzz passed with the seeds SEED, SEED, SEED'],
  [1, [], 1, `npm run test:fuzz FAILED with 1 ${SEEDS}; repeat: ${REPEAT}`],
  [
    1,
    ['--may-fail', '1'],
    0,
    `npm run test:fuzz passes, but FOUND A DEFECT with 1 ${SEEDS}; repeat: ${REPEAT}`,
  ],
  [
    2,
    ['--may-fail', '1'],
    1,
    `npm run test:fuzz FAILED with 2 ${SEEDS}; repeat: ${REPEAT}; ${REPEAT}`,
  ],
])('%i of three seeds fail, with %j: exit code %i', async (failing, args, status, line) => {
  expect(await fuzz(failing, ...args)).toEqual([status, line]);
});

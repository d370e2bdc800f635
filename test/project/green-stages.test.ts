/** A stage of `npm run test:all` is skipped only with the inputs of a green run. */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

import { createGreenStages } from '../run/green-stages.ts';

const FILES = {
  'package-lock.json': '{}',
  'charts/inlet/values.yaml': 'replicas: 2',
  'services/core/ports.ts': 'export const PORT = 25;',
  'services/core/other.ts': '',
  // not written out, because it would be an import of this file, too
  'test/chart/chart.test.ts': ['import', "'../../services/core/ports.ts';"].join(' '),
};

async function checkoutWith(files: Record<string, string>): Promise<string> {
  const checkout = await mkdtemp(join(tmpdir(), 'inlet-green-'));
  onTestFinished(() => rm(checkout, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(checkout, path)), { recursive: true });
    await writeFile(join(checkout, path), text);
  }
  execFileSync('git', ['init', '-q'], { cwd: checkout });
  commit(checkout);
  return checkout;
}

/** Whether the stage `chart` would be skipped. */
async function isSkipped(checkout: string): Promise<boolean> {
  const green = createGreenStages(checkout);
  const inputs = (await green.inputsOf('chart')) ?? '';
  return (await green.runWith('chart', inputs)) !== undefined;
}

test.each([
  ['a file of its own', 'charts/inlet/values.yaml', false],
  ['a new file of its own', 'charts/inlet/new.yaml', false],
  ['its test', 'test/chart/chart.test.ts', false],
  ['what its test imports', 'services/core/ports.ts', false],
  ['the packages', 'package-lock.json', false],
  ['another file', 'services/core/other.ts', true],
])('after a change of %s', async (_, path, skipped) => {
  const checkout = await checkoutWith(FILES);
  expect(await isSkipped(checkout)).toBe(false);
  const green = createGreenStages(checkout);
  await green.record('chart', (await green.inputsOf('chart')) ?? '');
  expect(await isSkipped(checkout)).toBe(true);
  await writeFile(join(checkout, path), 'changed');
  expect(await isSkipped(checkout)).toBe(skipped);
});

test('a record that was committed holds for a clone; a stage without inputs always runs', async () => {
  const checkout = await checkoutWith(FILES);
  const green = createGreenStages(checkout);
  await green.record('chart', (await green.inputsOf('chart')) ?? '');
  commit(checkout);
  const clone = await mkdtemp(join(tmpdir(), 'inlet-green-clone-'));
  onTestFinished(() => rm(clone, { recursive: true }));
  execFileSync('git', ['clone', '-q', '--depth', '1', `file://${checkout}`, clone]);
  expect(await isSkipped(clone)).toBe(true);
  expect(await green.inputsOf('systems')).toBeUndefined();
});

function commit(checkout: string): void {
  const as = ['-c', 'user.name=test', '-c', 'user.email=test@inlet.test'];
  execFileSync('git', ['add', '.'], { cwd: checkout });
  execFileSync('git', [...as, 'commit', '-qm', 'test'], { cwd: checkout });
}

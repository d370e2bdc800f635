/**
 * `npm run test:fuzz [-- --seed 1 --ms 500] [files]`: the random tests with a new seed, each
 * property for a set time. Prints the seed, with which a failure can be repeated.
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  options: {
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    ms: { type: 'string', default: '500' },
  },
  allowPositionals: true,
});
const files = positionals.length > 0 ? positionals : await randomTests(import.meta.dirname);
const repeat = `npm run test:fuzz -- --seed ${values.seed}`;
process.stdout.write(`seed ${values.seed}, ${values.ms} ms for each property; repeat: ${repeat}\n`);
const status = await run(files);
process.stdout.write(
  `${status === 0 ? 'passed' : 'FAILED'} with seed ${values.seed}; repeat: ${repeat}\n`,
);
process.exitCode = status;

/** The test files that use test/support/random.ts. */
async function randomTests(folder: string): Promise<string[]> {
  const paths = (await readdir(folder, { recursive: true })).filter((path) =>
    path.endsWith('.test.ts'),
  );
  const texts = await Promise.all(paths.map((path) => readFile(join(folder, path), 'utf8')));
  return paths
    .filter((_, at) =>
      /import \{[^}]*\bfc\b[^}]*\} from '[./]+\/support\/random\.ts'/.test(texts[at] ?? ''),
    )
    .map((path) => `test/${path}`);
}

function run(tests: readonly string[]): Promise<number> {
  const vitest = spawn(
    'vitest',
    [
      'run',
      '--config',
      'test/vitest.config.ts',
      '--reporter=default',
      '--testTimeout=60000',
      ...tests,
    ],
    {
      stdio: 'inherit',
      env: { ...process.env, FUZZ_SEED: values.seed, FUZZ_MS: values.ms, CI: '' },
      cwd: join(import.meta.dirname, '..'),
    },
  );
  return new Promise((resolve, reject) => {
    vitest.on('error', reject).on('close', (code) => resolve(code ?? 1));
  });
}

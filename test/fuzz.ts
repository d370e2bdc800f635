/**
 * `npm run test:fuzz [-- --seeds 2 --seed 1 --ms 500 --may-fail 1] [files]`: the random tests with
 * several new seeds, or with one, each property for a set time. Prints each seed, with which a
 * failure can be repeated. The last line, which is also appended to the file STEP_REPORT, has all
 * seeds. With `--may-fail`, so many seeds may find a defect: a change that causes one fails with
 * more, and one that was there before does not block others.
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const COMMAND = 'npm run test:fuzz';

const { values, positionals } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2' },
    seed: { type: 'string' },
    ms: { type: 'string', default: '500' },
    'may-fail': { type: 'string', default: '0' },
  },
  allowPositionals: true,
});
const seeds =
  values.seed === undefined
    ? Array.from({ length: Number(values.seeds) }, () => String(randomInt(2 ** 31)))
    : [values.seed];
if (seeds.length === 0) throw new Error('--seeds needs a number of at least 1');
const files = positionals.length > 0 ? positionals : await randomTests(import.meta.dirname);

const failed: string[] = [];
for (const [index, seed] of seeds.entries()) {
  process.stdout.write(
    `\nseed ${seed} (${index + 1} of ${seeds.length}), ${values.ms} ms for each property; ` +
      `repeat: ${repeat(seed)}\n`,
  );
  if ((await run(files, seed)) !== 0) failed.push(seed);
}

const passes = failed.length <= Number(values['may-fail']);
const found = `${failed.length} of the seeds ${seeds.join(', ')}; repeat: ${failed.map(repeat).join('; ')}`;
const result =
  failed.length === 0
    ? `${COMMAND} passed with the seeds ${seeds.join(', ')}`
    : `${COMMAND} ${passes ? 'passes, but FOUND A DEFECT' : 'FAILED'} with ${found}`;
process.stdout.write(`${result}\n`);
if (process.env.STEP_REPORT) appendFileSync(process.env.STEP_REPORT, `${result}\n`);
process.exitCode = passes ? 0 : 1;

function repeat(seed: string): string {
  return `${COMMAND} -- --seed ${seed}`;
}

/** The test files that use test/support/random.ts, without load tests: the seed changes little of these. */
async function randomTests(folder: string): Promise<string[]> {
  const paths = (await readdir(folder, { recursive: true })).filter((path) =>
    /(?<!\.load)\.test\.ts$/.test(path),
  );
  const texts = await Promise.all(paths.map((path) => readFile(join(folder, path), 'utf8')));
  return paths
    .filter((_, at) =>
      /import \{[^}]*\bfc\b[^}]*\} from '[./]+\/support\/random\.ts'/.test(texts[at] ?? ''),
    )
    .map((path) => `test/${path}`);
}

function run(tests: readonly string[], seed: string): Promise<number> {
  const vitest = spawn('vitest', ['run', '--config', 'test/vitest.config.ts', ...tests], {
    stdio: 'inherit',
    env: { ...process.env, FUZZ_SEED: seed, FUZZ_MS: values.ms },
    cwd: join(import.meta.dirname, '..'),
  });
  return new Promise((resolve, reject) => {
    vitest.on('error', reject).on('close', (code) => resolve(code ?? 1));
  });
}

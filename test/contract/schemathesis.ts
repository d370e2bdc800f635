/** schemathesis from PyPI, in a folder of its own: it reads the OpenAPI document of a running API and tries what the document promises. */
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const VERSION = '4.32.5';
const FOLDER = join(import.meta.dirname, '../../.inlet', `schemathesis-${VERSION}`);
const PROGRAM = join(FOLDER, 'bin', 'schemathesis');
const INSTALL_TIMEOUT_MS = 120_000;

/** Why it cannot be had here; undefined once it is there. */
export async function installSchemathesis(): Promise<string | undefined> {
  if (existsSync(PROGRAM)) return undefined;
  try {
    await run('python3', ['-m', 'venv', FOLDER], { timeout: INSTALL_TIMEOUT_MS });
    await run(
      join(FOLDER, 'bin', 'pip'),
      ['install', '--quiet', '--disable-pip-version-check', `schemathesis==${VERSION}`],
      { timeout: INSTALL_TIMEOUT_MS },
    );
    return undefined;
  } catch (error) {
    return `schemathesis cannot be installed from PyPI: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`;
  }
}

/** What it printed, and whether it found nothing. */
export async function runSchemathesis(
  args: readonly string[],
): Promise<{ isClean: boolean; report: string }> {
  const child = spawn(PROGRAM, ['run', ...args], {
    cwd: FOLDER,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, SCHEMATHESIS_HOOKS: 'formats', PYTHONPATH: import.meta.dirname },
  });
  let report = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (report += text));
  const code = await new Promise<number | null>((resolve, reject) =>
    child.on('error', reject).on('close', resolve),
  );
  return { isClean: code === 0, report };
}

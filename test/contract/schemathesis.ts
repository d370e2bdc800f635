/**
 * schemathesis from PyPI in its own folder. It tests a running API against its OpenAPI document.
 */
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { makeCertificate } from '../../services/adapters/tls/certificates.ts';
import { atMost } from '../support/slowdown.ts';

const run = promisify(execFile);

const VERSION = '4.32.5';
const FOLDER = join(import.meta.dirname, '../../.inlet', `schemathesis-${VERSION}`);
const PROGRAM = join(FOLDER, 'bin', 'schemathesis');
const INSTALL_TIMEOUT_MS = 120_000;

/** The reason why it cannot be installed here; undefined once it is installed. */
export async function installSchemathesis(): Promise<string | undefined> {
  if (existsSync(PROGRAM)) return undefined;
  try {
    await run('python3', ['-m', 'venv', FOLDER], { timeout: atMost(INSTALL_TIMEOUT_MS) });
    await run(
      join(FOLDER, 'bin', 'pip'),
      ['install', '--quiet', '--disable-pip-version-check', `schemathesis==${VERSION}`],
      { timeout: atMost(INSTALL_TIMEOUT_MS) },
    );
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    return `schemathesis cannot be installed from PyPI: ${reason}`;
  }
}

/** Its output, and whether it found no failure. */
export async function runSchemathesis(
  args: readonly string[],
): Promise<{ isClean: boolean; report: string }> {
  const { cert, key } = await makeCertificate(['inlet'], { isForClients: true });
  const child = spawn(PROGRAM, ['run', ...args], {
    cwd: FOLDER,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      SCHEMATHESIS_HOOKS: 'formats',
      PYTHONPATH: import.meta.dirname,
      CERTIFICATE: cert,
      PRIVATE_KEY: key,
    },
  });
  let report = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (report += text));
  const code = await new Promise<number | null>((resolve, reject) =>
    child.on('error', reject).on('close', resolve),
  );
  return { isClean: code === 0, report };
}

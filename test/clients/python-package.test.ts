/**
 * inlet-client as `python -m build` makes it: its files, the programs of its README, and calls of a
 * running Inlet.
 */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, expect, test } from 'vitest';

import { installPythonPackageTools } from '../contract/tools.ts';
import { withSharedSystem } from '../support/shared-standalone.ts';
import { installBuiltPython } from './built-python.ts';
import { checkReceiver, type Live, startLive, writePrograms } from './live.ts';

const run = promisify(execFile);
const README = 'docs/clients/python.md';
/** The application that the README tests. */
const APP = `import os
import urllib.parse
import urllib.request


def sign_up(email: str) -> None:
    body = urllib.parse.urlencode({"email": email}).encode()
    urllib.request.urlopen(f"{os.environ['APP_URL']}/sign-up", body).close()
`;
const OWN_FILES = [
  '__init__.py',
  'async_client.py',
  'client.py',
  'errors.py',
  'py.typed',
  'types.py',
  'webhooks.py',
];

const parts = new AsyncDisposableStack();
let live: Live;
let python: string | undefined;
let files: { wheel: string[]; sdist: string[] };

withSharedSystem.beforeAll(async ({ shared }) => {
  const tools = await installPythonPackageTools();
  if (tools === undefined) return;
  python = join(tools, 'bin', 'python');
  live = parts.use(await startLive(shared.system));
  files = await listBoth(python);
});
afterAll(() => parts.disposeAsync());

const pathsIn = (text: string): string[] => text.match(/[\w.-]+(?:\/[\w.-]+)+/g) ?? [];

async function listBoth(program: string): Promise<typeof files> {
  const { wheel, sdist } = await installBuiltPython(program, live.folder);
  const list = async (module: string, path: string) =>
    (await run(program, ['-m', module, '-l', path])).stdout;
  return {
    wheel: pathsIn(await list('zipfile', wheel)),
    sdist: pathsIn(await list('tarfile', sdist)),
  };
}

const runPython = async (...args: string[]): Promise<string> => {
  const ran = await run(python ?? '', args, { cwd: live.folder, env: live.env }).catch(
    (error: Error & { stdout: string }) => error,
  );
  return ran.stdout;
};

test('L.5: both Python packages have all files, types and the license', ({ skip }) => {
  if (python === undefined) skip();
  expect(files.wheel).toEqual(
    expect.arrayContaining([
      ...OWN_FILES.map((name) => `inlet_client/${name}`),
      expect.stringMatching(/^inlet_client-[\d.]+\.dist-info\/licenses\/LICENSE$/),
    ]),
  );
  expect(files.wheel.filter((name) => !/^inlet_client(-[\d.]+\.dist-info)?\//.test(name))).toEqual(
    [],
  );
  const sources = OWN_FILES.map((name) =>
    expect.stringMatching(new RegExp(`^inlet_client-[\\d.]+/src/inlet_client/${name}$`)),
  );
  const root = ['LICENSE', 'README.md', 'pyproject.toml'].map((name) =>
    expect.stringMatching(new RegExp(`^inlet_client-[\\d.]+/${name}$`)),
  );
  expect(files.sdist).toEqual(expect.arrayContaining([...sources, ...root]));
});

test('L.5: the programs of the Python README type-check and run', async ({ skip }) => {
  const program = python ?? skip();
  const programs = await writePrograms(live.folder, README, 'python');
  await writeFile(join(live.folder, 'app.py'), APP);
  // the package is in the same folder, so that mypy checks it, too
  const cache = join(program, '..', '..', 'mypy-cache'); // of other packages
  const strict = ['--strict', '--python-version', '3.10', '--cache-dir', cache];
  expect(await runPython('-m', 'mypy', ...strict, ...programs)).toMatch(/^Success: no issues/);

  expect(await runPython('create.py')).toMatch(/^\S+@\S+ whsec_\S+\n$/);
  expect(await runPython('create_async.py')).toMatch(/^\S+@\S+\nfree\n$/);
  expect(await runPython('-m', 'pytest', '-q', 'test_sign_up.py')).toContain('1 passed');
  expect(await runPython('failed.py')).toBe('2 of 2\n');
  expect(await runPython('events.py')).toBe('Confirm your account\n');
  expect(await runPython('errors.py')).toBe('validation_failed 422 webhook_url not_https\n');
  expect(await runPython('pull.py')).toBe('Confirm your account\n');
  expect(await runPython('reply.py')).toMatch(/^\w+\+rticket-42\.70dbd880\.\w{16}@\S+\n$/);
  await checkReceiver(live, program, 'receiver.py');
  expect(programs.toSorted()).toEqual(
    [
      'api',
      'create',
      'create_async',
      'errors',
      'events',
      'failed',
      'pull',
      'receiver',
      'reply',
      'test_sign_up',
    ].map((name) => `${name}.py`),
  );
});

test('L.5: both Python clients against a live API', async ({ skip }) => {
  const program = python ?? skip();
  const SMTP_PORT = String(live.system.standalone.state().smtp_port);
  const options = { cwd: live.folder, env: { ...live.env, SMTP_PORT, PYTHONPATH: live.folder } };
  expect((await run(program, [join(import.meta.dirname, 'live_calls.py')], options)).stdout).toBe(
    'done\n',
  );
});

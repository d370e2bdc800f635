/**
 * The recipes of docs/testing-with-email.md: sign-up, magic link and password reset of an application
 * that sends its email to the Inlet of `npm start`.
 */
import { execFile } from 'node:child_process';
import { appendFile, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { installFromNpm, installPytest, PLAYWRIGHT } from '../contract/tools.ts';
import { findBrowserProgram } from '../support/browser.ts';
import { startWholeSystem, type WholeSystem } from '../support/start-standalone.ts';
import { codeBlocks, readPage } from './pages.ts';
import { startSignUpApp } from './sign-up-app.ts';

const run = promisify(execFile);

let system: WholeSystem;
let env: NodeJS.ProcessEnv;
const parts = new AsyncDisposableStack();
beforeAll(async () => {
  system = parts.use(await startWholeSystem());
  const app = parts.use(await startSignUpApp(system.mailer));
  const INLET_STATE = join(system.standalone.dataDir, 'standalone.json');
  env = { ...process.env, APP_URL: app.url, INLET_STATE };
});
afterAll(() => parts.disposeAsync());

/** A folder with the files that the page shows in this language. */
async function folderOf(language: string): Promise<string> {
  const folder = await mkdtemp(join(system.standalone.dataDir, 'recipe-'));
  for (const block of codeBlocks(await readPage('docs/testing-with-email.md'))) {
    const file = /^(?:\/\/|#) ([\w.]+)/.exec(block.code)?.[1];
    if (file !== undefined && block.language === language)
      await writeFile(join(folder, file), block.code);
  }
  return folder;
}

test('Playwright', async ({ skip }) => {
  const [browser, installed] = [
    await findBrowserProgram(),
    await installFromNpm('playwright', PLAYWRIGHT),
  ];
  if (browser === undefined || installed === undefined) {
    skip();
    return;
  }
  const folder = await folderOf('js');
  await symlink(join(installed, 'node_modules'), join(folder, 'node_modules'));
  const launchOptions = { executablePath: browser.path, args: ['--disable-dev-shm-usage'] };
  const config = { use: { baseURL: env.APP_URL, launchOptions }, timeout: 60_000, workers: 1 };
  await writeFile(
    join(folder, 'playwright.config.mjs'),
    `export default ${JSON.stringify(config)};\n`,
  );
  const program = join(folder, 'node_modules', '@playwright', 'test', 'cli.js');
  const { stdout } = await run(process.execPath, [program, 'test', '--reporter', 'list'], {
    cwd: folder,
    env: { ...env, ...browser.env },
  });
  expect(stdout).toContain('3 passed');
});

/** Playwright for Python has no setting for the browser of this machine. */
const OWN_BROWSER = `

import os
import pytest

@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    args = ["--disable-dev-shm-usage"]
    return {**browser_type_launch_args, "executable_path": os.environ["CHROME"], "args": args}
`;

test('pytest, with Playwright if there is a browser', async ({ skip }) => {
  const [browser, installed] = [await findBrowserProgram(), await installPytest()];
  if (installed === undefined) {
    skip();
    return;
  }
  const folder = await folderOf('python');
  const python = join(installed, 'bin', 'python');
  const args = ['-m', 'pytest', '-q', '--base-url', String(env.APP_URL)];
  await appendFile(join(folder, 'conftest.py'), OWN_BROWSER);
  const { stdout } = await run(
    python,
    browser === undefined ? [...args, '--ignore', 'test_browser.py'] : args,
    { cwd: folder, env: { ...env, ...browser?.env, ...(browser && { CHROME: browser.path }) } },
  );
  expect(stdout).toContain(browser === undefined ? '3 passed' : '4 passed');
});

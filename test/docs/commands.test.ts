/** The commands in docs/ work as printed, against an Inlet as `npm start` runs it. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect, test } from 'vitest';

import { freePort } from '../../services/standalone/processes/ports.ts';
import { until } from '../support/until.ts';
import { startWholeSystem } from '../support/start-standalone.ts';
import { useInFile } from '../support/use-in-file.ts';
import { CHECKOUT, codeBlocks, readPage } from './pages.ts';

const run = promisify(execFile);

const system = await useInFile(startWholeSystem({ SEARCH_BODIES: '30d' }));
// curl then fails where the API answers with an error
await writeFile(join(system.standalone.dataDir, '.curlrc'), 'fail-with-body\nsilent\nshow-error\n');

const environment = (): NodeJS.ProcessEnv => {
  const { api_url, token } = system.standalone.state();
  const { dataDir } = system.standalone;
  return {
    ...process.env,
    CURL_HOME: dataDir,
    INLET_DIR: dataDir,
    INLET_API_URL: api_url,
    INLET_TOKEN: token,
  };
};

/**
 * The sh blocks of a page as one script. The folder of the running Inlet takes the place of
 * `.inlet`.
 */
async function runPage(path: string): Promise<string> {
  const script = codeBlocks(await readPage(path))
    .filter(({ language, code }) => language === 'sh' && code.trim() !== 'npm start')
    .map(({ code }) => code.replaceAll('.inlet/', `${system.standalone.dataDir}/`))
    .join('\nsleep 2\n'); // a person is not faster
  expect(script).not.toBe('');
  const { stdout } = await run('bash', ['-O', 'expand_aliases', '-euo', 'pipefail', '-c', script], {
    cwd: CHECKOUT,
    env: environment(),
  });
  return stdout;
}

test('getting started: send, create an address, list deliveries, replay', async () => {
  const output = await runPage('docs/getting-started.md');
  expect(output).toMatch(/@inlet\.localhost: 250 /);
  expect(output).toContain('"description":"orders"');
  expect(output).toMatch(/"attempt_count":\d/);
  expect(output).toContain('"status":"pending"');
});

test.each([
  'README.md',
  'docs/api.md',
  'docs/addresses-and-domains.md',
  'docs/cli.md',
  'docs/local-development.md',
  'docs/troubleshooting.md',
])('the commands of %s succeed', async (path) => {
  expect(await runPage(path)).toContain('{');
});

test('the Node receiver, changed as local development says, receives an email', async () => {
  const [receiver = ''] = codeBlocks(await readPage('docs/receiving-webhooks.md'))
    .filter(({ language, code }) => language === 'js' && code.includes('// receiver.mjs'))
    .map(({ code }) => code);
  const [diff = ''] = codeBlocks(await readPage('docs/local-development.md'))
    .filter(({ language }) => language === 'diff')
    .map(({ code }) => code);
  const { dataDir } = system.standalone;
  const folder = join(dataDir, 'own-receiver');
  await mkdir(folder);
  await symlink(join(CHECKOUT, 'node_modules'), join(folder, 'node_modules'));
  await symlink(dataDir, join(folder, '.inlet'));
  await writeFile(join(folder, 'receiver.mjs'), patched(receiver, diff));

  const port = await freePort();
  const { status, body } = await system.call('POST', '/addresses', {
    webhook_url: `https://127.0.0.1:${port}/`,
  });
  expect(status).toBe(201);
  const { id, address, webhook_secret } = body as Record<string, string>;
  const child = spawn(process.execPath, ['receiver.mjs'], {
    cwd: folder,
    env: { ...process.env, WEBHOOK_SECRET: webhook_secret, PORT: String(port) },
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => void (output += chunk.toString()));
  try {
    await until('the receiver', async () => {
      const sample = await system.call('POST', `/addresses/${id}/test`);
      return (sample.body as { outcome?: string }).outcome === 'accepted';
    });
    await run('npm', ['run', 'send', '--', address ?? '', '--subject', 'For my receiver'], {
      cwd: CHECKOUT,
      env: environment(),
    });
    await until('the email', () => output.includes('For my receiver'));
    expect(output).toMatch(/^evt_\w+ For my receiver$/m);
  } finally {
    child.kill();
    await once(child, 'exit');
  }
});

/**
 * Replaces each group of removed lines by the added lines that follow it.
 * @throws when a removed line is not there
 */
function patched(source: string, diff: string): string {
  return [...diff.matchAll(/((?:^-.*\n)+)((?:^\+.*\n)+)/gm)].reduce(
    (text, [, removed = '', added = '']) => {
      const [before, after] = [removed, added].map((lines) => lines.replaceAll(/^[-+]/gm, ''));
      if (before === undefined || !text.includes(before)) throw new Error(`not found: ${before}`);
      return text.replace(before, () => after ?? '');
    },
    source,
  );
}

/**
 * The recipes for test suites in docs/local-development.md: the script starts and stops Inlet, and
 * the test of each language passes against it.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect, inject, test } from 'vitest';

import { testDir } from '../support/servers.ts';
import { startWholeSystem } from '../support/start-standalone.ts';
import { useInFile } from '../support/use-in-file.ts';
import { CHECKOUT, codeBlocks, readPage } from './pages.ts';

const run = promisify(execFile);

const system = await useInFile(startWholeSystem());

async function recipe(language: string, file: string): Promise<string> {
  const blocks = codeBlocks(await readPage('docs/local-development.md'));
  const code = blocks.find((block) => block.language === language && block.code.includes(file));
  if (code === undefined) throw new Error(`no ${language} block with ${file}`);
  return code.code;
}

const RECIPES: Record<string, { file: string; command: [string, ...string[]]; more?: string[] }> = {
  js: { file: 'mail.test.mjs', command: [process.execPath, '--test', 'mail.test.mjs'] },
  python: { file: 'mail_test.py', command: ['python3', '-m', 'unittest', 'mail_test.py'] },
  go: { file: 'mail_test.go', command: ['go', 'test'], more: ['go.mod'] },
};

test.each(Object.keys(RECIPES))(
  'the test in %s creates an address, sends an email and receives it',
  async (language) => {
    const { file, command, more } = RECIPES[language] ?? { file: '', command: [''] };
    const { dataDir } = system.standalone;
    const folder = await mkdtemp(join(dataDir, 'recipe-'));
    await symlink(join(CHECKOUT, 'node_modules'), join(folder, 'node_modules'));
    await mkdir(join(folder, '.inlet'));
    await symlink(join(dataDir, 'standalone.json'), join(folder, '.inlet', 'standalone.json'));
    await writeFile(join(folder, file), await recipe(language, file));
    if (more) await writeFile(join(folder, 'go.mod'), 'module shop\n\ngo 1.22\n');
    const [program, ...args] = command;
    const { stdout, stderr } = await run(program, args, { cwd: folder });
    expect(`${stdout}${stderr}`).toMatch(/^ok |\bOK\b|# pass 1|ℹ pass 1/m);
  },
);

test('the script starts Inlet, runs the tests, and stops it', async () => {
  await using dir = await testDir();
  const script = (await recipe('bash', 'npm start'))
    .replaceAll('.inlet/', `${dir.path}/`)
    .replace('inlet.log', join(dir.path, 'inlet.log'))
    .replace('YOUR_TESTS', 'npm exec --silent inlet -- addresses list');
  const { stdout } = await run('bash', ['-eu', '-c', script], {
    cwd: CHECKOUT,
    env: {
      ...process.env,
      INLET_DIR: dir.path,
      NATS_SERVER_BIN: inject('natsServerBinary'),
      MONGOD_BIN: inject('mongodBinary'),
      SMTP_PORT: '0',
      API_PORT: '0',
      RECEIVER_PORT: '0',
    },
  });
  expect(stdout).toContain('@inlet.localhost');
});

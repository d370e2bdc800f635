/** The recipe for test suites in docs/local-development.md: the script starts and stops Inlet. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect, inject, test } from 'vitest';

import { testDir } from '../support/servers.ts';
import { CHECKOUT, codeBlocks, readPage } from './pages.ts';

const run = promisify(execFile);

test('the script starts Inlet, runs the tests, and stops it', async () => {
  await using dir = await testDir();
  const blocks = codeBlocks(await readPage('docs/local-development.md'));
  const recipe = blocks.find(
    ({ language, code }) => language === 'bash' && code.includes('npm start'),
  );
  const script = (recipe?.code ?? '')
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

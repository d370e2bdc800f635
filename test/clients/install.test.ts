/** The clients install with the commands of their pages, in a fresh folder beside a fresh checkout. */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect, test } from 'vitest';

import { CHECKOUT, codeBlocks, readPage } from '../docs/pages.ts';
import { testDir } from '../support/servers.ts';

const run = promisify(execFile);
/** What a client is built from. */
const SOURCES = [
  'services/clients',
  'services/core/api',
  'docs/clients',
  'LICENSE',
  'package.json',
  'tsconfig.json',
  '.gitignore',
];

/** The first block of a page installs; the page says why in its first line. */
async function installCommand(path: string): Promise<string> {
  const page = await readPage(path);
  expect(page.text.split('\n')[2]).toMatch(/^\*\*Not yet published on (npm|PyPI)\*\*/);
  return codeBlocks(page)[0]?.code ?? '';
}

test.each([
  {
    page: 'docs/clients/typescript.md',
    before: `echo '{"type": "module"}' > package.json`,
    use: `node -e "import('@inlet-email/client').then((all) => console.log(typeof all.createInlet))"`,
    says: 'function\n',
  },
  {
    page: 'docs/clients/python.md',
    before: 'python3 -m venv own && . own/bin/activate',
    use: 'python -c "import inlet_client; print(callable(inlet_client.Inlet))"',
    says: 'True\n',
  },
])('the command of $page installs the client and leaves nothing', async (the) => {
  await using dir = await testDir();
  const [checkout, project] = [join(dir.path, 'inlet'), join(dir.path, 'project')];
  await Promise.all([mkdir(checkout), mkdir(project)]);
  const inCheckout = (command: string) => run('bash', ['-euc', command], { cwd: checkout });
  const files = `git -C '${CHECKOUT}' ls-files -z ${SOURCES.join(' ')}`;
  await inCheckout(`${files} | tar -C '${CHECKOUT}' --null -T - -c | tar -x && git init -q`);
  await inCheckout('git add --all');
  await writeFile(
    join(project, 'install.sh'),
    [the.before, await installCommand(the.page), `${the.use} > used`].join('\n'),
  );
  await run('bash', ['-eu', 'install.sh'], { cwd: project });
  expect((await run('cat', ['used'], { cwd: project })).stdout).toBe(the.says);
  // neither new files nor changed ones, and no packages
  expect((await inCheckout('git status --porcelain | grep -v ^A || true')).stdout).toBe('');
  expect((await inCheckout('ls')).stdout).not.toContain('node_modules');
});

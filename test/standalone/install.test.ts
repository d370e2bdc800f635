/** install.mjs with a script in the place of npm: it installs when the lock file changed, and only then. */
import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

import { expect, test } from 'vitest';

import { testDir } from '../support/servers.ts';

const INSTALL = join(import.meta.dirname, '..', '..', 'services', 'standalone', 'install.mjs');
const NODE_24 = '#!/bin/sh\necho v24.1.0\n';

/** An npm that notes how it was called and brings a Node of its own, as the package `node` does. */
const npmBringing = (node: string) => `#!/bin/sh
echo "$1" >> npm-calls
mkdir -p node_modules/.bin
cat > node_modules/.bin/node <<'END'
${node}END
chmod +x node_modules/.bin/node
`;

type Checkout = {
  install: () => Promise<{ code: number; stderr: string }>;
  npmCalls: () => Promise<string[]>;
  lock: (text: string) => Promise<void>;
};

async function checkout(dir: string, npm: string): Promise<Checkout> {
  await mkdir(join(dir, 'bin'));
  await writeFile(join(dir, 'bin', 'npm'), npm);
  await chmod(join(dir, 'bin', 'npm'), 0o755);
  const lock = (text: string) => writeFile(join(dir, 'package-lock.json'), text);
  await lock('{}');
  const env = { PATH: [join(dir, 'bin'), '/usr/bin', '/bin'].join(delimiter) };
  return {
    lock,
    install: () =>
      new Promise((resolve) => {
        execFile(process.execPath, [INSTALL, dir], { env }, (error, _, stderr) =>
          resolve({ code: error ? Number(error.code) : 0, stderr }),
        );
      }),
    npmCalls: async () => (await readFile(join(dir, 'npm-calls'), 'utf8')).trim().split('\n'),
  };
}

test('packages are installed at first, and again only when the lock file changed', async () => {
  await using dir = await testDir();
  const { install, npmCalls, lock } = await checkout(dir.path, npmBringing(NODE_24));
  expect(await install()).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/installing npm packages .*\n.*installed in \d+\.\d s\n$/),
  });
  expect(await install()).toEqual({ code: 0, stderr: '' });
  expect(await npmCalls()).toEqual(['ci']);
  await lock('{"other":true}');
  expect((await install()).code).toBe(0);
  expect(await npmCalls()).toEqual(['ci', 'ci']);
});

test('a failed install is one sentence, and the next start tries again', async () => {
  await using dir = await testDir();
  const { install } = await checkout(
    dir.path,
    '#!/bin/sh\necho "npm error code ENOTFOUND\nnpm error network is down" >&2; exit 1\n',
  );
  const failed = {
    code: 1,
    stderr:
      'inlet: installing npm packages (npm ci) …\ninlet: npm could not install the packages: network is down\n',
  };
  expect(await install()).toEqual(failed);
  expect(await install()).toEqual(failed);
});

test.each([
  [
    'an old Node',
    '#!/bin/sh\necho v20.1.0\n',
    'node_modules/.bin/node is Node 20, but Node 24 or later is needed',
  ],
  [
    'no Node that runs',
    '#!/bin/sh\nexit 1\n',
    'node_modules/.bin/node is missing, but Node 24 or later is needed',
  ],
])('packages that bring %s are refused', async (_, node, message) => {
  await using dir = await testDir();
  const { install } = await checkout(dir.path, npmBringing(node));
  expect(await install()).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
});

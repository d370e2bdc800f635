/** launch.mjs with a script in place of npm: when it installs, and how it runs a command. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

import { describe, expect, test } from 'vitest';

import { testDir } from '../support/servers.ts';

const CHECKOUT = join(import.meta.dirname, '..', '..');
const FOLDER = join('services', 'standalone');
const NODE_24 = '#!/bin/sh\necho v24.1.0 "$@"\n';

/** An npm that records its arguments and installs a `node`, as the package of that name does. */
const npmInstalling = (node: string) => `#!/bin/sh
[ "$1" = ping ] && exit
echo "$*" | sed 's/ --no-audit.*//' >> npm-calls
mkdir -p node_modules/.bin
cat > node_modules/.bin/node <<'END'
${node}END
chmod +x node_modules/.bin/node
`;

/** An npm that does this for `npm ping` and `npm ci`. */
const npmWith = ({ ping = 'true', ci }: { ping?: string; ci: string }) =>
  `#!/bin/sh\necho "$*" | sed 's/ --loglevel.*//' >> npm-calls\nif [ "$1" = ping ]; then\n${ping}\nelse\n${ci}\nfi\n`;

type Result = { code: number; stdout: string; stderr: string };

type Checkout = {
  file: string;
  env: { PATH: string };
  launch: (...command: string[]) => Promise<Result>;
  npmCalls: () => Promise<string[]>;
  lock: (text: string) => Promise<void>;
};

async function checkout(dir: string, npm: string): Promise<Checkout> {
  await mkdir(join(dir, FOLDER), { recursive: true });
  const file = join(dir, FOLDER, 'launch.mjs');
  await copyFile(join(CHECKOUT, FOLDER, 'launch.mjs'), file);
  await mkdir(join(dir, 'bin'));
  await writeFile(join(dir, 'bin', 'npm'), npm);
  await chmod(join(dir, 'bin', 'npm'), 0o755);
  const lock = (text: string) => writeFile(join(dir, 'package-lock.json'), text);
  await lock('{}');
  const env = { PATH: [join(dir, 'bin'), '/usr/bin', '/bin'].join(delimiter) };
  return {
    file,
    env,
    lock,
    launch: (...command) =>
      new Promise((resolve) => {
        execFile(process.execPath, [file, ...command], { env }, (error, stdout, stderr) =>
          resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
        );
      }),
    npmCalls: async () => (await readFile(join(dir, 'npm-calls'), 'utf8')).trim().split('\n'),
  };
}

test('packages are installed at the first run, and again only when the lock file has changed', async () => {
  await using dir = await testDir();
  const { launch, npmCalls, lock } = await checkout(dir.path, npmInstalling(NODE_24));
  expect(await launch()).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/installing npm packages .*\n.*npm packages in \d+\.\d s\n$/),
  });
  expect(await launch()).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(await npmCalls()).toEqual(['ci']);
  await lock('{"other":true}');
  expect((await launch()).code).toBe(0);
  expect(await npmCalls()).toEqual(['ci', 'ci']);
});

test('a service installs no packages for development; these are added when they are needed', async () => {
  await using dir = await testDir();
  const { launch, npmCalls, lock } = await checkout(dir.path, npmInstalling(NODE_24));
  const start = () => launch('node', join(FOLDER, 'main.ts'));
  await start();
  await start();
  await launch('node', join(dir.path, FOLDER, 'main.ts')); // as inlet.mjs names it
  expect(await npmCalls()).toEqual(['ci --omit=dev']);
  await launch('node', join('test', 'bench', 'main.ts'));
  await start();
  expect(await npmCalls()).toEqual(['ci --omit=dev', 'install --no-save']);
  await lock('{"other":true}');
  await start(); // it does not remove what the checkout has
  await rm(join(dir.path, 'node_modules', '.inlet-lock-sha256'));
  await start(); // nor what npm installed by hand
  expect(await npmCalls()).toEqual(['ci --omit=dev', 'install --no-save', 'ci', 'ci']);
});

test('as a script of npm install --global, it installs into the checkout', async () => {
  await using dir = await testDir();
  const refusing = `[ -n "$npm_config_global$npm_config_location" ] && exit 1\n`;
  const npm = npmInstalling(NODE_24).replace('\n', () => `\n${refusing}`);
  const { file, env, npmCalls } = await checkout(dir.path, npm);
  const npm_config = { npm_config_global: 'true', npm_config_location: 'global' };
  await promisify(execFile)(process.execPath, [file], { env: { ...env, ...npm_config } });
  expect(await npmCalls()).toEqual(['ci']);
});

const NO_DNS = `echo "npm error code EAI_AGAIN
npm error syscall getaddrinfo
npm error errno EAI_AGAIN
npm error request to https://npm.example/-/ping failed, reason: getaddrinfo EAI_AGAIN npm.example
npm error A complete log of this run can be found in: /log" >&2; exit 1`;

test('without a network, npm only asks its cache, and the error names the host and what to do', async () => {
  await using dir = await testDir();
  const npm = npmWith({ ping: NO_DNS, ci: 'echo "npm error code ENOTCACHED" >&2; exit 1' });
  const { launch, npmCalls } = await checkout(dir.path, npm);
  expect(await launch()).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'inlet: installing npm packages (npm ci) …\n' +
      'inlet: the npm packages are missing, and npm cannot reach its registry: ' +
      'request to https://npm.example/-/ping failed, reason: getaddrinfo EAI_AGAIN npm.example. ' +
      'Connect this machine, or set a proxy or a mirror: npm config set proxy URL, ' +
      'npm config set registry URL\n',
  });
  expect(await npmCalls()).toEqual([
    'ping --fetch-retries=0 --fetch-timeout=10000',
    'ci --offline --no-audit --no-fund',
  ]);
});

test.each([
  ['without a network, packages of the cache', NO_DNS, 'ci --offline'],
  ['from a mirror that has no ping', 'echo "npm error code E404" >&2; exit 1', 'ci'],
])('%s are installed', async (_, ping, call) => {
  await using dir = await testDir();
  const { launch, npmCalls } = await checkout(
    dir.path,
    npmWith({ ping, ci: npmInstalling(NODE_24) }),
  );
  expect((await launch()).code).toBe(0);
  expect((await npmCalls())[1]).toBe(`${call} --no-audit --no-fund`);
});

test('a failed installation is one sentence, and the next run tries again', async () => {
  await using dir = await testDir();
  const { launch } = await checkout(
    dir.path,
    npmWith({ ci: 'echo "npm error code EUSAGE\nnpm error the lock file is wrong" >&2; exit 1' }),
  );
  const failed = {
    code: 1,
    stdout: '',
    stderr:
      'inlet: installing npm packages (npm ci) …\n' +
      'inlet: npm could not install the packages: the lock file is wrong\n',
  };
  expect(await launch('echo', 'never')).toEqual(failed);
  expect(await launch()).toEqual(failed);
});

test.each([
  [
    'an old Node',
    '#!/bin/sh\necho v20.1.0\n',
    'node_modules/.bin/node is Node 20, but Inlet needs Node 24 or later',
  ],
  [
    'a Node that does not run',
    '#!/bin/sh\nexit 1\n',
    'node_modules/.bin/node is missing, but Inlet needs Node 24 or later',
  ],
])('packages with %s are refused', async (_, node, message) => {
  await using dir = await testDir();
  const { launch } = await checkout(dir.path, npmInstalling(node));
  expect(await launch()).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
});

describe('the command', () => {
  test('runs with the pinned Node first on its PATH, and its exit code is the result', async () => {
    await using dir = await testDir();
    const { launch } = await checkout(dir.path, npmInstalling(NODE_24));
    expect(await launch('node', 'a file.ts', '--flag')).toMatchObject({
      code: 0,
      stdout: 'v24.1.0 a file.ts --flag\n',
    });
    expect(await launch('sh', '-c', 'exit 7')).toMatchObject({ code: 7 });
    expect(await launch('no-such-program')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('inlet: cannot run no-such-program'),
    });
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('receives %s', async (signal) => {
    await using dir = await testDir();
    const { launch, file, env } = await checkout(dir.path, npmInstalling(NODE_24));
    await launch();
    const command = ['sh', '-c', 'trap "exit 3" INT TERM; echo ready; while :; do sleep 0.1; done'];
    const launched = spawn(process.execPath, [file, ...command], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(launched.stdout, 'data');
    launched.kill(signal);
    expect(await once(launched, 'exit')).toEqual([3, null]);
  });

  test('ends when npm is killed, whose shell passes no signal on', async () => {
    await using dir = await testDir();
    const { launch, file, env } = await checkout(dir.path, npmInstalling(NODE_24));
    await launch();
    const command = 'trap "echo ended; exit" TERM; echo ready; while :; do sleep 0.1; done';
    const shell = spawn(
      'sh',
      ['-c', '"$@"; true', 'sh', process.execPath, file, 'sh', '-c', command],
      {
        env: { ...env, npm_lifecycle_event: 'start' },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    let output = '';
    shell.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    await once(shell.stdout, 'data');
    shell.kill('SIGKILL');
    await once(shell.stdout, 'close'); // the last process that could write to it has ended
    expect(output).toBe('ready\nended\n');
  });
});

test('package.json names the installation nowhere else', async () => {
  const { scripts } = JSON.parse(await readFile(join(CHECKOUT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  expect(Object.keys(scripts).filter((name) => /^(pre|post)/.test(name))).toEqual([]);
  const withoutLauncher = Object.entries(scripts).filter(
    ([, script]) => !/node services\/standalone\/(launch|inlet)\.mjs/.test(script), // inlet.mjs launches, too
  );
  // skaffold, which needs no package
  expect(withoutLauncher.map(([name]) => name)).toEqual(['dev']);
});

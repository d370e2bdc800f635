/** `npm start` as its user meets it: the main program run as a process of its own, its files, its restarts, and what happens after it was killed. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect, inject, test } from 'vitest';

import { readState, type StandaloneState } from '../../services/standalone/state.ts';
import { testDir } from '../support/servers.ts';

const CHECKOUT = join(import.meta.dirname, '..', '..');
const START_TIMEOUT_MS = 60_000;

type Run = AsyncDisposable & {
  process: ChildProcess;
  screen(): string;
  ready(): Promise<StandaloneState>;
  stop(): Promise<number | null>;
};

function npmStart(dataDir: string, env: NodeJS.ProcessEnv = {}): Run {
  const settings = {
    INLET_DIR: dataDir,
    SMTP_PORT: '0',
    API_PORT: '0',
    RECEIVER_PORT: '0',
    LOG_LEVEL: 'info',
  };
  const servers = {
    NATS_SERVER_BIN: inject('natsServerBinary'),
    MONGOD_BIN: inject('mongodBinary'),
  };
  const child = spawn(process.execPath, [join(CHECKOUT, 'services', 'standalone', 'main.ts')], {
    env: { PATH: process.env.PATH, ...settings, ...servers, ...env },
  });
  let shown = '';
  const take = (chunk: Buffer) => void (shown += chunk.toString());
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  const exited = once(child, 'exit') as Promise<[number | null]>;

  async function ready(): Promise<StandaloneState> {
    await until(() => {
      if (child.exitCode !== null) throw new Error(`it ended:\n${shown}`);
      return shown.includes('Inlet is ready');
    }, START_TIMEOUT_MS);
    return readState(dataDir);
  }
  async function stop(): Promise<number | null> {
    child.kill('SIGINT');
    return (await exited)[0];
  }
  async function dispose(): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) await stop();
  }
  return { process: child, screen: () => shown, ready, stop, [Symbol.asyncDispose]: dispose };
}

async function until(isTrue: () => boolean | Promise<boolean>, timeoutMs = 20_000): Promise<void> {
  for (const deadlineMs = Date.now() + timeoutMs; !(await isTrue()); await sleep(20)) {
    if (Date.now() > deadlineMs)
      throw new Error(`not within ${timeoutMs} ms: ${isTrue.toString()}`);
  }
}

function npmRunSend(
  dataDir: string,
  ...args: string[]
): Promise<{ code: number | null; output: string }> {
  const child = spawn(
    process.execPath,
    [join(CHECKOUT, 'services', 'standalone', 'send.ts'), ...args],
    { env: { INLET_DIR: dataDir } },
  );
  return Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]).then(
    ([out, err, [code]]) => ({ code, output: out + err }),
  );
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('it shows the webhook of its sample mail, keeps its account over a restart, and stops everything', async () => {
  await using dir = await testDir();
  await using first = npmStart(dir.path);
  const state = await first.ready();
  expect(first.screen()).toContain('webhook received, signature verified');
  expect(first.screen()).toContain('attached hello.txt, text/plain, 15 bytes');
  expect((await stat(join(dir.path, 'standalone.json'))).mode & 0o777).toBe(0o600);
  expect((await stat(join(dir.path, 'secret-key'))).mode & 0o777).toBe(0o600);
  expect(Object.keys(state.pids).toSorted()).toEqual([
    'api',
    'dispatcher',
    'gateway',
    'mongod',
    'nats-server',
    'standalone',
  ]);
  for (const url of Object.values(state.metrics_urls)) expect((await fetch(url)).status).toBe(200);

  const sent = await npmRunSend(
    dir.path,
    '--subject',
    'From npm run send',
    '--size',
    '40k',
    '--attach',
    join(CHECKOUT, 'package.json'),
  );
  expect(sent).toMatchObject({ code: 0, output: expect.stringContaining(`${state.address}: 250`) });
  await until(() => first.screen().includes('From npm run send'));
  expect(first.screen()).toContain('attached package.json');

  expect(await first.stop()).toBe(0);
  expect(Object.values(state.pids).filter(isAlive)).toEqual([]);
  await expect(readFile(join(dir.path, 'standalone.json'))).rejects.toThrow('ENOENT');
  expect(await npmRunSend(dir.path)).toMatchObject({
    code: 1,
    output: `send: Inlet does not run in ${dir.path}: start it with \`npm start\`\n`,
  });

  await using second = npmStart(dir.path);
  const again = await second.ready();
  expect(again).toMatchObject({ token: state.token, address: state.address });
});

test(
  'each program that is killed comes back on the same ports and the system works again',
  { timeout: 90_000 },
  async () => {
    await using dir = await testDir();
    await using run = npmStart(dir.path);
    const before = await run.ready();
    for (const name of ['gateway', 'dispatcher', 'api', 'nats-server', 'mongod']) {
      const { pids } = await readState(dir.path);
      process.kill(pids[name] ?? 0, 'SIGKILL');
      await until(async () => (await readState(dir.path)).pids[name] !== pids[name]);
    }
    const { pids, ...rest } = await readState(dir.path);
    expect(rest).toEqual({ ...before, pids: undefined });
    expect(Object.values(pids).every(isAlive)).toBe(true);
    await until(
      async () => (await npmRunSend(dir.path, '--subject', 'After the kills')).code === 0,
    );
    await until(() => run.screen().includes('After the kills'));
  },
);

test(
  'a second start in the same folder is refused; after kill -9 the next one stops what was left over',
  { timeout: 90_000 },
  async () => {
    await using dir = await testDir();
    await using killed = npmStart(dir.path);
    const state = await killed.ready();

    await using second = npmStart(dir.path);
    await once(second.process, 'exit');
    expect(second.process.exitCode).toBe(1);
    expect(second.screen()).toContain(
      `Inlet runs already in ${dir.path} (process ${killed.process.pid})`,
    );

    killed.process.kill('SIGKILL');
    await once(killed.process, 'exit');
    expect(isAlive(state.pids.mongod ?? 0)).toBe(true);
    await using third = npmStart(dir.path);
    const fresh = await third.ready();
    expect(third.screen()).toContain('left over from an earlier run');
    expect(Object.values(state.pids).filter(isAlive)).toEqual([]);
    expect(fresh.address).toBe(state.address);
  },
);

test('a port in use is one sentence and a non-zero exit, with nothing left running', async () => {
  await using dir = await testDir();
  await using taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  await using run = npmStart(dir.path, { SMTP_PORT: String(port) });
  await once(run.process, 'close');
  expect(run.process.exitCode).toBe(1);
  expect(run.screen()).toBe(
    `inlet: port ${port} for SMTP is in use: stop what uses it, or choose another with SMTP_PORT (0 = any free port)\n`,
  );
});

test('a service that cannot start ends the start with its own words, and everything else is stopped', async () => {
  await using dir = await testDir();
  await using run = npmStart(dir.path, { MAX_MESSAGE_BYTES: 'many' });
  await once(run.process, 'close');
  expect(run.process.exitCode).toBe(1);
  expect(run.screen()).toContain('inlet: gateway ended at its start: ');
  expect(run.screen()).toContain('MAX_MESSAGE_BYTES');
  await expect(readFile(join(dir.path, 'run.json'))).rejects.toThrow('ENOENT');
});

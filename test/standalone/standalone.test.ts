/**
 * `npm start` as a process: what it prints, its files, its restarts, and a start after it was
 * killed.
 */
import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';

import { describe, expect, inject, test } from 'vitest';

import { makeCertificate } from '../../services/adapters/tls/certificates.ts';
import { createApiClient } from '../../services/standalone/round-trip/api-client.ts';
import { startReceiver } from '../../services/standalone/round-trip/receiver.ts';
import { readState, type StandaloneState } from '../../services/standalone/state/state.ts';
import { webhookTrust } from '../../services/standalone/webhook-trust.ts';
import { testDir } from '../support/servers.ts';
import { until } from '../support/until.ts';

const CHECKOUT = join(import.meta.dirname, '..', '..');
const START_TIMEOUT_MS = 60_000;

type Run = AsyncDisposable & {
  process: ChildProcess;
  screen(): string;
  ready(): Promise<StandaloneState>;
  stop(): Promise<number | null>;
};

/** @param within a command that runs the one in its arguments */
function npmStart(
  dataDir: string,
  env: NodeJS.ProcessEnv = {},
  within: readonly string[] = [],
): Run {
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
  const main = join(CHECKOUT, 'services', 'standalone', 'main.ts');
  const [program, ...args] = [...within, process.execPath, main];
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH, ...settings, ...servers, ...env },
  });
  let shown = '';
  const take = (chunk: Buffer) => void (shown += chunk.toString());
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  const exited = once(child, 'exit') as Promise<[number | null]>;

  const isReady = (): boolean => {
    if (child.exitCode !== null) throw new Error(`npm start exited:\n${shown}`);
    return shown.includes('Inlet is ready');
  };
  async function ready(): Promise<StandaloneState> {
    await until('npm start to be ready', isReady, START_TIMEOUT_MS);
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

function npmRunSend(
  dataDir: string,
  ...args: string[]
): Promise<{ code: number | null; output: string }> {
  const child = spawn(
    process.execPath,
    [join(CHECKOUT, 'services', 'cli', 'main.ts'), 'send', ...args],
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

test('it shows the webhook of its sample email, keeps its account after a restart, and stops everything', async () => {
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
  expect(sent).toMatchObject({
    code: 0,
    output: expect.stringContaining(`${state.address}: 250`),
  });
  await until('the webhook', () => first.screen().includes('From npm run send'));

  const words = createApiClient(state.api_url, state.token)('GET', '/deliveries?text=hello');
  expect((await words).status).toBe(200); // texts are searched

  const SENDERS = [
    ['--as', 'ann@partner.test', 'pass', 'pass', 'pass'],
    ['--spoof', 'bob@partner.test', 'fail', 'fail', 'fail'],
    ['--from', 'eve@unauthenticated.test', 'none', undefined, 'none'],
  ] as const;
  const api = createApiClient(state.api_url, state.token);
  for (const [option, from, spf, dkim, dmarc] of SENDERS) {
    const subject = `Authentication ${option}`;
    expect(await npmRunSend(dir.path, option, from, '--subject', subject)).toMatchObject({
      code: 0,
    });
    type Item = { event_id: string; subject: string | null };
    const event = await until(`the record of ${option}`, async () => {
      const { data } = (await api('GET', '/deliveries?limit=10')).body as { data: Item[] };
      return data.find((item) => item.subject === subject)?.event_id;
    });
    const { body } = await api('GET', `/deliveries/${event}/payload`);
    const { authentication: auth } = body as {
      authentication: Record<'spf' | 'dmarc' | 'iprev', { result: string }> & {
        dkim: { result: string }[];
      };
    };
    expect([auth.spf.result, auth.dkim[0]?.result, auth.dmarc.result, auth.iprev.result]).toEqual([
      spf,
      dkim,
      dmarc,
      'pass',
    ]);
  }
  expect((await stat(join(dir.path, 'dkim-key.pem'))).mode & 0o777).toBe(0o600);

  const claimed = await api('POST', '/domains', { domain: 'acme.test' });
  const { id } = claimed.body as { id: string };
  expect(await api('POST', `/domains/${id}/verify`)).toMatchObject({
    body: { status: 'verified' },
  });
  const catchAll = { local_part: '*', domain: 'acme.test', webhook_url: state.receiver_url };
  expect((await api('POST', '/addresses', catchAll)).status).toBe(201);
  expect((await npmRunSend(dir.path, 'support@acme.test', '--subject', 'Help')).code).toBe(0);
  await until('its webhook', () => /→ support@acme\.test: Help$/m.test(first.screen()));

  const [, printed = ''] = /^ +(.*npm exec inlet -- send .*)$/m.exec(first.screen()) ?? [];
  const { stdout, stderr } = spawnSync('sh', ['-c', printed], {
    cwd: CHECKOUT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
    encoding: 'utf8',
  });
  expect(stdout + stderr).toContain(`${state.address}: 250`);

  expect(await first.stop()).toBe(0);
  expect(Object.values(state.pids).filter(isAlive)).toEqual([]);
  await expect(readFile(join(dir.path, 'standalone.json'))).rejects.toThrow('ENOENT');
  expect(await npmRunSend(dir.path)).toMatchObject({
    code: 6,
    output:
      'inlet: no running Inlet is found: start it with npm start, give --smtp-host, ' +
      'or set INLET_DIR if npm start has one of its own\n',
  });

  await using second = npmStart(dir.path);
  const again = await second.ready();
  expect(again).toMatchObject({ token: state.token, address: state.address });
});

test('a program that is killed is restarted on the same ports, and the system works again', async () => {
  await using dir = await testDir();
  await using run = npmStart(dir.path);
  const before = await run.ready();
  for (const name of ['gateway', 'dispatcher', 'api', 'nats-server', 'mongod']) {
    const { pids } = await readState(dir.path);
    process.kill(pids[name] ?? 0, 'SIGKILL');
    await until(
      `another ${name}`,
      async () => (await readState(dir.path)).pids[name] !== pids[name],
    );
  }
  const { pids, ...rest } = await readState(dir.path);
  expect(rest).toEqual({ ...before, pids: undefined });
  expect(Object.values(pids).every(isAlive)).toBe(true);
  await until(
    'an email to be accepted',
    async () => (await npmRunSend(dir.path, '--subject', 'After the kills')).code === 0,
  );
  await until('its webhook', () => run.screen().includes('After the kills'));
});

/** A user who is not root becomes root of a user namespace. */
const asRoot = process.getuid?.() === 0 ? [] : ['--map-root-user'];
const WITHOUT_NETWORK = ['unshare', ...asRoot, '--net', '--mount', 'sh', '-c'];
/** Only a loopback, and a name server that is somewhere else. Its arguments: resolv.conf, a command. */
const OFFLINE = 'ip link set lo up && mount --bind "$0" /etc/resolv.conf && exec "$@"';

test('it starts without a network, and receives email while a route comes and goes', async ({
  skip,
}) => {
  await using dir = await testDir();
  const servers = join(dir.path, 'resolv.conf');
  await writeFile(servers, 'nameserver 192.0.2.53\n');
  const [unshare, ...options] = [...WITHOUT_NETWORK, OFFLINE, servers];
  const tried = spawnSync(unshare, [...options, 'true'], { encoding: 'utf8' });
  if (tried.status !== 0) skip(`it needs namespaces: ${tried.error?.message ?? tried.stderr}`);

  await using run = npmStart(dir.path, {}, [unshare, ...options]);
  await run.ready();
  expect(run.screen()).toContain('webhook received, signature verified');
  const namespaces = [`--target=${run.process.pid}`, '--net'];
  const asUser = asRoot.length > 0 ? ['--user', '--preserve-credentials'] : [];
  const inside = (...command: string[]) =>
    promisify(execFile)('nsenter', [...namespaces, ...asUser, ...command], {
      env: { PATH: process.env.PATH, INLET_DIR: dir.path },
    });
  const send = (subject: string) => {
    const cli = join(CHECKOUT, 'services', 'cli', 'main.ts');
    const from = ['--from', 'ann@sender.example'];
    return inside(process.execPath, cli, 'send', ...from, '--subject', subject);
  };
  await inside('ip', 'route', 'add', 'default', 'dev', 'lo');
  const sending = send('While the route goes');
  await inside('ip', 'route', 'del', 'default');
  await sending;
  await send('Without a route');
  for (const subject of ['While the route goes', 'Without a route'])
    await until('the webhook', () => run.screen().includes(subject));
  expect(await run.stop()).toBe(0);
});

test('a second start in the same folder is refused; after kill -9, the next one stops the remains', async () => {
  await using dir = await testDir();
  await using killed = npmStart(dir.path);
  const state = await killed.ready();

  await using second = npmStart(dir.path);
  await once(second.process, 'exit');
  expect(second.process.exitCode).toBe(1);
  expect(second.screen()).toContain(
    `Inlet is already running in ${dir.path} (process ${killed.process.pid})`,
  );

  killed.process.kill('SIGKILL');
  await once(killed.process, 'exit');
  expect(isAlive(state.pids.mongod ?? 0)).toBe(true);
  await using third = npmStart(dir.path);
  const fresh = await third.ready();
  expect(third.screen()).toContain('of an earlier run');
  expect(Object.values(state.pids).filter(isAlive)).toEqual([]);
  expect(fresh.address).toBe(state.address);
});

test('a port in use is reported in one sentence, with a non-zero exit code and nothing left running', async () => {
  await using dir = await testDir();
  await using taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  await using run = npmStart(dir.path, { SMTP_PORT: String(port) });
  await once(run.process, 'close');
  expect(run.process.exitCode).toBe(1);
  expect(run.screen()).toBe(
    `inlet: port ${port} for SMTP is in use: stop the program that uses it, ` +
      'or set SMTP_PORT to another port (0 for any free port)\n',
  );
});

test('a service that cannot start fails the start with its own message, and all else is stopped', async () => {
  await using dir = await testDir();
  await using run = npmStart(dir.path, { MAX_MESSAGE_BYTES: 'many' });
  await once(run.process, 'close');
  expect(run.process.exitCode).toBe(1);
  expect(run.screen()).toContain('inlet: gateway exited while starting: ');
  expect(run.screen()).toContain('MAX_MESSAGE_BYTES');
  await expect(readFile(join(dir.path, 'run.json'))).rejects.toThrow('ENOENT');
});

const network = (address: string) => ({ WEBHOOK_ALLOWED_NETWORKS: address });

describe('receivers that the user trusts', () => {
  test.each([
    ['nothing', {}, '127.0.0.0/8'],
    ['an empty setting', network(''), '127.0.0.0/8'],
    ['a network', network('10.1.0.0/16'), '127.0.0.0/8,10.1.0.0/16'],
  ])('%s is added to the networks of npm start', async (_, env, networks) => {
    const own = { networks: '127.0.0.0/8', caFile: '/own/ca.pem' };
    expect(webhookTrust(env, own)).toEqual({
      WEBHOOK_ALLOWED_NETWORKS: networks,
      WEBHOOK_CA_FILE: '/own/ca.pem',
    });
  });

  test('a certificate authority that cannot be read is one sentence', async () => {
    await using dir = await testDir();
    await using run = npmStart(dir.path, { WEBHOOK_CA_FILE: join(dir.path, 'none.pem') });
    await once(run.process, 'close');
    expect(run.process.exitCode).toBe(1);
    expect(run.screen()).toContain(`: cannot read WEBHOOK_CA_FILE ${dir.path}/none.pem`);
  });

  test('a certificate authority is added to the one of the demo receiver', async () => {
    await using dir = await testDir();
    const { ca, cert, key } = await makeCertificate(['localhost'], { addresses: ['127.0.0.1'] });
    const [caFile, certFile, keyFile] = ['ca', 'cert', 'key'].map((name) =>
      join(dir.path, `user-${name}.pem`),
    ) as [string, string, string];
    await Promise.all([writeFile(caFile, ca), writeFile(certFile, cert), writeFile(keyFile, key)]);
    const ids: string[] = [];
    await using run = npmStart(dir.path, { WEBHOOK_CA_FILE: caFile, ...network('10.1.0.0/16') });
    const state = await run.ready(); // the demo receiver has accepted the sample email
    let secret = '';
    await using receiver = await startReceiver({
      host: '127.0.0.1',
      port: 0,
      certFile,
      keyFile,
      secretOf: async () => secret,
      onWebhook: ({ address_id }) => void ids.push(address_id),
      onRefused: (reason) => expect.unreachable(reason),
    });
    const api = createApiClient(state.api_url, state.token);
    const created = await api('POST', '/addresses', { webhook_url: receiver.url });
    const address = created.body as { id: string; address: string; webhook_secret: string };
    secret = address.webhook_secret;
    expect(await npmRunSend(dir.path, address.address)).toMatchObject({ code: 0 });
    await until('the webhook', () => ids.includes(address.id));
  });
});

describe('arguments and settings', () => {
  const main = join(CHECKOUT, 'services', 'standalone', 'main.ts');

  test('npm start -- --help prints help; any other argument is refused', () => {
    const help = spawnSync(process.execPath, [main, '--help'], { encoding: 'utf8' });
    expect([help.status, help.stderr]).toEqual([0, '']);
    expect(help.stdout).toMatch(/^npm start\n[^]* SMTP_PORT +port of the SMTP gateway/);
    const other = spawnSync(process.execPath, [main, '--port'], { encoding: 'utf8' });
    expect([other.status, other.stderr]).toEqual([
      2,
      'inlet: npm start takes no argument --port. See npm start -- --help\n',
    ]);
  });

  test('REQUIRE_HTTPS=true ends it with the reason, before it starts anything', async () => {
    await using dir = await testDir();
    await using run = npmStart(dir.path, { REQUIRE_HTTPS: 'true' });
    await once(run.process, 'close');
    expect(run.process.exitCode).toBe(1);
    expect(run.screen()).toMatch(
      /^inlet: npm start serves the API by plain HTTP.*REQUIRE_HTTPS\n$/,
    );
  });
});

/**
 * docs/one-machine.md: the services start with the settings of docs/examples/one-machine/ and deliver an
 * email, with servers that have its configuration and passwords. Docker and systemd are not run.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv, promisify } from 'node:util';

import { connect } from '@nats-io/transport-node';
import { MongoClient } from 'mongodb';
import { createTransport } from 'nodemailer';
import { describe, expect, inject, test } from 'vitest';
import { parse } from 'yaml';

import { ApiConfig } from '../../services/api/process/config.ts';
import { DispatcherConfig } from '../../services/dispatcher/process/config.ts';
import { GatewayConfig } from '../../services/gateway/process/config.ts';
import { startProcess } from '../../services/standalone/processes/child-process.ts';
import { freePort } from '../../services/standalone/processes/ports.ts';
import { runCommand } from '../support/inlet-command.ts';
import { testDir } from '../support/servers.ts';
import { startReceiver } from '../support/receiver.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { until } from '../support/until.ts';
import { CHECKOUT, codeBlocks, readPage } from './pages.ts';

const FOLDER = join(CHECKOUT, 'docs', 'examples', 'one-machine');
const read = (name: string) => readFile(join(FOLDER, name), 'utf8');

type Service = {
  command?: string | string[];
  entrypoint?: string[];
  env_file?: string;
  ports?: string[];
};
type Compose = {
  services: Record<string, Service>;
  configs: { nats: { content: string } };
  networks: { default: { ipam: { config: { subnet: string }[] } } };
};
const compose = parse(await read('compose.yaml'), { merge: true }) as Compose;
const settings = parseEnv(await read('inlet.env')) as Record<string, string>;
const key = () => randomBytes(32).toString('base64');
const run = promisify(execFile);

/** Copies of the two files after the commands of the page that set the passwords. */
async function withPasswords(
  dir: string,
): Promise<Record<'inlet' | 'servers', Record<string, string>>> {
  const commands = codeBlocks(await readPage('docs/one-machine.md'))
    .flatMap(({ code }) => code.split('\n'))
    .filter((line) => /^(chmod|for server)/.test(line));
  expect(commands).toHaveLength(2);
  await mkdir(dir);
  for (const name of ['inlet.env', 'servers.env'])
    await copyFile(join(FOLDER, name), join(dir, name));
  await run('sh', ['-ec', commands.join('\n')], { cwd: dir });
  const texts = ['inlet.env', 'servers.env'].map((name) => readFile(join(dir, name), 'utf8'));
  const [inlet = {}, servers = {}] = (await Promise.all(texts)).map((text) => {
    expect(text.match(/=CHANGE_|:CHANGE_/)).toBeNull();
    return parseEnv(text) as Record<string, string>;
  });
  return { inlet, servers };
}

/** With the configuration of compose.yaml, on this machine. */
async function startNats(dir: string, env: Record<string, string>) {
  const [port, file] = [await freePort(), join(dir, 'nats.conf')];
  const config = compose.configs.nats.content
    .replaceAll('$$', '$')
    .replace('0.0.0.0:4222', `127.0.0.1:${port}`)
    .replace('"/data"', JSON.stringify(join(dir, 'nats')));
  await writeFile(file, config);
  const command = inject('natsServerBinary');
  const logFile = join(dir, 'nats.log');
  const nats = await startProcess({
    name: 'nats-server',
    command,
    args: ['--config', file],
    env,
    logFile,
  });
  await nats.announced((line) => line.includes('Server is ready') || undefined, 60_000);
  return { ...nats, url: `nats://127.0.0.1:${port}` };
}

/** As the entry point of the image: once without logins for the first user, then with its key file. */
async function startMongo(dir: string, env: Record<string, string>) {
  const { entrypoint = [], command = [] } = compose.services.mongodb ?? {};
  const [port, keyFile, data] = [await freePort(), join(dir, 'mongod.key'), join(dir, 'mongodb')];
  await mkdir(data);
  const [makesKey = ''] = entrypoint[2]?.split('&&') ?? [];
  await run('bash', [
    '-ec',
    makesKey.replace('-o mongodb ', '').replace('/etc/mongod.key', keyFile),
  ]);
  const start = async (args: readonly string[]) => {
    const mongod = await startProcess({
      name: 'mongod',
      command: inject('mongodBinary'),
      args: [...args, '--port', String(port), '--dbpath', data, '--nounixsocket'],
      env: {},
      logFile: join(dir, 'mongod.log'),
    });
    await mongod.announced((line) => line.includes('"id":23016,') || undefined, 60_000);
    return mongod;
  };
  const direct = `127.0.0.1:${port}/?directConnection=true`;
  const { MONGO_INITDB_ROOT_USERNAME: user = '', MONGO_INITDB_ROOT_PASSWORD: pwd = '' } = env;
  const first = await start(['--bind_ip', '127.0.0.1']);
  {
    await using client = new MongoClient(`mongodb://${direct}`);
    await client.db('admin').command({ createUser: user, pwd, roles: ['root'] });
  }
  await first.stop();
  const args = [command]
    .flat()
    .slice(1)
    .filter((arg) => arg !== '--bind_ip_all');
  const mongod = await start(args.map((arg) => arg.replace('/etc/mongod.key', keyFile)));
  await using client = new MongoClient(`mongodb://${user}:${pwd}@${direct}`);
  const member = { _id: 0, host: `127.0.0.1:${port}` };
  const config = { _id: 'inlet', members: [member] };
  await client.db('admin').command({ replSetInitiate: config });
  await until(
    'a primary',
    async () => (await client.db().command({ hello: 1 })).isWritablePrimary === true,
  );
  await using stranger = new MongoClient(`mongodb://${direct}`);
  await expect(stranger.db('inlet').collection('accounts').findOne()).rejects.toThrow(
    /authentication/i,
  );
  return { ...mongod, host: member.host };
}

describe('P.4: one machine', () => {
  test('the settings of compose.yaml deliver an email', async () => {
    await using dir = await testDir();
    await using parts = new AsyncDisposableStack();
    const receiver = parts.use(await startReceiver(dir.path));
    const { inlet, servers } = await withPasswords(join(dir.path, 'env'));
    const nats = parts.use(await startNats(dir.path, servers));
    const mongo = parts.use(await startMongo(dir.path, servers));
    const env: Record<string, string> = {
      ...inlet,
      SECRET_KEYS: key(),
      LINK_KEYS: key(),
      REPLY_KEYS: key(),
      NATS_URL: nats.url,
      MONGODB_URI: inlet.MONGODB_URI?.replace('mongodb:27017', mongo.host) ?? '',
      SMTP_PORT: '0',
      API_PORT: '0',
      METRICS_PORT: '0',
      WEBHOOK_CA_FILE: receiver.caFile,
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
      MAIL_AUTH: 'false',
    };
    const [gateway, , api] = await Promise.all(
      (['gateway', 'dispatcher', 'api'] as const).map(async (name) => {
        expect(compose.services[name]).toMatchObject({
          command: [`services/${name}/main.ts`],
          env_file: 'inlet.env',
        });
        return parts.use(await startServiceProcess(name, env));
      }),
    );
    const admin = async (...args: string[]) => {
      const { code, out, err } = await runCommand(['admin', ...args], { env });
      expect([code, err]).toEqual([0, '']);
      return JSON.parse(out) as { id: string; token: string };
    };
    const account = await admin('account', 'create', '--email', 'you@example.com', '--name', 'You');
    const { token } = await admin('token', 'create', '--account', account.id, '--name', 'first');
    const create = (port: number, headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${port}/v1/addresses`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          ...headers,
        },
        body: JSON.stringify({ webhook_url: receiver.url('/one') }),
      });
    const throughProxy = { 'x-forwarded-proto': 'https' };
    expect((await create(api?.apiPort ?? 0, throughProxy)).status).toBe(403); // it is no trusted proxy
    const trusting = parts.use(
      await startServiceProcess('api', { ...env, TRUSTED_PROXIES: '127.0.0.1/32' }),
    );
    const created = await create(trusting.apiPort, throughProxy);
    const { address } = (await created.json()) as { address: string };
    expect(address).toMatch(/@in\.example\.com$/);
    const mailer = createTransport({ host: '127.0.0.1', port: gateway?.smtpPort ?? 0 });
    await mailer.sendMail({
      from: 'ann@sender.example',
      to: address,
      subject: 'one machine',
      text: '',
    });
    const { payload } = await receiver.nth('/one', 1);
    expect(payload.headers.subject).toBe('one machine');
  });

  test('each setting exists, and the network of the proxy is trusted', () => {
    const known = [GatewayConfig, DispatcherConfig, ApiConfig].flatMap((config) =>
      Object.keys(config.shape),
    );
    const unknown = Object.keys(settings).filter((name) => !known.includes(name));
    expect(unknown).toEqual(['API_HOSTNAME']); // of compose.yaml
    expect(settings.TRUSTED_PROXIES).toBe(compose.networks.default.ipam.config[0]?.subnet);
    expect(compose.services.gateway?.ports).toEqual([`25:${settings.SMTP_PORT}`]);
    for (const server of ['nats', 'mongodb'])
      expect(compose.services[server]).toMatchObject({ env_file: 'servers.env' });
  });

  test('NATS of compose.yaml refuses a client without its password', async () => {
    await using dir = await testDir();
    await using nats = await startNats(dir.path, { NATS_PASSWORD: 'p1e5' });
    const login = (pass: string) =>
      connect({ servers: nats.url, user: 'inlet', pass, maxReconnectAttempts: 0 });
    await expect(login('other')).rejects.toThrow(/authorization/i);
    const connection = await login('p1e5');
    await connection.close();
  });

  test('no image has the secrets of an example', async () => {
    const rules = (await readFile(join(CHECKOUT, '.dockerignore'), 'utf8')).split('\n');
    for (const rule of ['docs/examples/*/*.env', 'docs/examples/*/.env', 'docs/examples/*/tls'])
      expect(rules.indexOf(rule)).toBeGreaterThan(rules.indexOf('!docs')); // the last one counts
  });

  test('the unit starts the services, and the page names them', async () => {
    const unit = await read('inlet@.service');
    for (const setting of ['ProtectKernelModules=true', 'RestrictNamespaces=true'])
      expect(unit.split('\n')).toContain(setting);
    expect(unit).toMatch(/^SystemCallFilter=@system-service$/m);
    expect(unit).not.toMatch(/^MemoryDenyWriteExecute=true/m); // V8 could not run
    const [, program = ''] = /^ExecStart=\/usr\/bin\/node (\S+)$/m.exec(unit) ?? [];
    const { text } = await readPage('docs/one-machine.md');
    for (const name of ['gateway', 'dispatcher', 'api']) {
      expect(existsSync(join(CHECKOUT, program.replace('%i', name)))).toBe(true);
      expect(text).toContain(`inlet@${name}`);
    }
  });
});

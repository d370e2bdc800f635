/**
 * docs/one-machine.md with systemd, run: its commands in a machine of their own, up to a power failure. nats-server
 * and mongod are those of the tests, with units of the test's; a script takes the place of mongosh.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { parse } from 'yaml';

import { ensureTls } from '../../services/standalone/keys.ts';
import { testDir } from '../support/servers.ts';
import { createMachine, type Machine, noMachine } from '../support/systemd-machine.ts';
import { until } from '../support/until.ts';
import { CHECKOUT, codeBlocks, readPage } from './pages.ts';

const run = promisify(execFile);
const page = await readPage('docs/one-machine.md');
/** The block of the page that has this text. */
function block(part: string): string {
  const found = codeBlocks(page).find(({ code }) => code.includes(part));
  if (found === undefined) throw new Error(`docs/one-machine.md has no block with ${part}`);
  return found.code;
}

const parts = new AsyncDisposableStack();
let machine: Machine;
const SERVICES = ['gateway', 'dispatcher', 'api'] as const;
const UNITS = SERVICES.map((name) => `inlet@${name}`).join(' ');

/** Writes a file of the machine before its start. */
async function put(path: string, text: string): Promise<void> {
  await mkdir(join(machine.upper, path, '..'), { recursive: true });
  await writeFile(join(machine.upper, path), text);
}

const unit = (command: string) =>
  `[Service]\nExecStart=${command}\nRestart=always\n[Install]\nWantedBy=multi-user.target\n`;

const MONGODB_PASSWORD = randomBytes(24).toString('hex');

/** A webhook receiver that appends subjects to a file. */
const RECEIVER = `
  const fs = require('node:fs');
  const tls = { key: fs.readFileSync('/etc/receiver/key.pem'), cert: fs.readFileSync('/etc/receiver/cert.pem') };
  require('node:https').createServer(tls, async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    fs.appendFileSync('/var/lib/subjects', JSON.parse(body).headers.subject + '\\n');
    response.end();
  }).listen(8443, '127.0.0.1');`;

async function prepare(dir: string): Promise<void> {
  const { upper } = machine;
  const checkout = join(upper, 'opt', 'inlet');
  await mkdir(join(upper, 'usr', 'bin'), { recursive: true });
  for (const [from, name] of [
    [process.execPath, 'node'],
    [inject('natsServerBinary'), 'nats-server'],
    [inject('mongodBinary'), 'mongod'],
  ] as const)
    await copyFile(from, join(upper, 'usr', 'bin', name));
  // As the page says, from this checkout and before the start: the machine has no network.
  await run('git', ['clone', '--quiet', CHECKOUT, checkout]);
  await run('npm', ['ci', '--omit=dev', '--prefer-offline'], { cwd: checkout });
  await run(process.execPath, ['services/dashboard/bundle/main.ts', 'dashboard'], {
    cwd: checkout,
  });
  const { caFile, certFile, keyFile } = await ensureTls(dir);
  for (const [name, file] of Object.entries({ ca: caFile, cert: certFile, key: keyFile }))
    await put(`etc/receiver/${name}.pem`, await readFile(file, 'utf8'));
  await put('etc/receiver/main.cjs', RECEIVER);
  await put('etc/systemd/system/receiver.service', unit('/usr/bin/node /etc/receiver/main.cjs'));
  const { configs } = parse(
    await readFile(join(CHECKOUT, 'docs/examples/one-machine/compose.yaml'), 'utf8'),
  ) as { configs: { nats: { content: string } } };
  const nats = configs.nats.content
    .replace('0.0.0.0', '127.0.0.1')
    .replace('"/data"', '"/var/lib/nats"');
  await put('etc/nats.conf', nats);
  await put('etc/systemd/system/nats.service', unit('/usr/bin/nats-server -c /etc/nats.conf'));
  const mongod =
    '/usr/bin/mongod --dbpath /var/lib/mongodb --bind_ip 127.0.0.1 --replSet inlet --keyFile /etc/mongod.key';
  await put('etc/systemd/system/mongod.service', unit(mongod));
  await mkdir(join(upper, 'var', 'lib', 'mongodb'), { recursive: true });
}

/** `/etc/inlet`, as steps 3 and 4 of the page say. */
async function configure(): Promise<void> {
  const local = block('NATS_URL=nats://127.0.0.1:4222');
  const keys = ['SECRET_KEYS', 'LINK_KEYS', 'REPLY_KEYS'].map(
    (name) => `${name}=${randomBytes(32).toString('base64')}`,
  );
  const ofTheTest = [
    'MAIL_AUTH=false', // it has no DNS
    'WEBHOOK_ALLOWED_NETWORKS=127.0.0.0/8',
    'WEBHOOK_CA_FILE=/etc/receiver/ca.pem',
  ];
  const lines = local.replace('CHANGE_MONGODB', MONGODB_PASSWORD).split('\n');
  const more = [...lines.map((line) => line.trim()), ...keys, ...ofTheTest];
  const own = { gateway: 'METRICS_PORT=9091\nSMTP_PORT=25', dispatcher: 'METRICS_PORT=9092' };
  const files = { ...own, api: 'METRICS_PORT=9093\nAPI_HOST=127.0.0.1' };
  for (const line of Object.values(files).flatMap((text) => text.split('\n')))
    expect(page.text).toContain(line);
  await machine.run(`cat >>/etc/inlet/inlet.env <<'END'\n${more.join('\n')}\nEND`);
  for (const [name, text] of Object.entries(files))
    await machine.run(`echo '${text}' >/etc/inlet/${name}.env`);
}

const inNode = (script: string) =>
  machine.run(`cd /opt/inlet && node --input-type=module <<'END'\n${script}\nEND`);

const ready = () =>
  until('the services to be ready', () =>
    machine
      .run('for port in 9091 9092 9093; do curl -sf http://127.0.0.1:$port/readyz; done')
      .catch(() => undefined),
  );

let address = '';
const send = (subject: string) =>
  machine.run(`curl -sS --mail-from ann@sender.example --mail-rcpt '${address}' -T - smtp://127.0.0.1 <<'END'
From: ann@sender.example
To: ${address}
Subject: ${subject}

text
END`);

const arrived = (subject: string) =>
  until(`the webhook of "${subject}"`, () =>
    machine.run(`grep -x '${subject}' /var/lib/subjects`).catch(() => undefined),
  );

const missing = noMachine();
describe.skipIf(missing !== undefined)('one machine with systemd (skipped without root)', () => {
  beforeAll(async () => {
    await using own = new AsyncDisposableStack();
    const dir = own.use(await testDir()).path;
    machine = own.use(await createMachine(dir));
    await prepare(dir);
    await machine.boot();
    parts.use(own.move());
  });
  afterAll(() => parts.disposeAsync());

  test('the commands of the page start Inlet', async () => {
    const commands = block('useradd --system').split('\n');
    const outside = /^(git|npm|node) /; // done before the start
    await machine.run(
      ['cd /opt/inlet', ...commands.filter((line) => !outside.test(line))].join('\n'),
    );
    await machine.run(`
      sed -i "s/\\$\\$NATS_PASSWORD/$(sed -n 's/^NATS_PASSWORD=//p' /etc/inlet/inlet.env)/" /etc/nats.conf
      openssl rand -base64 48 >/etc/mongod.key && chmod 400 /etc/mongod.key`);
    await machine.run('systemctl daemon-reload && systemctl enable --now nats mongod receiver');
    const [initiate, createUser] = block('rs.initiate').trim().split(/\n\s*/);
    expect([initiate, createUser]).toEqual([
      'rs.initiate({_id: "inlet", members: [{_id: 0, host: "127.0.0.1:27017"}]})',
      'db.getSiblingDB("admin").createUser({user: "inlet", pwd: "CHANGE_MONGODB", roles: ["root"]})',
    ]);
    await inNode(`import { MongoClient } from 'mongodb';
      const client = await new MongoClient('mongodb://127.0.0.1:27017/?directConnection=true').connect();
      const admin = client.db('admin');
      const config = { _id: 'inlet', members: [{ _id: 0, host: '127.0.0.1:27017' }] };
      await admin.command({ replSetInitiate: config });
      while (!(await admin.command({ hello: 1 })).isWritablePrimary) await new Promise((go) => setTimeout(go, 100));
      await admin.command({ createUser: 'inlet', pwd: '${MONGODB_PASSWORD}', roles: ['root'] });
      await client.close();`);
    await configure();
    await machine.run(block('systemctl enable --now'));
    await ready();
    expect((await machine.run(`systemctl is-active ${UNITS}`)).trim().split('\n')).toEqual([
      'active',
      'active',
      'active',
    ]);
    const errors = 'journalctl -u \'inlet@*\' -o cat | grep \'"level":"error"\' || true';
    expect(await machine.run(errors)).toBe('');
    const user = 'ps -o user= -p $(systemctl show -p MainPID --value inlet@gateway)';
    expect((await machine.run(user)).trim()).toBe('inlet');
  });

  test('an account, a token and an address, and an email to port 25 becomes a webhook', async () => {
    const [admin = '', ...calls] = block('admin() {').split(/^(?=admin [a-z])/m);
    const call = async (line = '', accountId = '') =>
      JSON.parse(await machine.run(admin + line.replace('ACCOUNT_ID', accountId))) as {
        id: string;
        token: string;
      };
    const account = await call(calls[0]);
    const { token } = await call(calls[1], account.id);
    const created = await machine.run(`curl -sSf http://127.0.0.1:8080/v1/addresses \
      -H 'x-forwarded-proto: https' -H 'authorization: Bearer ${token}' -H 'content-type: application/json' \
      -d '{"webhook_url": "https://localhost:8443/hook"}'`);
    ({ address } = JSON.parse(created) as { address: string });
    await send('first');
    await arrived('first');
    expect(
      await machine.run('curl -sSf -H "x-forwarded-proto: https" http://127.0.0.1:8080/dashboard/'),
    ).toContain('<html');
  });

  test('systemd restarts a service that was killed', async () => {
    await machine.run(`systemctl kill -s KILL ${UNITS}`);
    await until('restarts', async () => {
      const count = await machine.run(`systemctl show -p NRestarts --value ${UNITS}`);
      return count.split('\n').filter((line) => line === '1').length === SERVICES.length;
    });
    await ready();
    await send('after a kill');
    expect(await arrived('after a kill')).toBe('after a kill\n');
  });

  test('a backup with the services stopped, as the page says, is whole', async () => {
    await machine.run(`systemctl stop ${UNITS}`);
    const failed = await machine.run('systemctl list-units --failed --plain --no-legend "inlet@*"');
    expect(failed).toBe('');
    const [admin = ''] = block('admin() {').split(/^(?=admin [a-z])/m);
    const check = 'admin backup --verify /dev/stdin < /root/inlet.backup';
    const verified = await machine.run(`${admin}admin backup > /root/inlet.backup\n${check}`);
    expect(JSON.parse(verified)).toMatchObject({ documents: { accounts: 1 } });
    await machine.run(`systemctl start ${UNITS}`);
    await ready();
  });

  test('an email that got its 250 arrives after a power failure, and everything starts by itself', async () => {
    await machine.run('systemctl stop inlet@dispatcher');
    await send('before the power failure');
    await machine.powerOff();
    await machine.boot();
    await ready();
    expect(await arrived('before the power failure')).toBe('before the power failure\n');
  });
});

/**
 * docs/one-machine.md: the services start with the settings of docs/examples/one-machine/ and deliver an
 * email. Docker and systemd are not run.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

import { createTransport } from 'nodemailer';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { ApiConfig } from '../../services/api/process/config.ts';
import { DispatcherConfig } from '../../services/dispatcher/process/config.ts';
import { GatewayConfig } from '../../services/gateway/process/config.ts';
import { runCommand } from '../support/inlet-command.ts';
import { startTestNats, testDir, testMongo } from '../support/servers.ts';
import { startReceiver } from '../support/receiver.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { CHECKOUT, readPage } from './pages.ts';

const FOLDER = join(CHECKOUT, 'docs', 'examples', 'one-machine');
const read = (name: string) => readFile(join(FOLDER, name), 'utf8');

type Compose = {
  services: Record<string, { command: string | string[]; env_file?: string; ports?: string[] }>;
  configs: { nats: { content: string } };
  networks: { default: { ipam: { config: { subnet: string }[] } } };
};
const compose = parse(await read('compose.yaml'), { merge: true }) as Compose;
const settings = parseEnv(await read('inlet.env')) as Record<string, string>;
const key = () => randomBytes(32).toString('base64');

/** Those of the file, for servers on this machine. */
const localSettings = (natsUrl: string, mongoUri: string): Record<string, string> => ({
  ...settings,
  SECRET_KEYS: key(),
  LINK_KEYS: key(),
  REPLY_KEYS: key(),
  NATS_URL: natsUrl,
  MONGODB_URI: mongoUri,
  SMTP_PORT: '0',
  API_PORT: '0',
  METRICS_PORT: '0',
});

describe('P.4: one machine', () => {
  test('the settings of compose.yaml deliver an email', async () => {
    await using dir = await testDir();
    await using parts = new AsyncDisposableStack();
    const receiver = parts.use(await startReceiver(dir.path));
    const [nats, mongo] = [parts.use(await startTestNats()), parts.use(await testMongo())];
    const env = {
      ...localSettings(nats.url, mongo.uri),
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
  });

  test('nats-server takes the configuration of compose.yaml', async () => {
    const lines = compose.configs.nats.content;
    const value = (name: string) => new RegExp(`${name}: (\\S+)`).exec(lines)?.[1];
    await using nats = await startTestNats({
      server: { max_payload: Number(value('max_payload')) },
      jetstream: { sync_interval: value('sync_interval') ?? '' },
    });
    expect(nats.port).toBeGreaterThan(0);
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

/**
 * docs/inlet-in-your-product.md: its app and the settings of its compose.yaml, with what the container runs, as
 * processes of this machine, and with a MongoDB of its own (docs/one-container.md).
 */
import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { createTransport } from 'nodemailer';
import { expect, inject, test } from 'vitest';
import { parse } from 'yaml';

import { isTokenShaped } from '../../services/core/token/token.ts';
import { createApiClient } from '../../services/standalone/round-trip/api-client.ts';
import { startProcess } from '../../services/standalone/processes/child-process.ts';
import { freePort } from '../../services/standalone/processes/ports.ts';
import { readState } from '../../services/standalone/state/state.ts';
import { testDir } from '../support/servers.ts';
import { until } from '../support/until.ts';
import { CHECKOUT, codeBlocks, readPage } from './pages.ts';

const run = promisify(execFile);
const FOLDER = join(CHECKOUT, 'docs', 'examples', 'in-your-product');
const START_MS = 120_000;

type Service = { environment: Record<string, string>; volumes: string[]; build?: object };
const compose = parse(await readFile(join(FOLDER, 'compose.yaml'), 'utf8')) as {
  services: Record<'inlet' | 'app', Service>;
  networks: { default: { ipam: { config: { subnet: string }[] } } };
};
const { inlet, app } = compose.services;

test('an address for each customer, and its email reaches the app', async () => {
  await using parts = new AsyncDisposableStack();
  const dir = parts.use(await testDir()).path;
  const commands = codeBlocks(await readPage('docs/inlet-in-your-product.md'))
    .flatMap(({ code }) => code.split('\n'))
    .filter((line) => /^(umask|mkdir|echo|openssl|  -)/.test(line));
  // the name of the app on this machine
  await run('sh', ['-ec', commands.join('\n').replaceAll(/\bapp\b/g, 'localhost')], { cwd: dir });
  const [, token = ''] =
    /^INLET_TOKEN=(.*)$/m.exec(await readFile(join(dir, '.env'), 'utf8')) ?? [];
  expect(isTokenShaped(token)).toBe(true);

  const [webhookPort, port, apiPort] = await Promise.all([freePort(), freePort(), freePort()]);
  const data = join(dir, 'data');
  await mkdir(data);
  const start = (name: string, file: string, args: string[], env: NodeJS.ProcessEnv) =>
    startProcess({
      name,
      command: process.execPath,
      args: [file, ...args],
      env: { PATH: process.env.PATH, ...env },
      logFile: join(dir, `${name}.log`),
    });
  const main = join(CHECKOUT, 'services', 'standalone', 'main.ts');
  const standalone = parts.use(
    await start('inlet', main, ['--production'], {
      ...inlet.environment,
      INBOUND_DOMAIN: 'in.example.com',
      SMTP_HOSTNAME: 'mx.in.example.com',
      INLET_TOKEN: token,
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
      WEBHOOK_CA_FILE: join(dir, 'tls', 'cert.pem'),
      MAIL_AUTH: 'false', // it has no DNS
      INLET_DIR: data,
      SMTP_PORT: '0',
      API_PORT: String(apiPort),
      NATS_SERVER_BIN: inject('natsServerBinary'),
      MONGOD_BIN: '/nonexistent',
      MONGODB_URI: inject('mongoUri').replace('/?', `/${inject('databasePrefix')}product?`),
    }),
  );
  await standalone.announced(
    (line) => line.includes('"message":"ready after') || undefined,
    START_MS,
  );
  const state = await readState(data);
  expect(Object.keys(state.pids)).not.toContain('mongod');
  expect((await createApiClient(state.api_url, token)('GET', '/account')).status).toBe(200);

  const environment = {
    ...app.environment,
    INLET_API_URL: state.api_url,
    INLET_TOKEN: token,
    WEBHOOK_URL: `https://localhost:${webhookPort}/inbound`,
    WEBHOOK_PORT: String(webhookPort),
    PORT: String(port),
    TLS_DIR: join(dir, 'tls'),
    DATA_DIR: data,
  };
  expect(Object.keys(environment)).toEqual(Object.keys(app.environment));
  parts.use(await start('app', join(FOLDER, 'app.mjs'), [], environment));
  const addressOf = async (customer: string) => {
    const url = `http://127.0.0.1:${port}/customers/${customer}`;
    const response = await fetch(url, { method: 'POST' }).catch(() => undefined);
    return response?.ok ? ((await response.json()) as { address: string }).address : undefined;
  };
  const acme = await until('an address', () => addressOf('acme'));
  const globex = await addressOf('globex');
  expect(await addressOf('acme')).toBe(acme);
  expect(acme).toMatch(/@in\.example\.com$/);

  const mailer = createTransport({ host: '127.0.0.1', port: state.smtp_port, ignoreTLS: true });
  const mail = { from: 'ann@sender.example', subject: 'Order 7', text: 'Two please.' };
  for (const to of [acme, globex]) await mailer.sendMail({ ...mail, to });
  const emails = await until('both emails', async () => {
    const text = await readFile(join(data, 'emails.jsonl'), 'utf8').catch(() => '');
    return text.split('\n').length === 3 ? text : undefined;
  });
  for (const customer of ['acme', 'globex']) expect(emails).toContain(`"customer":"${customer}"`);
  const ca = join(dir, 'tls', 'cert.pem');
  const body = JSON.stringify({
    address_id: Object.keys(
      JSON.parse(await readFile(join(data, 'customers.json'), 'utf8')) as object,
    )[0],
  });
  const options = [
    '--silent',
    '--cacert',
    ca,
    '--output',
    '/dev/null',
    '--write-out',
    '%{http_code}',
  ];
  const forged = await run('curl', [...options, '--data', body, environment.WEBHOOK_URL]);
  expect(forged.stdout).toBe('401');
});

test('compose.yaml builds the stage, and only the network of the app may get webhooks', () => {
  expect(inlet.build).toMatchObject({ target: 'standalone' });
  expect(inlet.environment.WEBHOOK_ALLOWED_NETWORKS).toBe(
    compose.networks.default.ipam.config[0]?.subnet,
  );
  expect(app.environment.INLET_TOKEN).toBe('${INLET_TOKEN}');
  expect(inlet.volumes).toContain('inlet:/data');
});

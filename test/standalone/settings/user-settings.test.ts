/** The user's settings win over those of `npm start`, which names the ones that it cannot use. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

import { createTargetLookup } from '../../../services/adapters/mongo/address/address-lookup.ts';
import { connectMongo } from '../../../services/adapters/mongo/database/connection.ts';
import { createSecretBox } from '../../../services/adapters/mongo/database/secrets.ts';
import { readConfig } from '../../../services/adapters/process/config.ts';
import { createLog } from '../../../services/adapters/process/log.ts';
import { makeCertificate } from '../../../services/adapters/tls/certificates.ts';
import { createApiClient } from '../../../services/standalone/round-trip/api-client.ts';
import { smtpFacts } from '../../../services/cli/doctor/probes.ts';
import { freePort, requireFreePorts } from '../../../services/standalone/processes/ports.ts';
import { StandaloneConfig } from '../../../services/standalone/settings/config.ts';
import { runStandalone } from '../../../services/standalone/run.ts';
import { joinedKeys } from '../../../services/standalone/settings/user-settings.ts';
import { startReceiver } from '../../../services/standalone/round-trip/receiver.ts';
import { readState, type StandaloneState } from '../../../services/standalone/state/state.ts';
import { runCommand } from '../../support/inlet-command.ts';
import { testDir } from '../../support/servers.ts';
import { until } from '../../support/until.ts';

const NAME = 'mx.shop.test';
const PUBLIC_API_URL = 'https://tunnel.shop.test/v1';
const secretKey = randomBytes(32);
const linkKey = randomBytes(32);

/** All of `npm start` in this process, with these settings. */
function start(dataDir: string, settings: NodeJS.ProcessEnv) {
  const env = {
    PATH: process.env.PATH,
    INLET_DIR: dataDir,
    SMTP_PORT: '0',
    API_PORT: '0',
    RECEIVER_PORT: '0',
    NATS_SERVER_BIN: inject('natsServerBinary'),
    MONGOD_BIN: inject('mongodBinary'),
    ...settings,
  };
  const ready = Promise.withResolvers<void>();
  const stop = Promise.withResolvers<string>();
  let screen = '';
  const ended = runStandalone(readConfig(StandaloneConfig, env), {
    env,
    write: (text) => {
      screen += text;
      if (text.includes('Inlet is ready')) ready.resolve();
    },
    stopAsked: stop.promise,
    onReady: () => undefined,
  });
  return { ready: () => Promise.race([ready.promise, ended]), ended, stop, screen: () => screen };
}

async function threeFreePorts(): Promise<number> {
  const port = await freePort();
  const next = [1, 2].map((more) => ({ port: port + more, what: 'metrics' }));
  return requireFreePorts(next).then(() => port, threeFreePorts);
}

describe('settings that npm start has values for, too', () => {
  const parts = new AsyncDisposableStack();
  let state: StandaloneState;
  let screen: () => string;
  let dataDir: string;
  let metricsPort: number;
  let userCa: string;
  let receiver: { url: string };

  beforeAll(async () => {
    const dir = parts.use(await testDir());
    const { ca, cert, key } = await makeCertificate([NAME], { addresses: ['127.0.0.1'] });
    userCa = ca;
    const [caFile, certFile, keyFile] = ['ca', 'cert', 'key'].map((name) =>
      join(dir.path, `user-${name}.pem`),
    ) as [string, string, string];
    await Promise.all([writeFile(caFile, ca), writeFile(certFile, cert), writeFile(keyFile, key)]);
    receiver = parts.use(
      await startReceiver({
        host: '127.0.0.1',
        port: 0,
        certFile,
        keyFile,
        secretOf: async () => undefined,
        onWebhook: () => undefined,
        onRefused: () => undefined,
      }),
    );
    dataDir = join(dir.path, 'inlet');
    metricsPort = await threeFreePorts();
    const run = start(dataDir, {
      SMTP_HOSTNAME: NAME,
      SMTP_HOST: '0.0.0.0',
      API_HOST: '0.0.0.0',
      METRICS_HOST: '0.0.0.0',
      METRICS_PORT: String(metricsPort),
      TLS_CERT_FILE: certFile,
      TLS_KEY_FILE: keyFile,
      PUBLIC_API_URL,
      WEBHOOK_CA_FILE: caFile,
      SECRET_KEYS: secretKey.toString('base64'),
      LINK_KEYS: linkKey.toString('base64'),
      INBOUND_DOMAIN: '', // an empty setting counts as unset
    });
    parts.defer(async () => {
      run.stop.resolve('SIGINT');
      await run.ended;
    });
    await run.ready();
    ({ screen } = run);
    state = await readState(dataDir);
  });
  afterAll(() => parts.disposeAsync());

  test('the gateway greets with the name and has the certificate of the user', async () => {
    const gateway = { host: state.smtp_host, port: state.smtp_port };
    expect(await smtpFacts(gateway, [userCa], NAME)).toMatchObject({
      banner: expect.stringContaining(`220 ${NAME} `) as string,
      certificate: { fault: undefined },
    });
    expect(state.address).toMatch(/@inlet\.localhost$/);
  });

  test('gateway, API and metrics listen on every address', async ({ skip }) => {
    skip(process.platform !== 'linux', 'only Linux has all of 127.0.0.0/8 without setup');
    const ports = [state.api_url, ...Object.values(state.metrics_urls)].map((url) =>
      Number(new URL(url).port),
    );
    for (const port of [state.smtp_port, ...ports]) {
      const socket = connect(port, '127.0.0.2'); // a listener on 127.0.0.1 refuses it
      await expect(once(socket, 'connect')).resolves.toBeDefined();
      socket.destroy();
    }
  });

  test('METRICS_PORT is that of the gateway, then come dispatcher and API', () => {
    const ports = Object.entries(state.metrics_urls).map(([name, url]) => [
      name,
      new URL(url).port,
    ]);
    expect(Object.fromEntries(ports)).toEqual({
      gateway: String(metricsPort),
      dispatcher: String(metricsPort + 1),
      api: String(metricsPort + 2),
    });
  });

  test('the keys of the user encrypt', async () => {
    await using mongo = await connectMongo(state.mongodb_uri, createLog('silent'));
    const [id] = await addressIds();
    const box = createSecretBox([secretKey]);
    const target = await createTargetLookup(mongo.db, box)(String(id));
    expect(target?.webhook_secret).toMatch(/^whsec_/);
  });

  test('links begin with PUBLIC_API_URL; the link to the dashboard works on this machine', async () => {
    const api = createApiClient(state.api_url, state.token);
    const { address } = (
      await api('POST', '/addresses', { webhook_url: state.receiver_url, payload: { raw: true } })
    ).body as { address: string };
    const sent = await runCommand(['send', address], { env: { INLET_DIR: dataDir } });
    expect(sent).toMatchObject({ code: 0, err: '' });
    const raw = await until('the payload', async () => {
      const { body } = await api('GET', `/deliveries?limit=1`);
      const [{ event_id } = { event_id: '' }] = (body as { data: { event_id: string }[] }).data;
      const payload = await api('GET', `/deliveries/${event_id}/payload`);
      return JSON.stringify(payload.body).includes(PUBLIC_API_URL);
    });
    expect(raw).toBe(true);
    expect(screen()).toContain(`${new URL(state.api_url).origin}/dashboard/mail/evt_`);
  });

  test('inlet doctor trusts the same receivers as the dispatcher', async () => {
    const api = createApiClient(state.api_url, state.token);
    const { body } = await api('POST', '/addresses', { webhook_url: receiver.url });
    const { id } = body as { id: string };
    const env = { INLET_DIR: dataDir };
    const { out } = await runCommand(['doctor', '--address', id, '--json'], { env });
    const findings = JSON.parse(out) as { check: string; result: string }[];
    const resultOf = (check: string) => findings.find((one) => one.check === check)?.result;
    expect([resultOf('receiver'), resultOf('gateway certificate')]).toEqual(['ok', 'ok']);
  });

  async function addressIds(): Promise<string[]> {
    const { body } = await createApiClient(state.api_url, state.token)('GET', '/addresses');
    return (body as { data: { id: string }[] }).data.map(({ id }) => id);
  }
});

test('the keys of npm start follow those of the user, and still decrypt', () => {
  expect(joinedKeys('one,two', 'own')).toBe('one,two,own');
  expect(joinedKeys(undefined, 'own')).toBe('own');
});

describe('settings that npm start cannot use end it before it starts anything', () => {
  test.each([
    ['API_TLS_CERT_FILE', '/c.pem', 'Unset API_TLS_CERT_FILE'],
    ['API_TLS_KEY_FILE', '/k.pem', 'Unset API_TLS_KEY_FILE'],
    ['PROXY_PROTOCOL_NETWORKS', '10.0.0.0/8', 'Unset PROXY_PROTOCOL_NETWORKS'],
    ['API_HOST', '192.0.2.1', 'API_HOST must be one of 127.0.0.1, 0.0.0.0, ::'],
    ['SMTP_HOST', 'localhost', 'SMTP_HOST must be one of'],
    ['METRICS_HOST', '::1', 'METRICS_HOST must be one of'],
  ])('%s=%s', async (name, value, reason) => {
    await using dir = await testDir();
    const run = start(dir.path, { [name]: value });
    await expect(run.ended).rejects.toThrow(reason);
    expect(run.screen()).toBe('');
  });
});

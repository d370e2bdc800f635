/**
 * docs/one-container.md: the stage `standalone` of the Dockerfile, built as a folder and run as a container.
 * CONTAINER_KILLS says how often it is killed in traffic.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

import { makeCertificate } from '../../services/adapters/tls/certificates.ts';
import { createApiClient } from '../../services/standalone/round-trip/api-client.ts';
import { startReceiver } from '../../services/standalone/round-trip/receiver.ts';
import {
  buildImage,
  type Container,
  createNetwork,
  type Image,
  type Network,
  noContainers,
  startContainer,
} from '../support/container.ts';
import { testDir } from '../support/servers.ts';
import { until } from '../support/until.ts';

const KILLS = Number(process.env.CONTAINER_KILLS ?? 2);
const SENDERS = 4;
/** `docker stop` kills after it. */
const STOP_WITHIN_MS = 10_000;
const INLET_TOKEN = `svc_live_${randomBytes(32).toString('base64url')}`;

const parts = new AsyncDisposableStack();
let image: Image;
let network: Network;
let volume: string;
let webhookUrl: string;
let container: Container;
let address: string;
const received = new Map<string, number>();
let isHanging = false;

const call: ReturnType<typeof createApiClient> = (...request) =>
  createApiClient(`http://${network.container}:8080/v1`, INLET_TOKEN)(...request);
const send = (subject: string) =>
  createTransport({ host: network.container, port: 2525, ignoreTLS: true }).sendMail({
    from: 'ann@sender.example',
    to: address,
    subject,
    text: 'text',
  });
const arrived = (subject: string) => until(`"${subject}"`, () => received.has(subject));

async function start(env: Record<string, string> = {}): Promise<Container> {
  const started = await startContainer(image, {
    network,
    volume,
    env: {
      INLET_TOKEN,
      INLET_API_URL: 'http://127.0.0.1:8080/v1',
      MAIL_AUTH: 'false', // it has no DNS
      WEBHOOK_ALLOWED_NETWORKS: '10.213.0.0/16',
      WEBHOOK_CA_FILE: '/data/receiver-ca.pem',
      RETRY_SCHEDULE: '1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s',
      ...env,
    },
  });
  return started;
}

const ready = () =>
  until('the health check', async () => {
    const answers = [9091, 9092, 9093].map((port) =>
      fetch(`http://${network.container}:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    return (await Promise.all(answers)).every(Boolean);
  });

describe.skipIf(noContainers() !== undefined)('one container (skipped without root)', () => {
  beforeAll(async () => {
    const dir = parts.use(await testDir()).path;
    for (const name of ['image', 'volume', 'receiver']) await mkdir(join(dir, name));
    const node = { '/usr/local/bin/node': process.execPath };
    image = parts.use(
      await buildImage('standalone', join(dir, 'image'), {
        modules: node,
        sources: node,
        nats: { '/usr/local/bin/nats-server': inject('natsServerBinary') },
        mongodb: { '/usr/bin/mongod': inject('mongodBinary') },
      }),
    );
    network = parts.use(await createNetwork());
    volume = join(dir, 'volume');
    const tls = await makeCertificate(['app'], { addresses: [network.host] });
    const [certFile, keyFile] = ['cert', 'key'].map((name) => join(dir, 'receiver', name));
    await writeFile(String(certFile), tls.cert);
    await writeFile(String(keyFile), tls.key);
    await writeFile(join(volume, 'receiver-ca.pem'), tls.ca);
    const receiver = parts.use(
      await startReceiver({
        host: network.host,
        port: 0,
        certFile: String(certFile),
        keyFile: String(keyFile),
        onWebhook: ({ headers: { subject } }) =>
          received.set(String(subject), (received.get(String(subject)) ?? 0) + 1),
        answerAt: () => (isHanging ? { status: 200, afterMs: 60_000 } : undefined),
        secretOf: async () => secret,
        onRefused: (reason) => expect.fail(reason),
      }),
    );
    webhookUrl = receiver.url;
    container = await start();
    parts.defer(() => container.kill());
  });
  afterAll(() => parts.disposeAsync());

  let secret = '';
  test('an account from the environment, and an email to it becomes a webhook', async () => {
    await ready();
    const created = await until('the token', async () => {
      const answer = await call('POST', '/addresses', { webhook_url: webhookUrl });
      return answer.status === 201 ? answer.body : undefined;
    });
    ({ address, webhook_secret: secret } = created as { address: string; webhook_secret: string });
    await send('first');
    await arrived('first');
    const line = container.output().match(/^First start\..*$/m)?.[0];
    expect(line).toContain('http://127.0.0.1:8080/dashboard/');
    expect(line).not.toContain(INLET_TOKEN);
    await container.exec('sh', '-c', image.health);
    const sent = await container.exec('inlet', 'deliveries', 'list', '--json');
    expect(sent).toMatch(/"subject": ?"first"/);
  });

  test('programs have no rights, and keys are for their user alone', async () => {
    const status = await container.exec('cat', '/proc/1/status');
    expect(status).toMatch(/^Uid:\s+65532\s+65532/m);
    expect(status).toMatch(/^CapBnd:\s+0+$/m);
    const modes = await container.exec(
      'stat',
      '-c',
      '%a',
      '/data/secret-key',
      '/data/account.json',
    );
    expect(modes).toBe('600\n600\n');
    await expect(container.exec('touch', '/app/file')).rejects.toThrow(/[Rr]ead-only/);
    for (const text of ['"event":"mail.accepted"', 'nats-server 2.', '"c":"CONTROL"'])
      expect(container.output()).toContain(text);
  });

  test('a second container cannot use the volume', async () => {
    const ports = { SMTP_PORT: '2526', API_PORT: '8081', METRICS_PORT: '9191' };
    const second = await start(ports);
    await until('its end', () => second.output().includes('inlet: '));
    expect(second.output()).toMatch(/^inlet: .*DBPathInUse/m);
    expect(await second.stop()).toBe(1);
    await send('beside a second one');
    await arrived('beside a second one');
  });

  test('SIGTERM ends it within the time of docker stop, and an attempt that it cut off is repeated', async () => {
    isHanging = true;
    await send('during the stop');
    await until('the attempt', async () => {
      const metrics = await fetch(`http://${network.container}:9092/metrics`);
      return /^inlet_.*in_flight\S* [1-9]/m.test(await metrics.text());
    });
    const startedMs = Date.now();
    expect(await container.stop()).toBe(0);
    expect(Date.now() - startedMs).toBeLessThan(STOP_WITHIN_MS);
    const order = ['gateway', 'dispatcher', 'api'].map((name) =>
      container.output().lastIndexOf(`"service":"${name}"`),
    );
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    isHanging = false;
    container = await start();
    await arrived('during the stop');
    expect(container.output()).not.toContain('First start');
  });

  test(`nothing that got its 250 is lost when it is killed in traffic (${KILLS} times)`, async () => {
    const accepted: string[] = [];
    const stop = new AbortController();
    const senders = Array.from({ length: SENDERS }, async (_, sender) => {
      for (let n = 0; !stop.signal.aborted; n++) {
        const subject = `traffic ${sender}-${n}`;
        await send(subject).then(
          () => accepted.push(subject),
          () => sleep(50),
        );
      }
    });
    for (let kills = 0; kills < KILLS; kills++) {
      const before = accepted.length;
      await until('traffic', () => accepted.length > before + SENDERS);
      await sleep((kills * 700) % 2_000); // at other moments of a start
      await container.kill();
      container = await start();
    }
    stop.abort();
    await Promise.all(senders);
    for (const subject of accepted) await arrived(subject);
    const webhooks = accepted.reduce((sum, subject) => sum + (received.get(subject) ?? 0), 0);
    process.stderr.write(
      `${KILLS} kills: ${accepted.length} emails, ${webhooks} webhooks, 0 lost\n`,
    );
    await ready();
    const states = await container.exec('sh', '-c', 'cat /proc/[0-9]*/stat 2>/dev/null || true');
    expect(states.split('\n').filter((line) => /\) Z /.test(line))).toEqual([]);
  });
});

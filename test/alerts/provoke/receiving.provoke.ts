/** What gateways depend on fails or is slow, and senders who fill them. */
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, test } from 'vitest';

import type { Address } from '../../../services/core/address/address.ts';
import { startTestDns, type TestDns } from '../../support/dns-server.ts';
import { testDir } from '../../support/servers.ts';
import { type Bed, startBed } from './bed.ts';
import { startMonitoring } from './monitoring.ts';
import { provoked } from './provocation.ts';

const DAY_MS = 86_400_000;
const MAX_CONNECTIONS = 20;
const SLOW_CONTENT = new URL('slow-content.mjs', import.meta.url).href;
const parts = new AsyncDisposableStack();
let bed: Bed;
let dns: TestDns;
let to: Address;
let dir: string;
/** Both answer when true. */
const scanners = { rspamd: true, clamd: true, signaturesBuiltAt: new Date() };

/** In place of clamd. */
async function startClamd(): Promise<string> {
  const server = createServer((socket) => {
    let sent = '';
    socket.on('error', () => undefined);
    if (!scanners.clamd) {
      socket.destroy();
      return;
    }
    socket.setEncoding('latin1').on('data', (text: string) => {
      sent += text;
      const builtAt = scanners.signaturesBuiltAt.toISOString().slice(0, 19).replace('T', ' ');
      if (sent.startsWith('zPING')) socket.end('PONG\0');
      else if (sent.startsWith('zVERSION')) socket.end(`ClamAV 1.4.6/27800/${builtAt}\0`);
      else if (sent.endsWith('\0\0\0\0')) socket.end('stream: OK\0');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  parts.defer(() => void server.close());
  return `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** In place of rspamd. */
async function startRspamd(): Promise<string> {
  const verdict = { score: 0.1, required_score: 15, action: 'no action', symbols: {} };
  const server = createHttpServer((request, response) => {
    request.resume().once('end', () => {
      if (!scanners.rspamd) response.writeHead(503);
      response.setHeader?.('content-type', 'application/json');
      response.end(JSON.stringify(verdict));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  parts.defer(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Renews the certificate of the gateway. */
async function renew(days: number): Promise<void> {
  const made = await generate([{ name: 'commonName', value: 'mx.in.example' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notAfterDate: new Date(Date.now() + days * DAY_MS),
  });
  await writeFile(join(dir, 'tls.key'), made.private);
  await writeFile(join(dir, 'tls.crt'), made.cert);
}

beforeAll(async () => {
  dir = parts.use(await testDir()).path;
  const monitoring = parts.use(await startMonitoring('receiving'));
  dns = parts.use(await startTestDns());
  dns.set('sender.example', { TXT: ['v=spf1 -all'] });
  dns.set('_dmarc.sender.example', { TXT: ['v=DMARC1; p=none'] });
  await renew(90);
  bed = parts.use(
    await startBed({
      monitoring,
      namespace: 'receiving',
      run: {
        gateway: {
          MAIL_AUTH: 'true',
          MAIL_AUTH_TIMEOUT: '1s',
          DNS_SERVERS: dns.address,
          RSPAMD_URL: await startRspamd(),
          CLAMD: await startClamd(),
          TLS_CERT_FILE: join(dir, 'tls.crt'),
          TLS_KEY_FILE: join(dir, 'tls.key'),
          TLS_RELOAD_INTERVAL: '1s',
          MAX_CONNECTIONS: String(MAX_CONNECTIONS),
          NODE_OPTIONS: `--import ${SLOW_CONTENT}`,
          THREAD_FAULT_FILE: join(dir, 'no-threads'),
        },
        dispatcher: {},
      },
    }),
  );
  to = await bed.address('/well');
});
afterAll(() => parts.disposeAsync());

test('DNS that does not respond', async () => {
  await using _load = bed.load(8, to.address);
  await provoked(bed, {
    alerts: ['InletLookupsFailing'],
    how: 'the DNS server did not respond',
    provoke: () => dns.setSilent(true),
    mend: () => dns.setSilent(false),
    finds: { resolveTxt: 'the lookup of a pod uses the DNS of the cluster' },
  });
});

test('rspamd and clamd that do not answer', async () => {
  await using _load = bed.load(5, to.address);
  await provoked(bed, {
    alerts: ['InletRspamdFailing', 'InletVirusScanFailing'],
    how: 'rspamd answered 503, and clamd closed its connections',
    provoke: () => Object.assign(scanners, { rspamd: false, clamd: false }),
    mend: () => Object.assign(scanners, { rspamd: true, clamd: true }),
  });
});

test('old signatures', () =>
  provoked(bed, {
    alerts: ['InletVirusSignaturesOld'],
    how: 'clamd reported signatures that were built five days ago, then new ones',
    provoke: () =>
      Object.assign(scanners, { signaturesBuiltAt: new Date(Date.now() - 5 * DAY_MS) }),
    mend: () => Object.assign(scanners, { signaturesBuiltAt: new Date() }),
  }));

test('a certificate that expires soon', () =>
  provoked(bed, {
    alerts: ['InletCertificateExpiresSoon', 'InletCertificateAlmostExpired'],
    how: 'the gateway got a certificate for one day, then one for 90',
    provoke: () => renew(1),
    mend: () => renew(90),
  }));

test('a certificate that cannot be used', () =>
  provoked(bed, {
    alerts: ['InletCertificateNotReloaded'],
    how: 'the file of the certificate was overwritten with text, then with a good one',
    provoke: () => writeFile(join(dir, 'tls.crt'), 'no certificate'),
    mend: () => renew(90),
  }));

test('all connections in use', async () => {
  const held = new Set<Socket>();
  let isOn = true;
  let filling: Promise<void> = Promise.resolve();
  await provoked(bed, {
    alerts: ['InletConnectionsFull'],
    how: `a client opened connections beyond MAX_CONNECTIONS (${MAX_CONNECTIONS}), and closed them`,
    provoke: () => {
      filling = (async () => {
        while (isOn) {
          const socket = connect(bed.smtpPort, '127.0.0.1');
          socket.on('error', () => undefined).on('data', () => undefined);
          held.add(socket);
          socket.once('close', () => held.delete(socket));
          await sleep(200);
        }
      })();
    },
    mend: async () => {
      isOn = false;
      await filling;
      for (const socket of held) socket.destroy();
    },
  });
});

test('emails that take too long', async () => {
  let isOn = true;
  let sending: Promise<void> = Promise.resolve();
  await provoked(bed, {
    alerts: ['InletContentTookTooLong'],
    how: 'emails arrived for which the thread took a second of CPU (a module loaded into it)',
    provoke: () => {
      sending = (async () => {
        while (isOn) {
          await Promise.race([bed.send(to.address, { text: 'take-a-second' }), sleep(1_000)]);
        }
      })();
    },
    mend: async () => {
      isOn = false;
      await sending;
    },
  });
});

test('threads that do not start', async () => {
  await provoked(bed, {
    alerts: ['InletContentThreadNotReady'],
    how: 'new threads of a gateway threw at their start, after one had taken too long',
    provoke: async () => {
      await writeFile(join(dir, 'no-threads'), '');
      for (let i = 0; i < 3; i++) void bed.send(to.address, { text: 'take-a-second' });
    },
    mend: () => rm(join(dir, 'no-threads')),
  });
});

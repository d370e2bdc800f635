/** What gateways depend on fails or is slow, and senders who fill them. */
import { rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, test } from 'vitest';

import type { Address } from '../../../services/core/address/address.ts';
import { findClamd, startClamd, type TestClamd } from '../../support/clamd.ts';
import { startTestDns, type TestDns } from '../../support/dns-server.ts';
import { findRspamd, startRspamd, type TestRspamd } from '../../support/rspamd.ts';
import { testDir } from '../../support/servers.ts';
import { type Bed, startBed } from './bed.ts';
import { startMonitoring } from './monitoring.ts';
import { provoked } from './provocation.ts';
import { repeatedly } from './pulses.ts';

const DAY_MS = 86_400_000;
const MAX_CONNECTIONS = 20;
const FAULTY_THREADS = new URL('faulty-threads.mjs', import.meta.url).href;
/** Takes longer to read than PARSE_TIMEOUT. */
const LARGE = { attachmentBytes: 6_000_000 };
const parts = new AsyncDisposableStack();
let bed: Bed;
let dns: TestDns;
let to: Address;
let dir: string;
let clamd: TestClamd | undefined;
let rspamd: TestRspamd | undefined;

type Pair = { private: string; cert: string };

const newCertificate = (days: number): Promise<Pair> =>
  generate([{ name: 'commonName', value: 'mx.in.example' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notAfterDate: new Date(Date.now() + days * DAY_MS),
  });

/** Renews the certificate of the gateway. */
async function renew(days: number): Promise<void> {
  const made = await newCertificate(days);
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
  const [clamdRoot, rspamdRoot] = [await findClamd(), await findRspamd()];
  if (clamdRoot !== undefined) clamd = parts.use(await startClamd(clamdRoot, new Date()));
  if (rspamdRoot !== undefined) rspamd = parts.use(await startRspamd(rspamdRoot, dns.address));
  bed = parts.use(
    await startBed({
      monitoring,
      namespace: 'receiving',
      run: {
        gateway: {
          MAIL_AUTH: 'true',
          DNS_SERVERS: dns.address,
          ...(rspamd && { RSPAMD_URL: rspamd.url }),
          ...(clamd && { CLAMD: clamd.tcp }),
          TLS_CERT_FILE: join(dir, 'tls.crt'),
          TLS_KEY_FILE: join(dir, 'tls.key'),
          MAX_CONNECTIONS: String(MAX_CONNECTIONS),
          PARSE_TIMEOUT: '10ms',
          NODE_OPTIONS: `--import ${FAULTY_THREADS}`,
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
    provoke: () => dns.setSilent(true),
    mend: () => dns.setSilent(false),
  });
});

test('rspamd that does not answer', async (context) => {
  if (rspamd === undefined) context.skip('there is no rspamd');
  await using _load = bed.load(5, to.address);
  await provoked(bed, {
    alerts: ['InletRspamdFailing'],
    provoke: () => rspamd?.freeze(),
    mend: () => rspamd?.resume(),
  });
});

test('no clamd', async (context) => {
  if (clamd === undefined) context.skip('there is no clamd');
  await using _load = bed.load(5, to.address);
  await provoked(bed, {
    alerts: ['InletVirusScanFailing'],
    provoke: () => clamd?.kill(),
    mend: () => clamd?.restart(),
  });
});

test('old signatures', async (context) => {
  if (clamd === undefined) context.skip('there is no clamd');
  await provoked(bed, {
    alerts: ['InletVirusSignaturesOld'],
    provoke: () => clamd?.load(new Date(Date.now() - 5 * DAY_MS)),
    mend: () => clamd?.load(new Date()),
  });
});

test('a certificate that expires soon', () =>
  provoked(bed, {
    alerts: ['InletCertificateExpiresSoon', 'InletCertificateAlmostExpired'],
    provoke: () => renew(1),
    mend: () => renew(90),
  }));

test('a certificate that cannot be used', () =>
  provoked(bed, {
    alerts: ['InletCertificateNotReloaded'],
    provoke: async () => writeFile(join(dir, 'tls.crt'), (await newCertificate(90)).cert),
    mend: () => renew(90),
  }));

test('all connections in use', async () => {
  const held = new Set<Socket>();
  let filling: AsyncDisposable;
  await provoked(bed, {
    alerts: ['InletConnectionsFull'],
    provoke: () => {
      filling = repeatedly(200, () => {
        const socket = connect(bed.smtpPort, '127.0.0.1');
        socket.on('error', () => undefined).on('data', () => undefined);
        held.add(socket);
        socket.once('close', () => held.delete(socket));
      });
    },
    mend: async () => {
      await filling[Symbol.asyncDispose]();
      for (const socket of held) socket.destroy();
    },
  });
});

test('emails that take too long', async () => {
  let sending: AsyncDisposable;
  await provoked(bed, {
    alerts: ['InletContentTookTooLong'],
    provoke: () => {
      sending = repeatedly(0, () => bed.send(to.address, LARGE));
    },
    mend: () => sending[Symbol.asyncDispose](),
  });
});

test('threads that do not start', async () => {
  await provoked(bed, {
    alerts: ['InletContentThreadNotReady'],
    provoke: async () => {
      await writeFile(join(dir, 'no-threads'), '');
      void bed.send(to.address, LARGE);
    },
    mend: () => rm(join(dir, 'no-threads')),
  });
});

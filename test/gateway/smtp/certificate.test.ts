/**
 * The STARTTLS certificate: renewed without a disconnect, never the library's own; and the TLS
 * version (RFC 3207; checklist 5, 31).
 */
import { X509Certificate } from 'node:crypto';
import { copyFile, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls, createSecureContext } from 'node:tls';

import { generate } from 'selfsigned';
import { describe, expect, test } from 'vitest';

import { readConfig } from '../../../services/adapters/process/config.ts';
import { GatewayConfig } from '../../../services/gateway/process/config.ts';
import { type Pipeline, startPipeline } from '../../support/pipeline.ts';
import { testDir } from '../../support/servers.ts';
import { dialogue, play, startTls } from '../../support/smtp-play.ts';
import { until } from '../../support/until.ts';

/** Writes a new pair into a folder. */
async function newPair(dir: string, name: string): Promise<{ certFile: string; keyFile: string }> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
  });
  const files = { certFile: join(dir, 'tls.crt'), keyFile: join(dir, 'tls.key') };
  await mkdir(dir, { recursive: true });
  await writeFile(files.certFile, cert);
  await writeFile(files.keyFile, key);
  return files;
}

/** The common name in the certificate of a new connection. */
async function shownName(port: number): Promise<string | undefined> {
  await using smtp = await dialogue(port);
  await smtp.say('EHLO a');
  await using secure = await startTls(smtp);
  return secure.socket.getPeerCertificate().subject.CN?.toString();
}

const startWith = (
  { certFile, keyFile }: { certFile: string; keyFile: string },
  env: Record<string, string> = {},
) =>
  startPipeline({
    withDispatcher: false,
    env: { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile, ...env },
    constants: { certificateCheckMs: 20 },
  });

const metric = async ({ metricsUrls }: Pipeline, name: string) =>
  new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'm').exec(
    await (await fetch(metricsUrls.gateway)).text(),
  )?.[1];

describe('a renewed certificate', () => {
  test('serves new connections, open ones continue, and its expiry is measured', async () => {
    await using dir = await testDir();
    const files = await newPair(dir.path, 'first.example');
    await using pipeline = await startWith(files);
    expect(await shownName(pipeline.smtpPort)).toBe('first.example');
    await using inTheClear = await dialogue(pipeline.smtpPort);
    await using before = await dialogue(pipeline.smtpPort);
    await before.say('EHLO a');
    await using open = await startTls(before);

    await newPair(dir.path, 'second.example');
    await until(
      'the new certificate',
      async () => (await shownName(pipeline.smtpPort)) === 'second.example',
    );
    expect(await open.say('EHLO a')).toMatch(/^250-/);
    expect(open.socket.getPeerCertificate().subject.CN).toBe('first.example');
    await inTheClear.say('EHLO a');
    expect((await startTls(inTheClear)).socket.getPeerCertificate().subject.CN).toBe(
      'second.example',
    );
    const { validToDate } = new X509Certificate(await readFile(files.certFile));
    expect(Number(await metric(pipeline, 'inlet_tls_certificate_expiry_timestamp_seconds'))).toBe(
      validToDate.getTime() / 1000,
    );
  });

  test('arrives as Kubernetes updates it: the link to the folder of both files is replaced', async () => {
    await using dir = await testDir();
    const at = (name: string) => join(dir.path, name);
    await newPair(at('..2026_11_20'), 'first.example');
    await symlink('..2026_11_20', at('..data'));
    await symlink('..data/tls.crt', at('tls.crt'));
    await symlink('..data/tls.key', at('tls.key'));
    await using pipeline = await startWith({ certFile: at('tls.crt'), keyFile: at('tls.key') });
    await newPair(at('..2026_11_21'), 'second.example');
    await symlink('..2026_11_21', at('..data_tmp'));
    await rename(at('..data_tmp'), at('..data'));
    await rm(at('..2026_11_20'), { recursive: true });
    await until(
      'the new certificate',
      async () => (await shownName(pipeline.smtpPort)) === 'second.example',
    );
    expect(await metric(pipeline, 'inlet_tls_reload_failures_total')).toBe('0');
  });

  test('that cannot be used is ignored and counted: the former one stays until a good one comes', async () => {
    await using dir = await testDir();
    const { certFile, keyFile } = await newPair(dir.path, 'first.example');
    const other = await newPair(join(dir.path, 'other'), 'other.example');
    await using pipeline = await startWith({ certFile, keyFile });
    let shown = 'first.example';
    const faults = [
      ['the key of another', () => copyFile(other.keyFile, keyFile)],
      ['no PEM', () => writeFile(certFile, 'not a certificate')],
      ['an empty file', () => writeFile(certFile, '')],
      ['no file', () => rm(certFile)],
    ] as const;
    const failures = async () => Number(await metric(pipeline, 'inlet_tls_reload_failures_total'));
    for (const [at, [fault, breakIt]] of faults.entries()) {
      const before = await failures();
      await breakIt();
      await until(
        `${fault} to be counted at each check`,
        async () => (await failures()) >= before + 2,
      );
      expect([fault, await shownName(pipeline.smtpPort)]).toEqual([fault, shown]);
      shown = `after-${at}.example`;
      await newPair(join(dir.path, 'next'), shown);
      await rename(join(dir.path, 'next', 'tls.key'), keyFile);
      await rename(join(dir.path, 'next', 'tls.crt'), certFile);
      await until('the next good one', async () => (await shownName(pipeline.smtpPort)) === shown);
    }
  });
});

test('a gateway whose certificate cannot be used does not start', async () => {
  await using dir = await testDir();
  const { certFile } = await newPair(dir.path, 'first.example');
  const { keyFile } = await newPair(join(dir.path, 'other'), 'other.example');
  await expect(startWith({ certFile, keyFile })).rejects.toThrow(
    /^certificate .*tls\.crt with key .*tls\.key$/,
  );
});

test("without certificate files there is no STARTTLS: the key of the library's certificate is public", async () => {
  await using plain = await startPipeline({ withDispatcher: false });
  const replies = await play(plain.smtpPort, [
    ['EHLO a', '250'],
    ['STARTTLS', '500 5.5.2'],
  ]);
  expect(replies[0]).not.toContain('STARTTLS');
  expect(await metric(plain, 'inlet_tls_certificate_expiry_timestamp_seconds')).toBeUndefined();
});

describe('settings', () => {
  const files = { TLS_CERT_FILE: '/tls.crt', TLS_KEY_FILE: '/tls.key' };
  const needed = { NATS_URL: 'nats://127.0.0.1', MONGODB_URI: 'mongodb://127.0.0.1' };
  test.each([
    [{ TLS_CERT_FILE: '/tls.crt' }, 'TLS_KEY_FILE'],
    [{ TLS_KEY_FILE: '/tls.key' }, 'TLS_KEY_FILE'],
    [{ SMTP_REQUIRE_TLS: 'true' }, 'SMTP_REQUIRE_TLS'],
    [{ ...files, TLS_MIN_VERSION: 'TLSv1' }, 'TLS_MIN_VERSION'],
  ])('%j are refused for %s', (settings, name) => {
    expect(() => readConfig(GatewayConfig, { ...needed, ...settings })).toThrow(name);
  });

  test.each<[string, { version: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'; isIn: boolean }[]]>([
    [
      'TLSv1.2',
      [
        { version: 'TLSv1.1', isIn: false },
        { version: 'TLSv1.2', isIn: true },
        { version: 'TLSv1.3', isIn: true },
      ],
    ],
    [
      'TLSv1.3',
      [
        { version: 'TLSv1.2', isIn: false },
        { version: 'TLSv1.3', isIn: true },
      ],
    ],
  ])('TLS_MIN_VERSION %s: clients with an older version are refused', async (least, clients) => {
    await using dir = await testDir();
    const pair = await newPair(dir.path, 'mx.example');
    await using pipeline = await startWith(pair, { TLS_MIN_VERSION: least });
    for (const { version, isIn } of clients) {
      await using smtp = await dialogue(pipeline.smtpPort);
      await smtp.say('EHLO a');
      const secureContext = createSecureContext({
        minVersion: version,
        maxVersion: version,
        ...(version === 'TLSv1.1' && { ciphers: 'ALL:@SECLEVEL=0' }),
      });
      const outcome = await startTls(smtp, { rejectUnauthorized: false, secureContext }).then(
        ({ socket }) => socket.getProtocol(),
        () => 'refused',
      );
      expect([version, outcome]).toEqual([version, isIn ? version : 'refused']);
    }
  });
});

test('checklist 5: SMTP_REQUIRE_TLS: mail without TLS gets 530 5.7.0, mail over TLS is accepted', async () => {
  await using dir = await testDir();
  await using pipeline = await startWith(await newPair(dir.path, 'mx.example'), {
    SMTP_REQUIRE_TLS: 'true',
  });
  const { address } = await pipeline.address('/unused');
  await using smtp = await dialogue(pipeline.smtpPort);
  for (const [line, reply] of [
    ['NOOP', /^250 /],
    ['EHLO a', /^250-/],
    ['MAIL FROM:<a@b.example>', /^530 5\.7\.0 Must issue a STARTTLS command first$/],
    ['VRFY x', /^530 /],
  ] as const)
    expect(await smtp.say(line)).toMatch(reply);
  await using secure = await startTls(smtp);
  for (const line of ['EHLO a', 'MAIL FROM:<a@b.example>', `RCPT TO:<${address}>`])
    expect(await secure.say(line)).toMatch(/^250/);
});

/** The client's side of a handshake. What it sends after its ClientHello waits for `release`. */
async function heldBack(port: number, maxVersion: 'TLSv1.2' | 'TLSv1.3') {
  const smtp = await dialogue(port);
  await smtp.say('EHLO a');
  await smtp.say('STARTTLS');
  const socket: Socket = smtp.socket.removeAllListeners('data');
  const held: Buffer[] = [];
  let writes = 0;
  let isReleased = false;
  const wire = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _, done) => {
      if (writes++ === 0 || isReleased) socket.write(chunk);
      else held.push(chunk);
      done();
    },
  });
  const { promise: answered, resolve } = Promise.withResolvers<void>();
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    wire.push(Buffer.from(chunk, 'latin1'));
    resolve();
  });
  const events: string[] = [];
  const tls = connectTls({ socket: wire, rejectUnauthorized: false, maxVersion });
  tls.on('session', () => events.push('ticket')).on('error', () => undefined);
  await answered;
  return {
    events,
    held,
    release: () => {
      isReleased = true;
      socket.write(Buffer.concat(held));
    },
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

describe('session tickets', () => {
  // outlook.com hangs up otherwise: golang/go#70232
  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    "%s: none before the client's Finished, and some after it",
    async (version) => {
      await using dir = await testDir();
      await using pipeline = await startWith(await newPair(dir.path, 'tickets.example'));
      using client = await heldBack(pipeline.smtpPort, version);
      await until("the client's second flight", () => client.held.length > 0);
      await sleep(300); // for what the gateway might send without it
      expect(client.events).toEqual([]);
      client.release();
      await until('a ticket', () => client.events.length > 0);
    },
  );
});

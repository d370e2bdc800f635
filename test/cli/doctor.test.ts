/** `inlet doctor` and `inlet dashboard` against all of Inlet as `npm start` runs it. */
import { readFile } from 'node:fs/promises';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { checkMail, clocksFinding } from '../../services/cli/doctor/checks.ts';
import { startTestDns, type TestDns } from '../support/dns-server.ts';
import { runCommand } from '../support/inlet-command.ts';
import { startWholeSystem } from '../support/start-standalone.ts';
import { useInFile } from '../support/use-in-file.ts';

const system = await useInFile(startWholeSystem());
const { api_url, token } = system.standalone.state();
const own = { INLET_DIR: system.standalone.dataDir, INLET_API_URL: api_url, INLET_TOKEN: token };

const doctor = (...args: string[]) => runCommand(['doctor', ...args], { env: own });

describe('doctor', () => {
  test('finds nothing wrong with a running npm start and its receiver', async () => {
    const address = await system.address('/doctor');
    const { code, out } = await doctor('--address', address.id, '--json');
    const findings = JSON.parse(out) as { check: string; result: string }[];
    expect(code).toBe(0);
    expect(Object.fromEntries(findings.map(({ check, result }) => [check, result]))).toEqual({
      api: 'ok',
      clock: 'ok',
      'clock of the API': 'ok',
      plan: 'ok',
      gateway: 'ok',
      'gateway certificate': 'ok',
      mx: 'skipped',
      receiver: 'ok',
      nats: 'ok',
      mongodb: 'ok',
    });
  });

  test('says what is wrong and what to do', async () => {
    const address = await system.address('/wrong', { webhook_url: 'https://127.0.0.1:1/' });
    const { code, out, err } = await doctor('--address', address.id, '--domain', 'no.invalid');
    expect(code).toBe(1);
    expect(out).toMatch(/failed +mx +no\.invalid has no MX record[^\n]*\n +→ publish an MX record/);
    expect(out).toMatch(/failed +receiver +127\.0\.0\.1: .*ECONNREFUSED/);
    expect(err).toBe('inlet: failed: mx, receiver\n');
  });
});

test.each([
  [{ mongodb: 0.9, nats: -0.2 }, 'ok', 'agrees with mongodb and nats'],
  [{ mongodb: 0, nats: -2.5 }, 'warning', '2.5 s behind nats'],
  [{ mongodb: 86_400, nats: 2 }, 'failed', '86400 s ahead of mongodb, 2 s ahead of nats'],
  [undefined, 'skipped', 'the API does not say how its clock compares'],
  [{ mongodb: 'x' }, 'skipped', 'the API does not say how its clock compares'],
])('D166: of the clock of the API, %j is %s', (offsets, result, finding) => {
  expect(clocksFinding(offsets)).toMatchObject({ result, finding });
});

describe('doctor without an API', () => {
  test('checks a domain nevertheless', async () => {
    const { code, out, err } = await runCommand(['doctor', '--domain', 'no.invalid', '--json']);
    expect([code, err]).toEqual([1, 'inlet: failed: mx\n']);
    expect(JSON.parse(out)).toContainEqual({
      check: 'api',
      result: 'skipped',
      finding: 'no API is known',
    });
  });

  test('says how to name one', async () => {
    const { code, out } = await runCommand(['doctor']);
    expect(code).toBe(1);
    expect(out).toMatch(/failed +api +no API is known\n +→ Start Inlet with npm start[^\n]*login/);
  });
});

describe('the mail servers of a domain', () => {
  let dns: TestDns;
  beforeAll(async () => {
    dns = await startTestDns();
  });
  afterAll(() => dns[Symbol.asyncDispose]());

  /** The mail server of the domain is the gateway, under this name. */
  async function checked(exchange: string) {
    const { smtp_port: port, ca_file } = system.standalone.state();
    dns.set('shop.test', { MX: [{ exchange, priority: 10 }] });
    const ca = [await readFile(ca_file, 'utf8')];
    const findings = await checkMail('shop.test', { servers: [dns.address], port, ca });
    return findings.map(({ check, result, finding }) => [check, result, finding]);
  }

  test('have an address, and a certificate for their name', async () => {
    dns.set('localhost', { A: ['127.0.0.1'] });
    expect(await checked('localhost')).toEqual([
      ['mx', 'ok', 'shop.test: localhost'],
      ['port 25', 'ok', expect.stringContaining('localhost, 127.0.0.1:')],
      ['port 25 certificate', 'ok', expect.stringContaining('localhost: valid until ')],
      ['port 25 DANE', 'ok', expect.stringContaining('localhost has no TLSA records')],
    ]);
  });

  test('X.7: TLSA records for another key are a failure', async () => {
    dns.set('localhost', { A: ['127.0.0.1'] });
    const TLSA = [{ usage: 3, selector: 1, matching: 1, data: Buffer.alloc(32) }];
    dns.set('_25._tcp.localhost', { TLSA });
    expect((await checked('localhost')).at(-1)).toEqual([
      'port 25 DANE',
      'failed',
      expect.stringContaining('senders with DANE do not deliver to it'),
    ]);
    dns.remove('_25._tcp.localhost');
  });

  test('a certificate for another name is a warning', async () => {
    dns.set('mx.shop.test', { A: ['127.0.0.1'] });
    const [, , certificate] = await checked('mx.shop.test');
    expect(certificate).toEqual([
      'port 25 certificate',
      'warning',
      expect.stringContaining('mx.shop.test: it is for another name (valid until '),
    ]);
  });

  test('one without an address is named', async () => {
    expect(await checked('gone.shop.test')).toEqual([
      ['mx', 'ok', 'shop.test: gone.shop.test'],
      ['mx address', 'failed', 'gone.shop.test has neither an A nor an AAAA record'],
    ]);
  });
});

test('dashboard --print prints a link that signs in', async () => {
  const env = { INLET_DIR: system.standalone.dataDir };
  const { out } = await runCommand(['dashboard', '--print'], { env });
  expect(out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/dashboard\/#code=\S+\n$/);
});

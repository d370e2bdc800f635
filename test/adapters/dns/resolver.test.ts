/** Lookups against a real DNS server: records, no such record, and temporary failures. */
import { describe, expect, test } from 'vitest';

import {
  createDns,
  DnsConfig,
  type DnsOptions,
  isNoSuchRecord,
} from '../../../services/adapters/dns/resolver.ts';
import { askNameServers, lookUpHost } from '../../../services/adapters/dns/name-servers.ts';
import { startTestDns } from '../../support/dns-server.ts';
import { atMost } from '../../support/slowdown.ts';

const optionsOf = (address: string, options: Partial<DnsOptions> = {}): DnsOptions => ({
  servers: [address],
  timeoutMs: 1_500,
  cacheTtlMs: 60_000,
  ...options,
});

describe('records', () => {
  test('each type is returned as node:dns returns it; long texts arrive over TCP; aliases are followed', async () => {
    await using server = await startTestDns();
    using dns = createDns(optionsOf(server.address));
    const long = 'v=DKIM1; p='.padEnd(2000, 'x');
    server.set('a.test', {
      A: ['192.0.2.1'],
      AAAA: ['2001:db8::1'],
      MX: [{ exchange: 'mx.a.test', priority: 10 }],
      TXT: ['short', long],
    });
    server.set('alias.test', { CNAME: 'a.test' });
    server.set('1.2.0.192.in-addr.arpa', { PTR: ['a.test'] });
    expect(await dns.resolve('A.test.', 'A')).toEqual(['192.0.2.1']);
    expect(await dns.resolve('alias.test', 'AAAA')).toEqual(['2001:db8::1']);
    expect(await dns.resolve('alias.test', 'CNAME')).toEqual(['a.test']);
    expect(await dns.resolve('a.test', 'MX')).toMatchObject([
      { exchange: 'mx.a.test', priority: 10 },
    ]);
    const texts = await dns.resolve('a.test', 'TXT');
    expect(texts.map((strings) => strings.join(''))).toEqual(['short', long]);
    expect(texts[1]).toHaveLength(8);
    expect(await dns.namesOf('192.0.2.1')).toEqual(['a.test']);
    expect(await dns.namesOf('::ffff:192.0.2.1')).toEqual(['a.test']);
    expect(await dns.namesOf('2001:db8::1')).toEqual([]);
    expect(await dns.namesOf('nonsense')).toEqual([]);
  });

  test('no such name and no record of the type are answers, failures are not', async () => {
    await using server = await startTestDns();
    using dns = createDns(optionsOf(server.address, { timeoutMs: 600 }));
    server.set('a.test', { A: ['192.0.2.1'] });
    server.set('broken.test', 'SERVFAIL');
    server.set('refused.test', 'REFUSED');
    server.set('silent.test', 'silent');
    const codeOf = (name: string) =>
      dns.resolve(name, 'TXT').then(
        () => 'none',
        (error: { code: string }) => error.code,
      );
    expect(
      await Promise.all(
        ['none.test', 'a.test', 'test', 'broken.test', 'refused.test', 'silent.test'].map(codeOf),
      ),
    ).toEqual(['ENOTFOUND', 'ENODATA', 'ENODATA', 'ESERVFAIL', 'EREFUSED', 'ETIMEOUT']);
    expect(await codeOf(`${'x'.repeat(64)}.test`)).toBe('EBADNAME');
    expect(await codeOf('a\\.test')).toBe('EBADNAME');
    expect(await dns.find('none.test', 'A')).toEqual([]);
    expect(await dns.find('a.test', 'MX')).toEqual([]);
    const failure: unknown = await dns.find('broken.test', 'A').catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'ESERVFAIL' });
    expect(isNoSuchRecord(failure)).toBe(false);
  });
});

describe('texts that are no names (D110)', () => {
  const TYPES = ['A', 'AAAA', 'CNAME', 'MX', 'PTR', 'TXT'] as const;

  test.each([
    'evil.test\0.a.test',
    'evil.test\\.a.test',
    'a b.a.test',
    'a+b.a.test',
    'a..test',
    '',
  ])('%j is asked of no server', async (text) => {
    await using server = await startTestDns();
    using dns = createDns(optionsOf(server.address));
    for (const type of TYPES)
      await expect(dns.resolve(text, type)).rejects.toMatchObject({ code: 'EBADNAME' });
    const direct = askNameServers([server.address], { timeoutMs: 500, tries: 1 });
    for (const method of ['mailServers', 'srv', 'v4', 'v6'] as const)
      await expect(direct[method](text)).rejects.toMatchObject({ code: 'EBADNAME' });
    await expect(
      new Promise((resolve, reject) => {
        lookUpHost(text, {}, (error, address) => (error ? reject(error) : resolve(address)));
      }),
    ).rejects.toMatchObject({ code: 'EBADNAME' });
    expect(questions(server.requested)).toEqual([]);
  });

  test('U-labels become A-labels, and one final dot is left out', async () => {
    await using server = await startTestDns();
    using dns = createDns(optionsOf(server.address));
    server.set('xn--bcher-kva.test', { A: ['192.0.2.1'] });
    expect(await dns.resolve('Bücher.test.', 'A')).toEqual(['192.0.2.1']);
    expect(questions(server.requested)).toEqual(['A xn--bcher-kva.test']);
  });

  test('sockets find hosts by the system', async () => {
    const found = new Promise((resolve, reject) => {
      lookUpHost('localhost', { family: 4 }, (error, address) =>
        error ? reject(error) : resolve(address),
      );
    });
    expect(await found).toBe('127.0.0.1');
  });
});

describe('the cache', () => {
  test('an answer is requested once, even by many callers at a time, and even if there is no record', async () => {
    await using server = await startTestDns();
    using dns = createDns(optionsOf(server.address));
    server.set('a.test', { TXT: ['one'] }, { delayMs: 50 });
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => dns.resolve('a.test', 'TXT')),
    );
    answers[0]?.pop(); // callers may change their copy of an answer
    await dns.find('none.test', 'A');
    await dns.find('none.test', 'A');
    expect(await dns.resolve('a.test', 'TXT')).toEqual([['one']]);
    expect(questions(server.requested)).toEqual(['TXT a.test', 'A none.test']);
  });

  test("an address expires after the record's own time to live", async () => {
    await using server = await startTestDns();
    using dns = createDns(optionsOf(server.address));
    server.set('a.test', { A: ['192.0.2.1'], ttlSeconds: 1 });
    await dns.resolve('a.test', 'A');
    server.set('a.test', { A: ['192.0.2.2'], ttlSeconds: 1 });
    expect(await dns.resolve('a.test', 'A')).toEqual(['192.0.2.1']);
    await expect.poll(() => dns.resolve('a.test', 'A')).toEqual(['192.0.2.2']);
  });

  test('it can be switched off', async () => {
    await using server = await startTestDns();
    using dns = createDns(optionsOf(server.address, { cacheTtlMs: 0 }));
    await dns.find('a.test', 'TXT');
    server.set('a.test', { TXT: ['now'] });
    expect(await dns.find('a.test', 'TXT')).toEqual([['now']]);
  });
});

describe('servers that are down', () => {
  test('when no server answers, lookups fail immediately, and work again soon after an answer', async () => {
    await using server = await startTestDns();
    using dns = createDns(optionsOf(server.address, { timeoutMs: 1_200, cacheTtlMs: 0 }));
    await expect.poll(() => questions(server.requested, 'NS')).toHaveLength(1);
    server.setSilent(true);
    let failures = 0;
    await expect
      .poll(async () => {
        const startedAt = performance.now();
        await dns.find(`${failures++}.test`, 'A').catch(() => undefined);
        return performance.now() - startedAt;
      })
      .toBeLessThan(atMost(100));
    server.setSilent(false);
    server.set('a.test', { A: ['192.0.2.1'] });
    await expect.poll(() => dns.find('a.test', 'A').catch(() => [])).toEqual(['192.0.2.1']);
  });

  test('a process that was busy itself does not believe that they are down', async () => {
    await using server = await startTestDns();
    server.set('a.test', { TXT: ['x'] });
    using dns = createDns(optionsOf(server.address, { timeoutMs: 15_000 }));
    const busyUntil = Date.now() + 1_500;
    while (Date.now() < busyUntil); // the answer to its first probe cannot be read in time
    expect(await dns.resolve('a.test', 'TXT')).toEqual([['x']]);
  });

  test('the timeout of one domain does not affect others', async () => {
    await using server = await startTestDns();
    using dns = createDns(optionsOf(server.address, { timeoutMs: 300, cacheTtlMs: 0 }));
    server.set('silent.test', 'silent');
    server.set('a.test', { A: ['192.0.2.1'] });
    for (let i = 0; i < 6; i++) await dns.find('silent.test', 'A').catch(() => undefined);
    expect(await dns.find('a.test', 'A')).toEqual(['192.0.2.1']);
  });
});

test('settings accept IP addresses only', () => {
  expect(DnsConfig.DNS_SERVERS.parse('10.0.0.53, [fd00::53]:5353')).toEqual([
    '10.0.0.53',
    '[fd00::53]:5353',
  ]);
  expect(DnsConfig.DNS_SERVERS.safeParse('ns.example').success).toBe(false);
});

/** Without the probes by which the resolver checks that servers answer. */
const questions = (requested: readonly string[], type?: 'NS') =>
  requested.filter((question) => question.startsWith('NS ') === (type === 'NS'));

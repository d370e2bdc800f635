/** What Inlet says to DNS hosts, and what it reads from them: X.6, docs/domain-connect.md. */
import { generateKeyPairSync, verify } from 'node:crypto';

import { expect, test } from 'vitest';

import {
  consentUrl,
  DnsHost,
  settingsUrl,
  templateOf,
  zonesOf,
} from '../../../services/core/domain/domain-connect.ts';
import { publicKeyRecords } from '../../../services/platform/settings/domain-connect.ts';

test('the zone of a domain may begin at it, or above', () => {
  expect(zonesOf('a.mail.example.com').map(({ name }) => name)).toEqual([
    '_domainconnect.a.mail.example.com',
    '_domainconnect.mail.example.com',
    '_domainconnect.example.com',
  ]);
});

test.each([
  ['connect.dns.example', 'https://connect.dns.example/v2/example.com/settings'],
  [' dns.example/client/v4/ ', 'https://dns.example/client/v4/v2/example.com/settings'],
  ['https://dns.example', undefined],
  ['user@dns.example', undefined],
  ['dns.example:8443', undefined],
  ['dns.example/a?b', undefined],
  ['localhost', undefined],
  ['', undefined],
  [`${'a'.repeat(300)}.example`, undefined],
])('the TXT record %j leads to %j', (text, url) => {
  expect(settingsUrl(text, 'example.com')).toBe(url);
});

const host = { providerId: 'dns.example', providerName: 'DNS', urlAPI: 'https://api.dns.example' };

test.each([
  [{ ...host, urlAPI: 'http://api.dns.example' }],
  [{ ...host, urlSyncUX: 'javascript:alert(1)' }],
  [{ providerName: 'DNS' }],
  [[]],
])('a host that is not taken: %j', (settings) => {
  expect(DnsHost.safeParse(settings).success).toBe(false);
});

test('the consent of a subdomain is signed over exactly its query', () => {
  const queries: string[] = [];
  const url = consentUrl(
    'https://ux.dns.example/connect',
    { provider: 'inlet.example.org', zone: 'example.com', domain: 'in.example.com', token: 't+k' },
    (query) => {
      queries.push(query);
      return 'a+b/c=';
    },
  );
  expect(queries).toEqual(['domain=example.com&host=in&token=t%2Bk']);
  expect(url).toBe(
    'https://ux.dns.example/connect/v2/domainTemplates/providers/inlet.example.org/services/inbound' +
      '/apply?domain=example.com&host=in&token=t%2Bk&sig=a%2Bb%2Fc%3D&key=_dck1',
  );
});

test('a domain that is its zone has no host', () => {
  const requested = {
    provider: 'p.example',
    zone: 'example.com',
    domain: 'example.com',
    token: 't',
  };
  expect(consentUrl('https://ux.example', requested, () => 's')).toContain(
    '?domain=example.com&token=t&sig=s',
  );
});

test('the template has the challenge and each MX host', () => {
  const { records, syncPubKeyDomain } = templateOf('inlet.example.org', ['mx1.example.org']);
  expect(syncPubKeyDomain).toBe('inlet.example.org');
  expect(records).toEqual([
    expect.objectContaining({
      type: 'TXT',
      host: '_inlet-challenge',
      data: 'inlet-verification=%token%',
    }),
    expect.objectContaining({ type: 'MX', host: '@', pointsTo: 'mx1.example.org', priority: 10 }),
  ]);
});

test('the public key in the DNS verifies what the private key signs', async () => {
  const { sign, createPublicKey } = await import('node:crypto');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const records = publicKeyRecords(privateKey);
  expect(records.every((record) => record.length <= 255)).toBe(true);
  const parts = records
    .map((record) => /^p=(\d+),a=RS256,d=(.*)$/.exec(record))
    .map((match) => match?.[2] ?? '');
  const key = createPublicKey({
    key: Buffer.from(parts.join(''), 'base64'),
    format: 'der',
    type: 'spki',
  });
  const text = Buffer.from('domain=example.com');
  expect(verify('RSA-SHA256', text, key, sign('RSA-SHA256', text, privateKey))).toBe(true);
});

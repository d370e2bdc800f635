/**
 * The reasons of DKIM results (RFC 6376, 8301, 8616): one test for each row of the table in
 * docs/spam-and-authentication.md.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

import { createDns } from '../../../services/adapters/dns/resolver.ts';
import { createAuthenticate } from '../../../services/adapters/mailauth/authenticate.ts';
import { startTestDns } from '../../support/dns-server.ts';
import { plainMail, publishKey, signed, type Signer } from '../../support/signed-mail.ts';
import { useInFile } from '../../support/use-in-file.ts';

const PAGE = join(import.meta.dirname, '..', '..', '..', 'docs', 'spam-and-authentication.md');

const server = await useInFile(startTestDns());
const dns = await useInFile(
  createDns({ servers: [server.address], timeoutMs: 20_000, cacheTtlMs: 0 }),
);

let domains = 0;
const newDomain = () => `r${++domains}.test`;
const mailOf = (domain: string) => plainMail({ from: `ann@${domain}` });
const otherBody = (mail: string) => mail.replace('how are you', 'pay me');

async function verdictOf(mail: string, budgetMs = 60_000) {
  const authenticate = createAuthenticate(dns, {
    hostname: 'mx.in.example',
    budgetMs,
    trustedSealers: [],
  });
  const { dkim } = await authenticate(Buffer.from(mail), {
    mailFrom: 'ann@sender.test',
    heloDomain: 'mail.sender.test',
    remoteIp: '192.0.2.10',
  });
  const [only] = dkim;
  return only && `${only.result}: ${only.reason}`;
}

/** A signed email whose key record is changed afterwards. */
async function withRecord(change: (record: string) => string): Promise<string> {
  const domain = newDomain();
  const mail = await signed(mailOf(domain), publishKey(server, domain, 's'));
  const [record = []] = await dns.resolve(`s._domainkey.${domain}`, 'TXT');
  server.set(`s._domainkey.${domain}`, { TXT: [change(record.join(''))] });
  return mail;
}

async function withSigner(
  options: Partial<Parameters<typeof signed>[1]>,
  type: Parameters<typeof publishKey>[3] = 'rsa',
): Promise<string> {
  const domain = newDomain();
  const signer: Signer = publishKey(server, domain, 's', type);
  return signed(mailOf(domain), { ...signer, ...options });
}

const withTag = async (tag: RegExp, changed: string) =>
  (await withSigner({})).replace(tag, changed);

async function withZone(zone: 'SERVFAIL' | 'none'): Promise<string> {
  const domain = newDomain();
  const mail = await signed(mailOf(domain), publishKey(server, domain, 's'));
  if (zone === 'none') server.remove(`s._domainkey.${domain}`);
  else server.set(`s._domainkey.${domain}`, zone);
  return mail;
}

/** Faults of the signature or its key. They count also when the body differs. */
const KEY_FAULTS: [string, () => Promise<string>][] = [
  ['neutral: no key', () => withZone('none')],
  ['neutral: key revoked', () => withRecord((record) => record.replace(/p=.*/, 'p='))],
  ['neutral: invalid public key', () => withRecord((record) => record.replace('p=', 'p=!'))],
  ['neutral: unknown key type', () => withRecord((record) => record.replace('rsa', 'ed25519'))],
  ['neutral: unknown key version', () => withRecord((record) => record.replace('DKIM1', 'DKIM2'))],
  ['neutral: key not for email', () => withRecord((record) => `${record}; s=other`)],
  ['neutral: inappropriate hash algorithm', () => withRecord((record) => `${record}; h=sha1`)],
  ['temperror: DNS failure: ESERVFAIL', () => withZone('SERVFAIL')],
  ['permerror: d= is not a DNS name', () => withTag(/\bd=/, 'd=.')],
  ['permerror: s= is not a DNS name', () => withTag(/\bs=/, 's=.')],
  [
    'permerror: s= and d= together are too long for a DNS name',
    () => withTag(/\bs=/, `s=${'x.'.repeat(120)}`),
  ],
  [
    'permerror: i= is not an identity within the domain of d=',
    () => withTag(/\bs=/, 'i=@other.test; s='),
  ],
  ['permerror: a tag is repeated', () => withTag(/\bs=/, 's=s; s=')],
  ['permerror: the list of tags is malformed', () => withTag(/\bs=/, 's; s=')],
  [
    'permerror: programs read the headers differently',
    async () => (await withSigner({})).replace('\r\n\r\n', '\r\nno header\r\n\r\n'),
  ],
];

/** A body that differs is a failure all the same: nobody has signed it. */
const WEAK: [string, () => Promise<string>][] = [
  ['policy: key too short', () => withSigner({}, 'weak')],
  ['policy: weak algorithm', () => withSigner({ algorithm: 'rsa-sha1' })],
];

const OTHER_FAULTS: [string, () => Promise<string>][] = [
  ['fail: body hash did not verify', () => withSigner({}).then(otherBody)],
  [
    'fail: bad signature',
    async () => (await withSigner({})).replace('Subject: Hello', 'Subject: Pay me'),
  ],
  ['neutral: expired', () => withSigner({ expires: new Date('2020-02-01') })],
  [
    'neutral: From field not signed',
    async () => (await withSigner({})).replace(/(h=[^;]*)From/, '$1X'),
  ],
  [
    'pass: the last 13 bytes of the body are not signed',
    async () => `${await withSigner({ maxBodyLength: 22 })}And pay me.\r\n`,
  ],
];

describe('a signature that does not pass says why', () => {
  test.each([...KEY_FAULTS, ...WEAK, ...OTHER_FAULTS])('%s', async (verdict, mail) => {
    expect(await verdictOf(await mail())).toBe(verdict);
  });

  test.each(KEY_FAULTS)(
    'RFC 6376 §6.1.2: before a body that differs: %s',
    async (verdict, mail) => {
      expect(await verdictOf(otherBody(await mail()))).toBe(verdict);
    },
  );

  test.each(WEAK)('RFC 6376 §6.1.3: behind a body that differs: %s', async (_, mail) => {
    expect(await verdictOf(otherBody(await mail()))).toBe('fail: body hash did not verify');
  });

  test('temperror: the mail could not be hashed in time', async () => {
    const domain = newDomain();
    const mail = await signed(
      plainMail({ from: `ann@${domain}`, body: `${'x'.repeat(75)}\r\n`.repeat(250_000) }),
      publishKey(server, domain, 's'),
    );
    expect(await verdictOf(mail, 1)).toBe('temperror: the mail could not be hashed in time');
  });
});

test('RFC 8616: the key of a signer with a name in Unicode is looked up by its A-labels', async () => {
  const aLabels = `xn--bcher-kva.${newDomain()}`;
  const signer = publishKey(server, aLabels, 's');
  const mail = await signed(mailOf(aLabels), {
    ...signer,
    signingDomain: aLabels.replace('xn--bcher-kva', 'bücher'),
  });
  expect(await verdictOf(mail)).toBe('pass: null');
  server.remove(`s._domainkey.${aLabels}`);
  expect(await verdictOf(mail)).toBe('neutral: no key');
});

test('the page lists these reasons, and no others', async () => {
  const section = (await readFile(PAGE, 'utf8')).split('### Reasons of DKIM results')[1] ?? '';
  const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `(\w+)` \| `([^`]+)` \|/gm)];
  const tested = [...KEY_FAULTS, ...WEAK, ...OTHER_FAULTS]
    .map(([verdict]) => verdict.replace(/\d+/, 'N').replace('ESERVFAIL', '…'))
    .concat('temperror: the mail could not be hashed in time');
  expect(rows.map(([, result, reason]) => `${result}: ${reason}`).toSorted()).toEqual(
    tested.toSorted(),
  );
});

/** Authentication of signed emails against a real DNS server (checklist 29, 30). */
import { createHash, sign } from 'node:crypto';

import { describe, expect, test } from 'vitest';

import { createDns } from '../../../services/adapters/dns/resolver.ts';
import {
  createAuthenticate,
  type MailAuthOptions,
} from '../../../services/adapters/mailauth/authenticate.ts';
import { Authentication } from '../../../services/core/mail/authentication.ts';
import type { Envelope } from '../../../services/core/webhook/payload.ts';
import { startTestDns } from '../../support/dns-server.ts';
import { plainMail, publishKey, sealed, signed, type Signer } from '../../support/signed-mail.ts';
import { fc, runs } from '../../support/random.ts';
import { atMost } from '../../support/slowdown.ts';
import { useInFile } from '../../support/use-in-file.ts';

/** A signature of an email without Content-Type. */
const WHOLE = {
  signed_headers: expect.arrayContaining(['from', 'subject']) as string[],
  unsigned_body_bytes: 0,
  warnings: ['content_type_not_signed'],
};

/** No test waits for it. */
const AMPLE_MS = 120_000;
const server = await useInFile(startTestDns());
const dns = await useInFile(
  createDns({ servers: [server.address], timeoutMs: AMPLE_MS, cacheTtlMs: 0 }),
);

const SENDER_IP = '192.0.2.10';
let domains = 0;
/** A domain that no other test uses. */
const newDomain = () => `d${++domains}.test`;

function authenticate(
  mail: string | Buffer,
  envelope: Partial<Envelope> = {},
  options: Partial<MailAuthOptions> = {},
) {
  const run = createAuthenticate(dns, {
    hostname: 'mx.in.example',
    budgetMs: AMPLE_MS,
    trustedSealers: [],
    ...options,
  });
  return run(Buffer.from(mail), {
    mailFrom: 'ann@sender.test',
    heloDomain: 'mail.sender.test',
    remoteIp: SENDER_IP,
    ...envelope,
  });
}

describe('SPF (checklist 29)', () => {
  /** Zones are made of a record, with what it refers to. */
  test.each<[string, string, (domain: string) => void, string]>([
    ['the address is listed', 'v=spf1 ip4:192.0.2.0/24 -all', () => undefined, 'pass'],
    ['another address is listed', 'v=spf1 ip4:198.51.100.1 -all', () => undefined, 'fail'],
    ['the domain publishes ~all', 'v=spf1 ip4:198.51.100.1 ~all', () => undefined, 'softfail'],
    ['the domain publishes ?all', 'v=spf1 ?all', () => undefined, 'neutral'],
    [
      'there are two records',
      'v=spf1 ip4:192.0.2.10 -all',
      (domain) => server.set(domain, { TXT: ['v=spf1 ip4:192.0.2.10 -all', 'v=spf1 -all'] }),
      'permerror',
    ],
    [
      'a record is too long',
      `v=spf1 ip4:192.0.2.10 -all redirect=${'a'.repeat(5_000)}`,
      () => undefined,
      'none',
    ],
    ['the record is invalid', 'v=spf1 ip4:nonsense -all', () => undefined, 'permerror'],
    [
      'an included domain lists the address',
      'v=spf1 include:_spf.%s -all',
      (domain) =>
        server.set(`_spf.${domain}`, { TXT: [`v=spf1 a:out.${domain} ip4:192.0.2.10 -all`] }),
      'pass',
    ],
    [
      'ten lookups are within the limit',
      `v=spf1 ${includes(10)} ip4:192.0.2.10 -all`,
      (domain) => publishIncludes(domain, 10),
      'pass',
    ],
    [
      'eleven lookups are too many',
      `v=spf1 ${includes(11)} ip4:192.0.2.10 -all`,
      (domain) => publishIncludes(domain, 11),
      'permerror',
    ],
    [
      'two void lookups are within the limit',
      'v=spf1 a:x1.%s a:x2.%s ip4:192.0.2.10 -all',
      () => undefined,
      'pass',
    ],
    [
      'three void lookups are too many',
      'v=spf1 a:x1.%s a:x2.%s a:x3.%s ip4:192.0.2.10 -all',
      () => undefined,
      'permerror',
    ],
    [
      'an included domain cannot be looked up',
      'v=spf1 include:_spf.%s -all',
      (domain) => server.set(`_spf.${domain}`, 'SERVFAIL'),
      'temperror',
    ],
    [
      'the lookup of an included domain times out',
      'v=spf1 include:_spf.%s -all',
      (domain) => server.set(`_spf.${domain}`, 'silent'),
      'temperror',
    ],
  ])('%s', async (_, record, publish, result) => {
    const domain = newDomain();
    server.set(domain, { TXT: [record.replaceAll('%s', domain)] });
    publish(domain);
    const { spf } = await authenticate(plainMail(), { mailFrom: `ann@${domain}` });
    expect(spf).toMatchObject({ result, domain });
  });

  test('a macro that makes a text that is no name is a permanent error, with its cause (D110)', async () => {
    const domain = newDomain();
    server.set(domain, { TXT: [`v=spf1 exists:%{l}.%{i}.ok.${domain} -all`] });
    server.set(`bounce-x_y.192.0.2.10.ok.${domain}`, { A: ['127.0.0.2'] });
    const spfOf = async (localPart: string) =>
      (await authenticate(plainMail(), { mailFrom: `${localPart}@${domain}` })).spf;
    expect(await spfOf('bounce-x_y')).toMatchObject({ result: 'pass' });
    for (const localPart of ['bounce+x=y', '"a b"', 'a\\', 'a*'])
      expect(await spfOf(localPart)).toMatchObject({
        result: 'permerror',
        reason: expect.stringContaining('Invalid domain') as string,
      });
    expect(server.requested.some((question) => /bounce\+|a b/.test(question))).toBe(false);
  });

  test('a syntax error after the match is a permanent error (RFC 7208 §4.6)', async () => {
    const domain = newDomain();
    server.set(domain, { TXT: ['v=spf1 ip4:192.0.2.10 nonsense:x -all'] });
    const { spf } = await authenticate(plainMail(), { mailFrom: `ann@${domain}` });
    expect(spf.result).toBe('permerror');
  });

  test('without a record it is none, also for private addresses that the domain does not list', async () => {
    expect((await authenticate(plainMail(), { mailFrom: `ann@${newDomain()}` })).spf.result).toBe(
      'none',
    );
    const domain = newDomain();
    server.set(domain, { TXT: ['v=spf1 ip4:192.0.2.10 -all'] });
    expect(
      (await authenticate(plainMail(), { mailFrom: `ann@${domain}`, remoteIp: '127.0.0.1' })).spf
        .result,
    ).toBe('fail');
  });

  test('the null sender is checked by its HELO name; an IPv4-mapped address counts as IPv4', async () => {
    const domain = newDomain();
    server.set(`helo.${domain}`, { TXT: ['v=spf1 ip4:192.0.2.10 -all'] });
    const { spf } = await authenticate(plainMail(), {
      mailFrom: '',
      heloDomain: `helo.${domain}`,
      remoteIp: '::ffff:192.0.2.10',
    });
    expect(spf).toMatchObject({ result: 'pass', domain: `helo.${domain}` });
  });
});

describe('DKIM (checklist 29)', () => {
  test.each(['rsa', 'ed25519'] as const)(
    'a signature by %s passes and is aligned',
    async (type) => {
      const domain = newDomain();
      const mail = await signed(
        plainMail({ from: `ann@${domain}` }),
        publishKey(server, domain, 's1', type),
      );
      expect((await authenticate(mail)).dkim).toEqual([
        { result: 'pass', domain, selector: 's1', aligned: true, reason: null, ...WHOLE },
      ]);
    },
  );

  test('a signature covers the body, however the name of its header is written', async () => {
    const domain = newDomain();
    const mail = (
      await signed(
        plainMail({ from: `ann@${domain}`, body: 'the body\r\n' }),
        publishKey(server, domain, 's1'),
      )
    ).replace('DKIM-Signature:', 'dkim-signaTURE :');
    expect((await authenticate(mail)).dkim[0]?.result).toBe('pass');
    expect((await authenticate(mail.replace('the body', 'another'))).dkim[0]?.result).toBe('fail');
  });

  test('bare line feeds and a long body verify', async () => {
    const domain = newDomain();
    const mail = await signed(
      plainMail({ from: `ann@${domain}`, body: 'some text \t of a line\r\n\r\n'.repeat(120_000) }),
      publishKey(server, domain, 's1'),
    );
    expect((await authenticate(mail)).dkim[0]?.result).toBe('pass');
    expect((await authenticate(mail.replaceAll('\r\n', '\n'))).dkim[0]?.result).toBe('pass');
  });

  test('a changed body and a changed header fail', async () => {
    const domain = newDomain();
    const mail = await signed(
      plainMail({ from: `ann@${domain}` }),
      publishKey(server, domain, 's1'),
    );
    expect((await authenticate(mail.replace('how are you', 'pay me'))).dkim).toMatchObject([
      { result: 'fail', reason: 'body hash did not verify' },
    ]);
    expect(
      (await authenticate(mail.replace('Subject: Hello', 'Subject: Pay me'))).dkim,
    ).toMatchObject([{ result: 'fail', reason: 'bad signature' }]);
  });

  test('a missing key verifies nothing; a key whose lookup fails is a temporary error', async () => {
    const domain = newDomain();
    const mail = await signed(
      plainMail({ from: `ann@${domain}` }),
      publishKey(server, domain, 's1'),
    );
    server.remove(`s1._domainkey.${domain}`);
    expect((await authenticate(mail)).dkim).toMatchObject([
      { result: 'neutral', reason: 'no key' },
    ]);
    for (const fault of ['SERVFAIL', 'silent'] as const) {
      server.set(`s1._domainkey.${domain}`, fault);
      expect((await authenticate(mail)).dkim).toMatchObject([{ result: 'temperror' }]);
    }
  });

  test.each(['x'.repeat(64), 'a\\', 'a b', 'a..b'])(
    'a selector that is not a name verifies nothing: %j',
    async (selector) => {
      const domain = newDomain();
      server.set(`_dmarc.${domain}`, { TXT: ['v=DMARC1; p=reject'] });
      const mail = await signed(
        plainMail({ from: `ann@${domain}` }),
        publishKey(server, domain, 'name'),
      );
      expect(await authenticate(mail.replace('s=name;', `s=${selector};`))).toMatchObject({
        dkim: [{ result: 'permerror', reason: 's= is not a DNS name', aligned: false }],
        dmarc: { result: 'fail', policy: 'reject' },
      });
    },
  );

  test('a weak key, SHA-1, an expired signature or one without From verifies nothing', async () => {
    const domain = newDomain();
    const signer = publishKey(server, domain, 's1');
    const plain = plainMail({ from: `ann@${domain}` });
    expect(
      await signaturesOf(await signed(plain, publishKey(server, domain, 'weak', 'weak'))),
    ).toEqual([['policy', 'key too short']]);
    expect(await signaturesOf(await signed(plain, { ...signer, algorithm: 'rsa-sha1' }))).toEqual([
      ['policy', 'weak algorithm'],
    ]);
    expect(
      await signaturesOf(await signed(plain, { ...signer, expires: new Date('2020-02-01') })),
    ).toEqual([['neutral', 'expired']]);
    expect(
      await signaturesOf((await signed(plain, signer)).replace(/(h=[^;]*)From/, '$1X')),
    ).toEqual([['neutral', 'From field not signed']]);
  });

  test('every signature is listed, from the top; only the one of the From domain is aligned', async () => {
    const [domain, other] = [newDomain(), newDomain()];
    const broken = publishKey(server, domain, 'old');
    const mail = await signed(
      plainMail({ from: `ann@${domain}` }),
      broken,
      publishKey(server, domain, 'new', 'ed25519'),
      publishKey(server, other, 'esp'),
    );
    publishKey(server, domain, 'old');
    const { dkim } = await authenticate(mail);
    expect(
      dkim.map(({ result, domain: signer, selector, aligned }) => [
        result,
        signer,
        selector,
        aligned,
      ]),
    ).toEqual([
      ['fail', domain, 'old', true],
      ['pass', domain, 'new', true],
      ['pass', other, 'esp', false],
    ]);
  });

  test('the body bytes that a signature leaves out are reported', async () => {
    const domain = newDomain();
    const mail = await signed(plainMail({ from: `ann@${domain}` }), {
      ...publishKey(server, domain, 's1'),
      maxBodyLength: 8,
    });
    expect((await authenticate(`${mail}And pay me.\r\n`)).dkim).toMatchObject([
      {
        result: 'pass',
        reason: expect.stringMatching(/^the last \d+ bytes of the body are not signed$/) as string,
      },
    ]);
  });

  test('at most ten signatures are verified', async () => {
    const domain = newDomain();
    const signer = publishKey(server, domain, 's1');
    const mail = await signed(
      plainMail({ from: `ann@${domain}` }),
      ...Array.from({ length: 30 }, () => signer),
    );
    expect((await authenticate(mail)).dkim).toHaveLength(10);
    expect(
      (await authenticate(mail.replaceAll('DKIM-Signature:', 'DKIM-Signature\r\n :'))).dkim,
    ).toHaveLength(10);
  });
});

describe('DMARC (checklist 29)', () => {
  test.each<
    [
      string,
      {
        record: string;
        from: string;
        signer?: string;
        sender?: string;
        zones?: [string, string][];
      },
      object,
    ]
  >([
    [
      'an aligned signature is enough',
      { record: 'p=reject', from: '%s', signer: '%s' },
      { result: 'pass', policy: 'reject', alignment: { spf: false, dkim: true } },
    ],
    [
      'so is an aligned envelope sender',
      { record: 'p=reject', from: '%s', sender: '%s' },
      { result: 'pass', alignment: { spf: true, dkim: false } },
    ],
    [
      'without alignment it is a failure',
      { record: 'p=quarantine', from: '%s' },
      { result: 'fail', policy: 'quarantine', alignment: { spf: false, dkim: false } },
    ],
    [
      'another domain’s signature is not aligned',
      { record: 'p=reject', from: '%s', signer: 'other.%s.example' },
      { result: 'fail' },
    ],
    [
      'relaxed: a subdomain signs for its organisation',
      { record: 'p=reject', from: '%s', signer: 'mail.%s' },
      { result: 'pass' },
    ],
    [
      'relaxed: the organisation sends for a subdomain',
      { record: 'p=reject; sp=quarantine', from: 'news.%s', sender: '%s' },
      { result: 'pass', domain: 'news.%s' },
    ],
    [
      'strict: a subdomain does not sign for its organisation',
      { record: 'p=reject; adkim=s', from: '%s', signer: 'mail.%s' },
      { result: 'fail' },
    ],
    [
      'strict: a subdomain does not send for its organisation',
      { record: 'p=reject; aspf=s', from: '%s', sender: 'mail.%s' },
      { result: 'fail' },
    ],
    [
      'a subdomain without a record has the organisation’s policy for subdomains',
      { record: 'p=reject; sp=none', from: 'news.%s', zones: [['news.%s', 'x']] },
      { result: 'fail', policy: 'none', domain: 'news.%s' },
    ],
    [
      'np is for subdomains that do not exist',
      { record: 'p=none; sp=none; np=reject', from: 'nowhere.%s' },
      { result: 'fail', policy: 'reject' },
    ],
    [
      'and not for those that exist',
      { record: 'p=none; sp=none; np=reject', from: 'there.%s', zones: [['there.%s', 'x']] },
      { result: 'fail', policy: 'none' },
    ],
    [
      't=y lowers the policy by one step',
      { record: 'p=reject; t=y', from: '%s' },
      { result: 'fail', policy: 'quarantine' },
    ],
    [
      'psd=n in a subdomain makes it an organisation of its own',
      {
        record: 'p=reject',
        from: 'a.sub.%s',
        sender: '%s',
        zones: [['_dmarc.sub.%s', 'v=DMARC1; p=reject; psd=n']],
      },
      { result: 'fail' },
    ],
  ])('%s', async (_, { record, from, signer, sender, zones = [] }, expected) => {
    const domain = newDomain();
    const fill = (text: string) => text.replaceAll('%s', domain);
    server.set(`_dmarc.${domain}`, { TXT: [`v=DMARC1; ${record}`] });
    for (const [name, text] of zones) server.set(fill(name), { TXT: [text] });
    if (sender) server.set(fill(sender), { TXT: [`v=spf1 ip4:${SENDER_IP} -all`] });
    const plain = plainMail({ from: `ann@${fill(from)}` });
    const mail = signer ? await signed(plain, publishKey(server, fill(signer), 's')) : plain;
    const { dmarc } = await authenticate(mail, {
      mailFrom: sender ? `ann@${fill(sender)}` : 'bounces@elsewhere.test',
    });
    expect(dmarc).toMatchObject(JSON.parse(fill(JSON.stringify(expected))) as object);
  });

  test('without a record it is none', async () => {
    const domain = newDomain();
    expect((await authenticate(plainMail({ from: `ann@${domain}` }))).dmarc).toEqual({
      result: 'none',
      domain,
      policy: null,
      alignment: { spf: false, dkim: false },
      override: null,
      reason: null,
    });
  });

  test('without From it is none, with several authors permerror', async () => {
    expect((await authenticate('Subject: x\r\n\r\nx')).dmarc.result).toBe('none');
    expect((await authenticate('')).dmarc.result).toBe('none');
    expect(
      (await authenticate(plainMail({ extra: 'From: eve@evil.test\r\n' }))).dmarc,
    ).toMatchObject({ result: 'permerror', reason: 'multiple from fields' });
    expect((await authenticate(plainMail({ from: 'ann@a.test, eve@b.test' }))).dmarc).toMatchObject(
      { result: 'permerror', domain: null },
    );
    const domain = newDomain();
    const twice = await signed(
      plainMail({ from: `eve@${domain}`, extra: 'From: ann@a.test\r\n' }),
      publishKey(server, domain, 's'),
    );
    expect(await authenticate(twice)).toMatchObject({
      dkim: [{ aligned: false }],
      dmarc: { result: 'permerror' },
    });
  });

  test('temperror of the record or of an aligned result is temperror, of an unaligned one is fail', async () => {
    const domain = newDomain();
    const mail = await signed(
      plainMail({ from: `ann@${domain}` }),
      publishKey(server, domain, 's'),
    );
    server.set(`_dmarc.${domain}`, 'SERVFAIL');
    expect((await authenticate(mail)).dmarc.result).toBe('temperror');
    server.set(`_dmarc.${domain}`, { TXT: ['v=DMARC1; p=reject'] });
    server.set(`s._domainkey.${domain}`, 'SERVFAIL');
    expect((await authenticate(mail)).dmarc.result).toBe('temperror');
    server.set(`bounces.${domain}`, 'SERVFAIL');
    expect(
      (
        await authenticate(plainMail({ from: `ann@${domain}` }), {
          mailFrom: `a@bounces.${domain}`,
        })
      ).dmarc.result,
    ).toBe('temperror');
    server.set('slow.evil.test', 'SERVFAIL');
    expect(
      (await authenticate(plainMail({ from: `ann@${domain}` }), { mailFrom: 'a@slow.evil.test' }))
        .dmarc.result,
    ).toBe('fail');
  });

  /** The SPF and DKIM of a sender that wants to be asked for a long time. */
  describe('slow names that a sender chose do not hide the policy of the From domain', () => {
    const BUDGET = { budgetMs: 2_500 };
    const failure = { result: 'fail', policy: 'reject' };

    test.each(['i', '_dmarc.'])('many SPF includes: %s', async (prefix) => {
      const [domain, evil] = [rejecting(), newDomain()];
      server.set(evil, {
        TXT: [
          `v=spf1 ${Array.from({ length: 10 }, (_, i) => `include:${prefix}${i}.${evil}`).join(' ')}`,
        ],
      });
      for (let i = 0; i < 10; i++) slow(`${prefix}${i}.${evil}`);
      expect(
        await authenticate(plainMail({ from: `ann@${domain}` }), { mailFrom: `a@${evil}` }, BUDGET),
      ).toMatchObject({ spf: { result: 'temperror' }, dmarc: failure });
    });

    test('keys, one of them under the From domain', async () => {
      const [domain, evil] = [rejecting(), newDomain()];
      const signer = publishKey(server, evil, 's');
      const own = publishKey(server, domain, 's');
      publishKey(server, domain, 's'); // the other has the name of the key, not the key
      const slowOnes = Array.from({ length: 9 }, (_, i) => ({ ...signer, selector: `s${i}` }));
      for (const { selector } of slowOnes) slow(`${selector}._domainkey.${evil}`);
      const mail = await signed(plainMail({ from: `ann@${domain}` }), ...slowOnes, own);
      const { spf, dkim, dmarc } = await authenticate(mail, { mailFrom: `a@${domain}` }, BUDGET);
      expect([spf.result, dkim.at(-1)?.result]).toEqual(['fail', 'fail']);
      expect(dmarc).toMatchObject(failure);
    });
  });
});

describe('ARC', () => {
  test.each([
    ['a repeated tag', (seal: string) => seal.replace(/cv=none;/, 'cv=none; cv=none;')],
    ['an empty tag', (seal: string) => seal.replace(/cv=none;/, 'cv=none;;')],
    ['a tag in upper case', (seal: string) => seal.replace(/cv=none;/, 'CV=none;')],
    ['an instance that is no number', (seal: string) => seal.replace(/i=1;/, 'i=1.0;')],
  ])('RFC 8617 §4.1: a seal with %s fails', async (_, damage) => {
    const { list, mail, sealer } = await forwarded();
    const resealed = (change: (seal: string) => string) => resealedBy(sealer, mail, change);
    const options = { trustedSealers: [list] };
    expect((await authenticate(resealed(String), {}, options)).arc.result).toBe('pass');
    const damaged = resealed(damage);
    const { arc, dmarc } = await authenticate(damaged, {}, options);
    expect([arc.result, dmarc.override]).toEqual(['fail', null]);
  });

  test('RFC 6376 §3.5: a message signature without c= is not read as relaxed', async () => {
    const list = newDomain();
    const withTag = sealedBy(publishKey(server, list, 'arc'), plainMail());
    expect((await authenticate(withTag('c=relaxed/relaxed; '))).arc.result).toBe('pass');
    expect((await authenticate(withTag(''))).arc).toMatchObject({
      result: 'fail',
      reason: 'malformed tags',
    });
  });

  test('a trusted sealer that saw a pass overrides the failure, which stays visible', async () => {
    const { list, domain, mail } = await forwarded();
    const { dmarc, arc, dkim } = await authenticate(mail, {}, { trustedSealers: [list] });
    expect(dkim[0]?.result).toBe('fail');
    expect(arc).toMatchObject({
      result: 'pass',
      chain: [{ instance: 1, sealer: list, dmarc: 'pass', header_from: domain }],
    });
    expect(dmarc).toMatchObject({
      result: 'fail',
      policy: 'reject',
      override: { reason: 'trusted_arc', sealer: list },
    });
  });

  test('an untrusted seal does not count, nor does one that saw a failure', async () => {
    const { mail } = await forwarded();
    expect(await authenticate(mail, {}, { trustedSealers: ['another.test'] })).toMatchObject({
      arc: { result: 'pass' },
      dmarc: { result: 'fail', override: null },
    });
    const failing = await forwarded('dmarc=fail header.from=%s');
    expect(
      (await authenticate(failing.mail, {}, { trustedSealers: [failing.list] })).dmarc,
    ).toMatchObject({ result: 'fail', override: null });
  });

  /** The second as an old reader sees nested comments in From (CVE-2026-121424), D268. */
  test.each([
    ['for nobody', 'dmarc=pass', null],
    ['for another author', 'dmarc=pass header.from=evil.test', 'evil.test'],
    [
      'for another author last',
      'dmarc=fail header.from=%s; dmarc=pass header.from=evil.test',
      'evil.test',
    ],
    ['for a text', 'dmarc=pass header.from="%s "', null],
    ['for a longer name', 'dmarc=pass header.from=x.%s', expect.stringMatching(/^x\./)],
  ])('a pass that a trusted sealer saw %s does not count', async (_, seen, header_from) => {
    const { list, mail } = await forwarded(seen);
    const { arc, dmarc } = await authenticate(mail, {}, { trustedSealers: [list] });
    expect(arc).toMatchObject({ result: 'pass', chain: [{ dmarc: 'pass', header_from }] });
    expect(dmarc).toMatchObject({ result: 'fail', override: null });
  });

  test.each(['%s', 'ann@%s'])('header.from=%s names the author', async (form) => {
    const { list, domain, mail } = await forwarded(`dmarc=pass header.from=${form}`);
    const { arc, dmarc } = await authenticate(mail, {}, { trustedSealers: [list] });
    expect([arc.chain[0]?.header_from, dmarc.override?.sealer]).toEqual([domain, list]);
  });

  test('a chain of two counts as far as its sealers are trusted', async () => {
    const { list, mail } = await forwarded();
    const second = newDomain();
    const chain = await sealed(
      mail,
      publishKey(server, second, 'arc'),
      'dmarc=fail; arc=pass',
      'pass',
    );
    const authenticated = await authenticate(chain, {}, { trustedSealers: [list, second] });
    expect(authenticated.arc).toMatchObject({
      result: 'pass',
      chain: [
        { instance: 1, sealer: list, dmarc: 'pass' },
        { instance: 2, sealer: second, dmarc: 'fail' },
      ],
    });
    expect(authenticated.dmarc.override).toEqual({ reason: 'trusted_arc', sealer: list });
    expect((await authenticate(chain, {}, { trustedSealers: [list] })).dmarc.override).toBeNull();
    expect((await authenticate(chain, {}, { trustedSealers: [second] })).dmarc.override).toBeNull();
  });

  test('a broken chain fails; one whose key lookup fails is temperror', async () => {
    const { list, mail } = await forwarded();
    const options = { trustedSealers: [list] };
    expect(await authenticate(mail.replace('The list', 'Pay me'), {}, options)).toMatchObject({
      arc: { result: 'fail' },
      dmarc: { override: null },
    });
    server.set(`arc._domainkey.${list}`, 'SERVFAIL');
    expect(await authenticate(mail, {}, options)).toMatchObject({
      arc: { result: 'temperror' },
      dmarc: { result: 'fail', override: null },
    });
  });
});

describe('reverse DNS', () => {
  test('a name that resolves back to the address passes, in both families', async () => {
    server.set('20.2.0.192.in-addr.arpa', { PTR: ['wrong.host.test', 'right.host.test'] });
    server.set('right.host.test', { A: ['192.0.2.20'] });
    expect(await reverse('192.0.2.20')).toEqual({ result: 'pass', name: 'right.host.test' });
    expect(await reverse('192.0.2.20', '::ffff:192.0.2.20')).toEqual({
      result: 'pass',
      name: 'right.host.test',
    });
    server.set('1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa', {
      PTR: ['six.host.test'],
    });
    server.set('six.host.test', { AAAA: ['2001:db8:0::1'] });
    expect(await reverse('2001:db8::1')).toEqual({ result: 'pass', name: 'six.host.test' });
  });

  test('no name, a name with another address, and failures have different results', async () => {
    expect(await reverse('192.0.2.21')).toEqual({ result: 'permerror', name: null });
    server.set('22.2.0.192.in-addr.arpa', { PTR: ['liar.host.test'] });
    server.set('liar.host.test', { A: ['198.51.100.1'] });
    expect(await reverse('192.0.2.22')).toEqual({ result: 'fail', name: null });
    server.set('23.2.0.192.in-addr.arpa', 'SERVFAIL');
    expect(await reverse('192.0.2.23')).toEqual({ result: 'temperror', name: null });
  });
});

describe('bounds', () => {
  test('checklist 30: Authentication-Results in the email, even with our own name, change nothing', async () => {
    const domain = newDomain();
    server.set(`_dmarc.${domain}`, { TXT: ['v=DMARC1; p=reject'] });
    const forged =
      `Authentication-Results: mx.in.example; spf=pass smtp.mailfrom=${domain}; ` +
      `dkim=pass header.d=${domain}; dmarc=pass header.from=${domain}\r\nReceived-SPF: pass\r\n`;
    const bare = plainMail({ from: `ann@${domain}` });
    expect(await authenticate(`${forged}${bare}`)).toEqual(await authenticate(bare));
    expect((await authenticate(`${forged}${bare}`)).dmarc.result).toBe('fail');
  });

  test('while DNS is silent, an email waits no longer than its budget; unknown results are temperror', async () => {
    await using silent = await startTestDns();
    silent.setSilent(true);
    const domain = newDomain();
    const mail = await sealed(
      await signed(plainMail({ from: `ann@${domain}` }), publishKey(server, domain, 's')),
      publishKey(server, domain, 'arc'),
      'dmarc=pass',
    );
    using silentDns = createDns({ servers: [silent.address], timeoutMs: 30_000, cacheTtlMs: 0 });
    const run = createAuthenticate(silentDns, {
      hostname: undefined,
      budgetMs: 400,
      trustedSealers: [],
    });
    const startedAt = performance.now();
    const { spf, dkim, dmarc, arc, iprev } = await run(Buffer.from(mail), {
      mailFrom: `ann@${domain}`,
      heloDomain: 'x',
      remoteIp: SENDER_IP,
    });
    expect(performance.now() - startedAt).toBeLessThan(atMost(3_000));
    expect([spf.result, dkim[0]?.result, dmarc.result, arc.result, iprev.result]).toEqual(
      Array.from({ length: 5 }, () => 'temperror'),
    );
  });

  test('other work continues while a large email is hashed, and hashing ends at the deadline', async () => {
    const domain = newDomain();
    const mail = Buffer.from(
      await signed(
        plainMail({ from: `ann@${domain}`, body: 'x'.repeat(75).concat('\r\n').repeat(250_000) }),
        publishKey(server, domain, 's'),
      ),
    );
    let turns = 0;
    const counter = setInterval(() => turns++, 1);
    expect((await authenticate(mail, {}, { budgetMs: 60_000 })).dkim[0]?.result).toBe('pass');
    clearInterval(counter);
    expect(turns).toBeGreaterThan(10);
    expect((await authenticate(mail, {}, { budgetMs: 1 })).dkim[0]?.result ?? 'unread').not.toBe(
      'fail',
    );
  });

  test('any bytes of an email and its envelope have a result that fits the payload', async () => {
    const words = [
      'From: ',
      'DKIM-Signature: v=1; a=rsa-sha256; ',
      'd=a.test; s=s; ',
      'bh=; b=; h=from',
      'ARC-Seal: i=1; cv=none; ',
      'ARC-Message-Signature: i=1; ',
      'ARC-Authentication-Results: i=1; ',
      '; ',
      '\r\n',
      '\n',
      '@',
      '<>',
      '"',
      '(',
      'a@a.test',
      '=?utf-8?',
      '%{',
      '\u0000',
      'é',
    ];
    const text = fc
      .array(fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 6 })), { maxLength: 30 })
      .map((pieces) => pieces.join(''));
    await fc.assert(
      fc.asyncProperty(
        text,
        text,
        text,
        fc.constantFrom(SENDER_IP, '::1', '', 'nonsense'),
        async (mail, mailFrom, heloDomain, remoteIp) => {
          const answer = await authenticate(mail, { mailFrom, heloDomain, remoteIp });
          expect(Authentication.parse(answer)).toEqual(answer);
        },
      ),
      runs(150),
    );
  });

  test('excessively long headers are not parsed', async () => {
    const { dkim, dmarc } = await authenticate(
      plainMail({ extra: `X-Long: ${'x'.repeat(300_000)}\r\n` }),
    );
    expect(dkim).toEqual([]);
    expect(dmarc).toMatchObject({ result: 'permerror', reason: 'the headers are too long' });
  });

  const letters = Array.from({ length: 70_000 }, (_, i) =>
    String.fromCodePoint(0x4e00 + (i % 20_000)),
  ).join('');
  test.each([
    ['folded lines', `X-Folded: x\r\n${' \r\n'.repeat(80_000)}`],
    ['a gap in a signature', signature(`d=a.test; q${' '.repeat(240_000)}q=x`)],
    ['the letters of a signer', signature(`d=${letters}`)],
    ['the letters of an author', `From: a@${letters}\r\n`],
    ['the comments of a trace', `Received: from x ${'(a)'.repeat(80_000)}\r\n`],
    ['the words of a trace', `Received: ${'a '.repeat(120_000)}\r\n`],
    [
      'the fields that a signature names',
      signature(`d=a.test; h=from:${'b:'.repeat(110_000)}`) + 'a:\r\n'.repeat(4_900),
    ],
  ])('does not block the event loop: %s', async (_, extra) => {
    const startedAt = performance.now();
    await authenticate(plainMail({ extra }));
    expect(performance.now() - startedAt).toBeLessThan(atMost(2_000));
  });
});

const signature = (tags: string) =>
  `DKIM-Signature: v=1; a=rsa-sha256; s=s; h=from; bh=x; b=x; ${tags}\r\n`;

async function signaturesOf(mail: string) {
  return (await authenticate(mail)).dkim.map(({ result, reason }) => [result, reason]);
}

/** A domain that sends no mail and asks to reject all mail in its name. */
function rejecting(): string {
  const domain = newDomain();
  server.set(`_dmarc.${domain}`, { TXT: ['v=DMARC1; p=reject'] });
  server.set(domain, { TXT: ['v=spf1 -all'] });
  return domain;
}

function slow(name: string): void {
  server.set(name, { TXT: ['v=spf1 ?all'] }, { delayMs: 600 });
}

function includes(count: number): string {
  return Array.from({ length: count }, (_, i) => `include:i${i}.%s`).join(' ');
}

function publishIncludes(domain: string, count: number): void {
  for (let i = 0; i < count; i++)
    server.set(`i${i}.${domain}`, { TXT: ['v=spf1 ip4:198.51.100.1 ?all'] });
}

/** An email that a mailing list changed, so that only the list's seal shows its former result. */
async function forwarded(seen = 'dmarc=pass header.from=%s') {
  const [domain, list] = [newDomain(), newDomain()];
  server.set(`_dmarc.${domain}`, { TXT: ['v=DMARC1; p=reject'] });
  const original = await signed(
    plainMail({ from: `ann@${domain}` }),
    publishKey(server, domain, 's'),
  );
  const changed = original.replace('how are you?', 'how are you?\r\n-- \r\nThe list');
  const sealer = publishKey(server, list, 'arc');
  const mail = await sealed(changed, sealer, seen.replaceAll('%s', domain));
  return { domain, list, sealer, mail };
}

/** RFC 6376 §3.4.2, without the line end. */
const relaxed = (field: string) =>
  field
    .replace(/\s+/g, ' ')
    .replace(/^([^:]*) ?: ?/, (_, name: string) => `${name.toLowerCase()}:`)
    .trim();

const signatureOf = (privateKey: string, fields: readonly string[]): string =>
  sign('sha256', Buffer.from(fields.map(relaxed).join('\r\n')), privateKey).toString('base64');

/** The email with another ARC-Seal, signed again (RFC 8617 §4.1.3, §5.1.1). */
function resealedBy(
  { privateKey }: Signer,
  mail: string,
  change: (seal: string) => string,
): string {
  const fieldOf = (name: string) =>
    new RegExp(`^${name}:.*\\r\\n(?:[ \\t].*\\r\\n)*`, 'm').exec(mail)?.[0] ?? '';
  const seal = fieldOf('ARC-Seal');
  const unsigned = change(seal)
    .replace(/\bb=[^;]*/, 'b=')
    .trimEnd();
  const fields = [
    fieldOf('ARC-Authentication-Results'),
    fieldOf('ARC-Message-Signature'),
    unsigned,
  ];
  const resealed = unsigned.replace(/\bb=/, `b=${signatureOf(privateKey, fields)}`);
  return mail.replace(seal, () => `${resealed}\r\n`);
}

/** The email with an ARC set whose message signature is relaxed, with this `c` tag. */
const sealedBy =
  ({ privateKey, signingDomain: domain }: Signer, mail: string) =>
  (c: string): string => {
    const body = mail.slice(mail.indexOf('\r\n\r\n') + 4);
    const bodyHash = createHash('sha256').update(body).digest('base64');
    const from = /^From:.*$/m.exec(mail)?.[0] ?? '';
    const results = `ARC-Authentication-Results: i=1; ${domain}; dmarc=pass`;
    const unsigned = `ARC-Message-Signature: i=1; a=rsa-sha256; ${c}d=${domain}; s=arc; h=From; bh=${bodyHash}; b=`;
    const message = unsigned + signatureOf(privateKey, [from, unsigned]);
    const seal = `ARC-Seal: i=1; a=rsa-sha256; cv=none; d=${domain}; s=arc; b=`;
    const signedSeal = seal + signatureOf(privateKey, [results, message, seal]);
    return `${signedSeal}\r\n${message}\r\n${results}\r\n${mail}`;
  };

function reverse(ip: string, remoteIp = ip) {
  return authenticate(plainMail(), { remoteIp }).then(({ iprev }) => iprev);
}

test('a cached result is that of the same author, envelope sender and client only', async () => {
  const [strict, open] = [newDomain(), newDomain()];
  server.set(`_dmarc.${strict}`, { TXT: ['v=DMARC1; p=reject'] });
  server.set(strict, { TXT: [`v=spf1 ip4:${SENDER_IP} -all`] });
  const cached = createAuthenticate(dns, {
    hostname: 'mx.in.example',
    budgetMs: AMPLE_MS,
    trustedSealers: [],
    resultCacheMs: 60_000,
  });
  const verdict = async (from: string, mailFrom: string, remoteIp = SENDER_IP) => {
    const envelope = { mailFrom, heloDomain: 'mail.sender.test', remoteIp };
    const { spf, dmarc } = await cached(Buffer.from(plainMail({ from: `ann@${from}` })), envelope);
    return [spf.result, dmarc.result, dmarc.domain];
  };
  for (let round = 0; round < 2; round++) {
    expect(await verdict(strict, 'bounce@other.test')).toEqual(['none', 'fail', strict]);
    expect(await verdict(strict, `bounce@${strict}`)).toEqual(['pass', 'pass', strict]);
    expect(await verdict(strict, `bounce@${strict}`, '192.0.2.99')).toEqual([
      'fail',
      'fail',
      strict,
    ]);
    expect(await verdict(open, `bounce@${strict}`)).toEqual(['pass', 'none', open]);
    server.set(`_dmarc.${strict}`, { TXT: ['v=DMARC1; p=none'] }); // seen after the cache expires
  }
});

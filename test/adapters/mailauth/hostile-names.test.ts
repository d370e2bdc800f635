/**
 * Signatures whose names are not names, with a resolver that cuts, unescapes or ignores whatever it
 * is asked: each TXT lookup gives the key of the stranger. None of them passes for anybody (D110,
 * D111).
 */
import { generateKeyPairSync } from 'node:crypto';

import { expect, test } from 'vitest';

import { type Dns, DnsError } from '../../../services/adapters/dns/resolver.ts';
import { createAuthenticate } from '../../../services/adapters/mailauth/authenticate.ts';
import { plainMail, sealedWithTags, signed, signedWithTags } from '../../support/signed-mail.ts';

const { publicKey, privateKey: stranger } = generateKeyPairSync('rsa', { modulusLength: 1024 });
const privateKey = stranger.export({ type: 'pkcs8', format: 'pem' }).toString();
const key = `v=DKIM1; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`;

/** Every name has the stranger's key, DMARC is strict, and nothing else exists. */
const believing = {
  resolve: async (name, type) => {
    if (type === 'TXT' && name.includes('_domainkey')) return [[key]] as never;
    if (type === 'TXT' && name === '_dmarc.bank.test') return [['v=DMARC1; p=reject']] as never;
    throw new DnsError('ENOTFOUND', type, name);
  },
  find: () => Promise.resolve([] as never),
  namesOf: () => Promise.resolve([]),
  [Symbol.dispose]: () => undefined,
} satisfies Dns;

const authenticate = (mail: string) =>
  createAuthenticate(believing, {
    hostname: 'mx.in.example',
    budgetMs: 5_000,
    trustedSealers: ['bank.test', 'list.test'],
  })(Buffer.from(mail), {
    mailFrom: 'x@evil.test',
    heloDomain: 'mail.evil.test',
    remoteIp: '192.0.2.10',
  });

const mail = plainMail({ from: 'CEO <ceo@bank.test>' });

test('this resolver makes an ordinary signature and an ordinary seal pass', async () => {
  for (const tags of ['d=bank.test; s=s', 'd=bank.test; s=s; i=@a.bank.test; n=\\"(x']) {
    const { dmarc } = await authenticate(signedWithTags(mail, tags, privateKey));
    expect(dmarc).toMatchObject({ result: 'pass', domain: 'bank.test' });
  }
  const { arc, dmarc } = await authenticate(sealedWithTags(mail, 'd=list.test; s=s', privateKey));
  expect([arc.result, dmarc.override]).toEqual([
    'pass',
    { reason: 'trusted_arc', sealer: 'list.test' },
  ]);
});

const HOSTILE = [
  ['\0', ' ', '\t', '\r\n ', '\x01', '\x7f', '\\', '\\.', '\\000', '..', '%00', '%2e', '+', '@'],
  ['\u00a0', '\u200b', '\u00ad', '\u3002', '\ufeff'],
].flat();
const TAGS = [
  ...HOSTILE.flatMap((hostile) => [
    `d=bank.test; s=s._domainkey.evil.test${hostile}x`,
    `d=evil.test${hostile}.bank.test; s=s`,
    `d=evil.test${hostile}x.bank.test; s=s`,
    `d=bank.test; s=s._domainkey.evil.test${hostile}.`,
  ]),
  'd=bank.test; s=s._domainkey.evil.test\0',
  'd=bank.test\0; s=s',
  'd=bank.test.; s=s',
  'd=bank.test; s=.s',
  'd=evil.test; s=s; d=bank.test',
  'd=bank.test; s=s; d=bank.test',
  'd=evil.test; s=s; D=bank.test',
  'd=evil.test; s=s; \u00a0d=bank.test',
  'D=bank.test; s=s',
  'd=bank.test; s=s; n=\0',
  'd=bank.test; s=s; n',
  `d=bank.test; s=${'x'.repeat(64)}`,
  `d=${'a.'.repeat(120)}bank.test; s=s`,
];

test.each(TAGS)('%j: neither a signature nor a seal passes', async (tags) => {
  expect(await authenticate(signedWithTags(mail, tags, privateKey))).toMatchObject({
    dkim: [{ result: 'permerror', aligned: false, reason: expect.any(String) as string }],
    dmarc: { result: 'fail', alignment: { dkim: false } },
  });
  expect(await authenticate(sealedWithTags(mail, tags, privateKey))).toMatchObject({
    arc: { result: 'fail', reason: expect.any(String) as string },
    dmarc: { result: 'fail', override: null },
  });
});

test.each(['@evil.test', 'bank.test', '@bank.test=00', '@ba\u00a0nk.test', '@.bank.test', ''])(
  'i=%j: the signature does not pass',
  async (identity) => {
    const email = signedWithTags(mail, `d=bank.test; s=s; i=${identity}`, privateKey);
    expect((await authenticate(email)).dkim).toMatchObject([{ result: 'permerror' }]);
  },
);

const results = async (text: string) => (await authenticate(text)).dkim.map((one) => one.result);

test('a signature that others have signed stays in the email', async () => {
  const broken = signedWithTags(mail, 'd=bank.test; s=a b', privateKey);
  const email = await signed(broken, { signingDomain: 'bank.test', selector: 's', privateKey });
  const listed = email.replace(/\bh=/, 'h=DKIM-Signature:'); // no longer what was signed
  expect(await results(email)).toEqual(['pass', 'permerror']);
  expect(await results(listed)).toEqual(['fail', 'permerror']);
});

/** Of the last ones, other programs make a name: `ba\u00adnk.test` is bank.test to some. */
const NO_DOMAINS = [
  'bank.test..',
  'a..bank.test',
  'a+b.bank.test',
  'a%00.bank.test',
  'bank.test\0',
].concat([
  '\uff42ank.test',
  'bank\u3002test',
  'bank\uff0etest',
  'ba\u00adnk.test',
  'bank.test\uff0f.x.test',
]);

test.each(NO_DOMAINS)(
  'the From domain %j is no name, so DMARC is a permanent error',
  async (domain) => {
    const email = plainMail({ from: `ceo@${domain}` });
    const { dmarc } = await authenticate(signedWithTags(email, 'd=bank.test; s=s', privateKey));
    expect([dmarc.result, dmarc.domain]).toEqual(['permerror', null]);
  },
);

/**
 * Headers that programs read differently: none of their signatures passes, and where one can, the
 * payload shows the fields that it covers and nothing else (D125).
 */
import { generateKeyPairSync } from 'node:crypto';

import { expect, test } from 'vitest';

import { type Dns, DnsError } from '../../../services/adapters/dns/resolver.ts';
import { createAuthenticate } from '../../../services/adapters/mailauth/authenticate.ts';
import { verifiedHeaderFields } from '../../../services/adapters/mailauth/library.ts';
import { isReadAlike } from '../../../services/adapters/mailauth/header-agreement.ts';
import { parseMail } from '../../../services/adapters/mime/parse.ts';
import { splitMail } from '../../../services/core/mail/raw-mail.ts';
import { atLeast, fc, runs } from '../../support/random.ts';
import { plainMail, sealed, signed } from '../../support/signed-mail.ts';

const { publicKey, privateKey: pair } = generateKeyPairSync('rsa', { modulusLength: 1024 });
const privateKey = pair.export({ type: 'pkcs8', format: 'pem' }).toString();
const key = `v=DKIM1; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`;
const signer = { signingDomain: 'bank.test', selector: 's', privateKey };

const dns = {
  resolve: async (name, type) => {
    if (type === 'TXT' && name === 's._domainkey.bank.test') return [[key]] as never;
    if (type === 'TXT' && name === '_dmarc.bank.test') return [['v=DMARC1; p=reject']] as never;
    throw new DnsError('ENOTFOUND', type, name);
  },
  find: () => Promise.resolve([] as never),
  namesOf: () => Promise.resolve([]),
  [Symbol.dispose]: () => undefined,
} satisfies Dns;

const authenticate = (mail: string) =>
  createAuthenticate(dns, {
    hostname: 'mx.in.example',
    budgetMs: 60_000,
    trustedSealers: ['bank.test'],
  })(Buffer.from(mail, 'latin1'), {
    mailFrom: 'x@evil.test',
    heloDomain: 'evil.test',
    remoteIp: '192.0.2.1',
  });

const mail = plainMail({ from: 'ceo@bank.test', subject: 'Pay nothing until we talk' });
const relaxed = () => signed(mail, { ...signer, canonicalization: 'relaxed/relaxed' });
const before = (name: string, text: string) => (email: string) =>
  email.replace(new RegExp(`^${name}:`, 'm'), `${text}$&`);

const atEnd = (text: string) => (email: string) => email.replace('\r\n\r\n', `\r\n${text}\r\n`);

/** What a forger makes of a signed email. `X-Own` is not signed, so the library passes over it. */
const FORGERIES: [string, (email: string) => string][] = [
  ['a line without a colon', before('To', 'X-Own: 1\r\nPay 9,000 today\r\n')],
  ['lines without a colon above everything', (email) => `Pay 9,000 today\r\nNow\r\n${email}`],
  ['a line that begins with a colon', before('To', 'X-Own: 1\r\n: Pay 9,000 today\r\n')],
  ['a line with a NUL in front', before('To', 'X-Own: 1\r\n\0Pay: 9,000 today\r\n')],
  ['a line with a bare CR in front', before('To', 'X-Own: 1\r\n\rPay: 9,000 today\r\n')],
  ['a CR before the line end of an empty line', before('To', 'X-Own: 1\r\n\r\r\nPay 9,000\r\n')],
  ['a line of a mailbox file', (email) => `From a@b.test Sat Jan  3 01:05:34 2026\r\n${email}`],
  ['a byte order mark', before('To', 'X-Own: 1\r\n\xef\xbb\xbfPay: 9,000 today\r\n')],
  ['a line that begins with a blank above everything', (email) => ` Pay: 9,000 today\r\n${email}`],
  ['a name with blanks', before('To', 'X-Own: 1\r\nPay me: 9,000 today\r\n')],
  ['a name in other letters', before('To', 'X-Own: 1\r\nZahl\xe9: 9,000 today\r\n')],
  ['a name whose colon stands in the next line', before('To', 'Subject\r\n : Pay 9,000 today\r\n')],
  ['a line of dashes', before('To', 'X-Own: 1\r\n--Pay 9,000 today\r\n')],
  ['a signed line cut in two', (email) => email.replace('Pay nothing', 'Pay \r\nnothing')],
  ['a line of blanks within the last field', atEnd('X-Own: 1\r\n \r\n Pay 9,000 today\r\n')],
  ['an odd name below a line of blanks', atEnd('X-Own: 1\r\n \r\n~: 9,000 today\r\n')],
  [
    'more lines than are read, and one more subject',
    (email) => `X-Own: 1\r\n${' 1\r\n'.repeat(1_000)}Subject: Pay 9,000 today\r\n${email}`,
  ],
];

test.each(FORGERIES)('%s: the signature and the seal prove nothing', async (_, forge) => {
  const found = await authenticate(forge(await relaxed()));
  expect(found).toMatchObject({
    dkim: [
      { result: 'permerror', aligned: false, reason: 'programs read the headers differently' },
    ],
    dmarc: { result: 'fail', alignment: { dkim: false } },
  });
  const forwarded = await sealed(mail, signer, 'dmarc=pass header.from=bank.test');
  expect((await authenticate(forwarded)).dmarc.override).toMatchObject({ sealer: 'bank.test' });
  expect(await authenticate(forge(forwarded))).toMatchObject({
    arc: { result: 'fail', reason: 'i=1 programs read the headers differently' },
    dmarc: { override: null },
  });
});

/** What transports do to an email. */
const HARMLESS: [string, (email: string) => string][] = [
  ['nothing', (email) => email],
  ['lone line feeds', (email) => email.replaceAll('\r\n', '\n')],
  ['some lone line feeds', (email) => email.replace('Pay', '\n Pay').replace('\r\nTo', '\nTo')],
  ['a blank before a colon', (email) => email.replace(/^Subject:/m, 'Subject \t:')],
  ['an empty field', before('To', 'X-Own:\r\n')],
  [
    'a line of blanks at the end of a field',
    (email) => email.replace('\r\nDate:', '\r\n \r\nDate:'),
  ],
  [
    'letters beyond ASCII and control characters in a value',
    before('To', 'X-Own: \xe9\x01\0 \r\r\n'),
  ],
];

test.each(HARMLESS)('%s: the signature passes', async (_, change) => {
  expect(await authenticate(change(await relaxed()))).toMatchObject({
    dkim: [{ result: 'pass', aligned: true }],
    dmarc: { result: 'pass' },
  });
});

const PIECES = [
  ['Subject', 'From', 'X', 'Date', 'text', ':', ':', ' ', '\t', '\r', '\0', '--', '-', '\xe9'],
  [
    '\r\n',
    '\r\n',
    '\n',
    '\r\n ',
    '\n\t',
    '\r\r\n',
    'From a Sat Jan  3',
    '\xef\xbb\xbf',
    'X: 1\r\n',
  ],
].flat();
const anyHead = fc
  .array(fc.constantFrom(...PIECES), { maxLength: 14 })
  .map((pieces) => Buffer.from(`To: a\r\n${pieces.join('')}\r\n\r\n`, 'latin1'));

/** Charsets and white space are no matter here. */
const squeezed = (text: string) => text.replace(/[^!-~]+/g, ' ').trim();

test('where both readers agree, the payload shows these fields, and the body behind them', () => {
  let alike = 0;
  const property = fc.property(anyHead, (bytes) => {
    const { head, body } = splitMail(bytes);
    if (!isReadAlike(head)) return;
    alike++;
    const { headers, text } = parseMail(
      Buffer.concat([Buffer.from('Received: by mx\r\n'), head, body, Buffer.from('THE END')]),
    );
    expect(
      headers.all.slice(1).map(({ name, value }) => [name.toLowerCase(), squeezed(value)]),
    ).toEqual(
      verifiedHeaderFields(head).map(({ key: name, line }) => {
        const field = line.toString('latin1');
        return [name, squeezed(field.slice(field.indexOf(':') + 1))];
      }),
    );
    expect(squeezed(text ?? '')).toBe(squeezed(`${body.toString()}THE END`));
  });
  fc.assert(property, runs(3_000));
  expect(alike).toBeGreaterThanOrEqual(atLeast(300));
});

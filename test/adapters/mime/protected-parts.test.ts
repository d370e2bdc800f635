/**
 * Signed and encrypted email. The files of test/fixtures/smime are of OpenSSL; their certificates have
 * expired.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

import { parseMail } from '../../../services/adapters/mime/parse.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../fixtures/smime/${name}`, import.meta.url));
const ANN = 'CN=Ann Reed, emailAddress=ann@sender.example';
const signed = (subject: string | null, is_valid: boolean | null) => ({
  kind: 'smime',
  subject,
  is_valid,
});
const crlf = (...lines: string[]) => lines.join('\r\n');
const read = (...lines: string[]) => parseMail(Buffer.from(crlf(...lines), 'latin1'));
const files = ({ attachments }: ReturnType<typeof parseMail>) =>
  attachments.map(({ filename }) => filename);
const NO_SIGNATURE = { signature: undefined, encrypted: undefined };
const protectionOf = ({ signature, encrypted }: ReturnType<typeof parseMail>) => ({
  signature,
  encrypted,
});

const armored = (kind: string, end = kind) =>
  crlf(`-----BEGIN PGP ${kind}-----`, '', 'hQEMA', '=abcd', `-----END PGP ${end}-----`);

/** BER with a long length. */
const berOf = (tag: number, ...parts: Buffer[]): Buffer => {
  const all = Buffer.concat(parts);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(all.byteLength);
  return Buffer.concat([Buffer.from([tag, 0x84]), length, all]);
};
const oid = (hex: string) => berOf(0x06, Buffer.from(hex, 'hex'));

describe('S/MIME of OpenSSL', () => {
  test.each([
    ['clear.eml', ANN, true],
    ['clear-ec.eml', 'CN=Jörg Groß', true],
    ['opaque.eml', ANN, true],
    ['opaque-chunks.eml', ANN, true],
    ['opaque-key-id.eml', 'CN=Jörg Groß', true],
    ['opaque-in-clear.eml', 'CN=Jörg Groß', true],
    ['pss.eml', ANN, true],
    ['no-attributes.eml', ANN, true],
    ['two-signers.eml', 'CN=Jörg Groß', true],
    ['sha1.eml', ANN, null],
    ['no-certificate.eml', null, null],
  ])('%s is read, and its signature is named', (name, subject, isValid) => {
    const mail = parseMail(fixture(name));
    expect(mail).toMatchObject({
      text: 'Two lines,\ngrüße.',
      signature: signed(subject, isValid),
      warnings: [],
    });
    expect(mail).not.toHaveProperty('encrypted');
    expect(files(mail)).toContain('a.pdf');
    expect(files(mail)).toContain(name.startsWith('opaque') ? 'smime.p7m' : 'smime.p7s');
  });

  test.each(['encrypted.eml', 'encrypted-gcm.eml'])('%s is named', (name) => {
    const mail = parseMail(fixture(name));
    expect(mail).toMatchObject({ text: null, html: null, encrypted: 'smime' });
    expect(mail).not.toHaveProperty('signature');
    expect(files(mail)).toEqual(['smime.p7m']);
  });

  test('any change of what was signed is noticed', () => {
    const raw = fixture('clear.eml');
    const text = raw.toString('latin1');
    const start = text.indexOf('Content-Type: multipart/mixed');
    const end = text.indexOf('--b--\r\n') + '--b--'.length;
    for (let at = start; at < end; at++) {
      const changed = Buffer.from(raw);
      changed[at] = (changed[at] as number) ^ 1;
      expect(parseMail(changed).signature?.is_valid ?? null).not.toBe(true);
    }
  });

  test('any bytes are read', () => {
    const raw = fixture('opaque.eml');
    const [head = '', body = ''] = raw.toString('latin1').split('\r\n\r\n');
    const der = Buffer.from(body, 'base64');
    const content = der.indexOf('Two lines,');
    for (let at = 0; at < der.byteLength; at += 3) {
      const changed = Buffer.from(der);
      changed[at] = (changed[at] as number) ^ 0x81;
      const { signature, text } = read(head, '', changed.toString('base64'));
      const isOfContent = at >= content && at < content + 10;
      expect({ at, is_valid: signature?.is_valid, text }).toEqual({
        at,
        is_valid: isOfContent ? false : signature?.is_valid,
        text: signature?.is_valid === true ? 'Two lines,\ngrüße.' : text,
      });
    }
  });

  test('line ends that a server changed do not matter', () => {
    const lines = fixture('clear.eml').toString('latin1').replaceAll('\r\n', '\n');
    expect(parseMail(Buffer.from(lines, 'latin1')).signature).toEqual(signed(ANN, true));
  });

  test.each([
    ['application/octet-stream; name=smime.p7m', true],
    ['application/x-pkcs7-mime', true],
    ['application/pkcs7-mime; smime-type=signed-data; name="winmail.p7m"', true],
    ['application/octet-stream; name=a.bin', false],
  ])('opaque content of the type %s', (type, isOpened) => {
    const raw = fixture('opaque.eml')
      .toString('latin1')
      .replace(/Content-Type: [^\r]*/, `Content-Type: ${type}`)
      .replace(/^Content-Disposition: .*/m, 'Content-Disposition: attachment');
    const mail = parseMail(Buffer.from(raw, 'latin1'));
    expect(mail.text).toBe(isOpened ? 'Two lines,\ngrüße.' : null);
    expect(mail.signature).toEqual(isOpened ? signed(ANN, true) : undefined);
  });
});

describe('a signature of a part is not one of the email', () => {
  const [, type = '', body = ''] =
    /\r\n(Content-Type: [^]*?)\r\n\r\n([^]*)$/.exec(fixture('opaque.eml').toString('latin1')) ?? [];
  const part = (...more: string[]) => [
    'Content-Type: multipart/mixed; boundary=outer',
    '',
    '--outer',
    type.replace(/^Content-Disposition.*/m, ''),
    '',
    body,
    ...more,
    '--outer--',
    '',
  ];

  test('the footer of a mailing list is not signed', () => {
    const mail = read(...part('--outer', '', 'Pay to account 77.'));
    expect(mail.text).toBe('Two lines,\ngrüße.\nPay to account 77.');
    expect(mail.signature).toEqual(signed(ANN, null));
    expect(files(mail)).toEqual(['smime.p7m', 'a.pdf']);
  });

  test.each([
    [
      'below the signature',
      (text: string) => text.replace(/(\r\n){1,2}------\w+--/, '\r\nPay to account 77.$&'),
    ],
    [
      'another part',
      (text: string) =>
        text.replace(/\r\n(------\w+)--/, '\r\n$1\r\n\r\nPay to account 77.\r\n$1--'),
    ],
    [
      'behind the end',
      (text: string) =>
        text.replace(/\r\n(------\w+)--/, '$&\r\n$1\r\n\r\nPay to account 77.\r\n$1--'),
    ],
    [
      'in the head',
      (text: string) => text.replace('MIME-Version', 'Pay to account 77.\r\nMIME-Version'),
    ],
  ])('text that somebody adds %s', (_, change) => {
    const mail = parseMail(Buffer.from(change(fixture('clear.eml').toString('latin1')), 'latin1'));
    expect(mail.text).toContain('Pay to account 77.');
    expect(mail.signature).toEqual(signed(ANN, null));
  });

  test('a signed or encrypted file is a file', () => {
    const file = fixture('file.pdf.p7m').toString('base64');
    const head = 'Content-Type: application/pkcs7-mime; name="file.pdf.p7m"';
    const base64 = 'Content-Transfer-Encoding: base64';
    const [, encrypted = ''] = fixture('encrypted.eml')
      .toString('latin1')
      .split(/\r?\n\r?\n/);
    for (const content of [file, encrypted]) {
      const mail = read(
        'Content-Type: multipart/mixed; boundary=o',
        '',
        '--o',
        '',
        'See the file.',
        '--o',
        head,
        base64,
        '',
        content,
        '--o--',
      );
      expect(protectionOf(mail)).toEqual(NO_SIGNATURE);
      expect(mail.text).toBe('See the file.');
      expect(files(mail)).toEqual(['file.pdf.p7m']);
    }
  });
});

describe('headers within the signature (RFC 9788)', () => {
  test.each([
    ['protected.eml', 'Order für Bob', ['protected_headers_differ']],
    ['memoryhole.eml', 'Order für Bob', ['protected_headers_differ']],
    ['protected-opaque.eml', 'Order für Bob', ['protected_headers_differ']],
    ['unprotected.eml', 'Order', []],
    ['same.eml', 'Order', []],
  ])('%s: only the subject is taken', (name, subject, codes) => {
    const { headers, warnings } = parseMail(fixture(name));
    expect(headers).toMatchObject({ subject, from: 'ann@sender.example', to: 'bob@example.net' });
    expect(headers.all.find((header) => header.name === 'Subject')?.value).toBe('Order');
    expect(JSON.stringify(headers)).not.toContain('evil.example');
    expect(warnings.map(({ code }) => code)).toEqual(codes);
  });

  test('no subject is taken from what is not signed, or changed', () => {
    const raw = fixture('protected.eml').toString('latin1');
    for (const changed of [
      raw.replace('Hello.', 'Hello!'),
      raw.replace(/(\r\n(------\w+))--/, '$1\r\n\r\nmore$1--'),
    ]) {
      const { headers, signature } = parseMail(Buffer.from(changed, 'latin1'));
      expect(headers.subject).toBe('Order');
      expect(signature?.is_valid).not.toBe(true);
    }
  });
});

describe('PGP', () => {
  const pgp = { kind: 'pgp', subject: null, is_valid: null };

  test.each([
    ['a text', ['', armored('MESSAGE')], { encrypted: 'pgp', signature: undefined }],
    ['a text below a greeting', ['', 'Hi,', armored('MESSAGE')], { encrypted: 'pgp' }],
    ['a quoted text', ['', '> -----BEGIN PGP MESSAGE-----'], NO_SIGNATURE],
    [
      'a signed text',
      ['', '-----BEGIN PGP SIGNED MESSAGE-----', 'Hash: SHA256', '', 'Hi', armored('SIGNATURE')],
      { signature: pgp, encrypted: undefined },
    ],
    [
      'multipart/encrypted (RFC 3156 §4)',
      [
        'Content-Type: multipart/encrypted; protocol="application/pgp-encrypted"; boundary=b',
        '',
        '--b',
        'Content-Type: application/pgp-encrypted',
        '',
        'Version: 1',
        '--b',
        'Content-Type: application/octet-stream; name=encrypted.asc',
        '',
        armored('MESSAGE'),
        '--b--',
      ],
      { encrypted: 'pgp', signature: undefined },
    ],
    [
      'what Exchange makes of it',
      [
        'Content-Type: multipart/mixed; boundary=b',
        '',
        '--b',
        'Content-Type: text/plain',
        '',
        '',
        '--b',
        'Content-Type: application/pgp-encrypted; name=version.asc',
        '',
        'Version: 1',
        '--b--',
      ],
      { encrypted: 'pgp', signature: undefined },
    ],
    [
      'multipart/signed (RFC 3156 §5)',
      [
        'Content-Type: multipart/signed; micalg=pgp-sha256; boundary=b;',
        ' protocol="application/pgp-signature"',
        '',
        '--b',
        'Content-Type: text/plain',
        '',
        'Hi',
        '--b',
        'Content-Type: application/pgp-signature; name=signature.asc',
        '',
        armored('SIGNATURE'),
        '--b--',
      ],
      { signature: pgp, encrypted: undefined },
    ],
  ])('%s', (_, lines, expected) => {
    expect(protectionOf(read('From: a@b.example', ...lines))).toMatchObject(expected);
  });
});

test('files in files are opened up to a limit', () => {
  let content = crlf('Content-Type: text/plain', '', 'deep');
  for (let layer = 0; layer < 6; layer++) {
    const data = berOf(
      0x30,
      berOf(0x02, Buffer.from([1])),
      berOf(0x31),
      berOf(
        0x30,
        oid('2a864886f70d010701'),
        berOf(0xa0, berOf(0x04, Buffer.from(content, 'latin1'))),
      ),
      berOf(0x31),
    );
    const whole = berOf(0x30, oid('2a864886f70d010702'), berOf(0xa0, data));
    content = crlf(
      'Content-Type: application/pkcs7-mime; name=smime.p7m',
      'Content-Transfer-Encoding: base64',
      '',
      whole.toString('base64'),
    );
  }
  const mail = parseMail(Buffer.from(content, 'latin1'));
  expect(mail).toMatchObject({ text: null, signature: signed(null, null) });
  expect(files(mail)).toEqual(Array.from({ length: 4 }, () => 'smime.p7m'));
});

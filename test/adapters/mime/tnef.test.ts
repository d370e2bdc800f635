/**
 * winmail.dat is unpacked; if that fails, it stays an attachment. Cross-checked by hand with the
 * samples of Python's tnefparse.
 */
import { expect, test } from 'vitest';

import { parseMail } from '../../../services/adapters/mime/parse.ts';
import { decompressRtf, readTnef } from '../../../services/adapters/mime/tnef.ts';
import { fc, runs } from '../../support/random.ts';

const u16 = (value: number) => Buffer.from([value & 0xff, value >> 8]);
const u32 = (value: number) =>
  Buffer.from([value & 0xff, (value >> 8) & 0xff, (value >> 16) & 0xff, value >>> 24]);
const padded = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(-bytes.byteLength & 3)]);
const attribute = (level: number, id: number, value: Buffer) =>
  Buffer.concat([
    Buffer.from([level]),
    u32(id),
    u32(value.byteLength),
    value,
    u16(value.reduce((sum, byte) => sum + byte, 0) & 0xffff),
  ]);
const sized = (type: number, id: number, value: Buffer) =>
  Buffer.concat([u16(type), u16(id), u32(1), u32(value.byteLength), padded(value)]);
const unicode = (id: number, text: string) => sized(0x1f, id, Buffer.from(`${text}\0`, 'utf16le'));
const named = Buffer.concat([
  u16(0x03),
  u16(0x8001),
  Buffer.alloc(16),
  u32(1),
  u32(4),
  Buffer.from('a\0\0\0', 'latin1'),
  u32(7),
]);
const several = Buffer.concat([u16(0x1003), u16(0x1234), u32(2), u32(1), u32(2)]);
const properties = (...all: Buffer[]) => Buffer.concat([u32(all.length), ...all]);
const tnef = (...attributes: Buffer[]) =>
  Buffer.concat([u32(0x223e9f78), u16(1), attribute(1, 0x00069007, u32(1252)), ...attributes]);

const FILE = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
/** The example of [MS-OXRTFCP] section 3.1. */
const RTF = Buffer.from(
  '2d0000002b0000004c5a4675f1c5c7a703000a00726370673132354232 0af3206865 6c090020627705b06c647d0a800fa0'.replaceAll(
    ' ',
    '',
  ),
  'hex',
);
const SAMPLE = tnef(
  attribute(
    1,
    0x00069003,
    properties(
      named,
      several,
      sized(0x1e, 0x1000, Buffer.from('Gr\xfc\xdfe\0', 'latin1')),
      sized(0x102, 0x1013, Buffer.from('<p>Hi')),
    ),
  ),
  attribute(2, 0x00069002, Buffer.alloc(14)),
  attribute(2, 0x00018010, Buffer.from('SHORT~1.PDF\0')),
  attribute(2, 0x0006800f, FILE),
  attribute(
    2,
    0x00069005,
    properties(
      unicode(0x3707, 'Größe.png'),
      unicode(0x370e, 'image/png'),
      unicode(0x3712, '<Logo@x>'),
    ),
  ),
  attribute(2, 0x00069002, Buffer.alloc(14)),
  attribute(2, 0x00018010, Buffer.from('b.bin\0')),
  attribute(2, 0x0006800f, Buffer.from('second')),
);
const SHOWN = [
  {
    filename: 'Größe.png',
    contentType: 'image/png',
    contentId: 'Logo@x',
    disposition: null,
    method: null,
    content: FILE,
  },
  {
    filename: 'b.bin',
    contentType: 'application/octet-stream',
    contentId: null,
    disposition: null,
    method: null,
    content: Buffer.from('second'),
  },
];
const mailWith = (winmail: Buffer, type = 'application/ms-tnef; name=winmail.dat') =>
  parseMail(
    Buffer.from(
      'Content-Type: multipart/mixed; boundary=b\r\n\r\n' +
        '--b\r\nContent-Type: application/pdf; name=own.pdf\r\n\r\nown\r\n' +
        `--b\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: base64\r\n\r\n` +
        `${winmail.toString('base64')}\r\n--b--\r\n`,
    ),
  );

test.each([
  'application/ms-tnef; name=winmail.dat',
  'application/vnd.ms-tnef',
  'application/octet-stream; name=WINMAIL.DAT',
])('%s is unpacked into its attachments and bodies', (type) => {
  const mail = mailWith(SAMPLE, type);
  expect(mail).toMatchObject({ text: 'Grüße', html: '<p>Hi', warnings: [] });
  expect(mail.attachments).toEqual([expect.objectContaining({ filename: 'own.pdf' }), ...SHOWN]);
});

test('bodies of the email itself come first', async () => {
  const raw = Buffer.concat([
    Buffer.from(
      'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nown\r\n' +
        '--b\r\nContent-Type: application/ms-tnef\r\n\r\n',
    ),
    SAMPLE,
    Buffer.from('\r\n--b--\r\n'),
  ]);
  expect(parseMail(raw)).toMatchObject({ text: 'own', html: '<p>Hi' });
});

test.each([
  ['UTF-8 that it does not declare', Buffer.from('<p>Größe\r\n')],
  ['UTF-8 that it declares', Buffer.from('<meta charset="utf-8"><p>Größe\r\n')],
  ['the code page of the email', Buffer.from('<p>Gr\xf6\xdfe\r\n', 'latin1')],
])('HTML in %s is decoded; its line ends are like those of other texts', (_, html) => {
  expect(
    readTnef(
      tnef(
        attribute(
          1,
          0x00069003,
          properties(sized(0x102, 0x1013, html), sized(0x1e, 0x1000, Buffer.from('a\r\nb\0'))),
        ),
      ),
    ),
  ).toMatchObject({ html: expect.stringMatching(/<p>Größe\n$/), text: 'a\nb' });
});

test('a name has no line ends', () => {
  const file = (name: Buffer) =>
    readTnef(tnef(attribute(2, 0x00069002, Buffer.alloc(14)), name))?.attachments[0]?.filename;
  expect(file(attribute(2, 0x00018010, Buffer.from('a\r\nb\0')))).toBe('a b');
  expect(file(attribute(2, 0x00069005, properties(unicode(0x3707, 'a\nb'))))).toBe('a b');
});

test('a text that is only in RTF is an attachment', () => {
  expect(
    readTnef(tnef(attribute(1, 0x00069003, properties(sized(0x102, 0x1009, RTF))))),
  ).toMatchObject({
    text: null,
    html: null,
    attachments: [
      {
        filename: 'message.rtf',
        contentType: 'application/rtf',
        content: Buffer.from('{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n'),
      },
    ],
  });
});

test.each([
  ['cut off', SAMPLE.subarray(0, SAMPLE.byteLength - 20)],
  ['of other bytes', Buffer.from('no winmail at all')],
  ['empty', Buffer.alloc(0)],
  ['with nothing to show', tnef()],
])('a winmail.dat that is %s stays an attachment, with a warning', (_, winmail) => {
  const mail = mailWith(Buffer.from(winmail));
  expect(mail.attachments).toMatchObject([
    { filename: 'own.pdf' },
    { filename: 'winmail.dat', contentType: 'application/ms-tnef', content: winmail },
  ]);
  expect(mail.warnings).toMatchObject([{ code: 'tnef_unreadable' }]);
});

test('bytes that a transport appended are ignored', () => {
  expect(
    readTnef(Buffer.concat([SAMPLE, Buffer.from('\r\n-- \r\nadvertisement')]))?.attachments,
  ).toEqual(SHOWN);
});

test('any bytes are unpacked in bounded time, to a bounded multiple of their size', () => {
  const damaged = fc
    .tuple(
      fc.constantFrom(
        SAMPLE,
        tnef(attribute(1, 0x00069003, properties(sized(0x102, 0x1009, RTF)))),
      ),
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 6 }),
    )
    .map(([whole, changes]) => {
      const bytes = Buffer.from(whole);
      for (const [at, byte] of changes) bytes[at % bytes.byteLength] = byte;
      return bytes;
    });
  fc.assert(
    fc.property(
      fc.oneof(
        damaged,
        fc.uint8Array({ maxLength: 200 }).map((bytes) => tnef(Buffer.from(bytes))),
      ),
      (bytes) => {
        const total =
          readTnef(bytes)?.attachments.reduce((sum, { content }) => sum + content.byteLength, 0) ??
          0;
        expect(total).toBeLessThanOrEqual(10 * bytes.byteLength);
      },
    ),
    runs(3_000),
  );
  expect(
    decompressRtf(
      Buffer.concat([u32(99), u32(0x7fffffff), u32(0x75465a4c), u32(0), Buffer.alloc(100)]),
    ),
  ).toBeUndefined();
});

/** Forwarded emails: in the text, as files, by servers; and requests to confirm a forwarding. */
import { describe, expect, test } from 'vitest';

import { embeddedXml } from '../../../services/adapters/pdf/embedded-files.ts';
import { parseMail } from '../../../services/adapters/mime/parse.ts';
import { unpackText } from '../../../services/adapters/mime/unpack.ts';
import { extractParts } from '../../../services/core/extract/extract-parts.ts';

const FILES = {
  unpack: unpackText,
  parse: (raw: Uint8Array) => parseMail(Buffer.from(raw)),
  embedded: embeddedXml,
};
const fieldsOf = (raw: string) =>
  extractParts(
    new Set(['forwarded']),
    { ...parseMail(Buffer.from(raw.replaceAll('\n', '\r\n'))), mailFrom: 'bob@x.example' },
    FILES,
  ).fields;
const emailOf = (head: readonly string[], ...text: readonly string[]) =>
  [
    'From: Bob <bob@x.example>',
    'Content-Type: text/plain; charset=utf-8',
    ...head,
    '',
    ...text,
  ].join('\n');
const inText = (subject: string, ...text: readonly string[]) =>
  fieldsOf(emailOf([`Subject: ${subject}`], ...text)).forwarded;

const ORIGINAL = {
  from: 'Ann Reed <ann@a.example>',
  to: 'Bob <bob@x.example>',
  cc: null,
  subject: 'Order 4711',
  text: 'Hello Bob,\nhere it is.',
};
const TEXT = ['Hello Bob,', 'here it is.'];

const headOf = (from: string) => [
  '---- Forwarded message ----',
  `From: ${from}`,
  'Date: 1 May 2026',
  'Subject: Order',
  'To: b@x.example',
  '',
];

describe('in the text', () => {
  test.each<[string, string, string[]]>([
    [
      'Gmail',
      'Fwd: Order 4711',
      [
        'Please see below.',
        '',
        '---------- Forwarded message ---------',
        'From: Ann Reed <ann@a.example>',
        'Date: Mon, May 4, 2026 at 10:11 AM',
        'Subject: Order 4711',
        'To: Bob <bob@x.example>',
        '',
        '',
        ...TEXT,
      ],
    ],
    [
      'Outlook',
      'FW: Order 4711',
      [
        '________________________________',
        'From: Ann Reed <ann@a.example>',
        'Sent: Monday, May 4, 2026 10:11',
        'To: Bob <bob@x.example>',
        'Subject: Order 4711',
        '',
        ...TEXT,
      ],
    ],
    [
      'Apple Mail',
      'Fwd: Order 4711',
      [
        'Begin forwarded message:',
        '',
        '> From: Ann Reed <ann@a.example>',
        '> Subject: Order 4711',
        '> Date: May 4, 2026 at 10:11:12 GMT+2',
        '> To: Bob <bob@x.example>',
        '> ',
        '> Hello Bob,',
        '> here it is.',
      ],
    ],
    [
      'German',
      'WG: Order 4711',
      [
        'Von: Ann Reed <ann@a.example>',
        'Gesendet: Montag, 4. Mai 2026 10:11',
        'An: Bob <bob@x.example>',
        'Betreff: Order 4711',
        '',
        ...TEXT,
      ],
    ],
    [
      'French',
      'TR : Order 4711',
      [
        '---------- Message transféré ---------',
        'De : Ann Reed <ann@a.example>',
        'Date : lun. 4 mai 2026 à 10:11',
        'Objet : Order 4711',
        'À : Bob <bob@x.example>',
        '',
        ...TEXT,
      ],
    ],
    [
      'Spanish',
      'RV: Order 4711',
      [
        'De: Ann Reed <ann@a.example>',
        'Enviado: lunes, 4 de mayo de 2026 10:11',
        'Para: Bob <bob@x.example>',
        'Asunto: Order 4711',
        '',
        ...TEXT,
      ],
    ],
    [
      'Russian',
      'Fwd: Order 4711',
      [
        '-------- Пересланное сообщение --------',
        'Тема: Order 4711',
        'Дата: Mon, 4 May 2026 10:11',
        'От: Ann Reed <ann@a.example>',
        'Кому: Bob <bob@x.example>',
        '',
        ...TEXT,
      ],
    ],
    [
      'Japanese',
      'Fwd: Order 4711',
      [
        '---------- 転送メッセージ ----------',
        '差出人: Ann Reed <ann@a.example>',
        '日時: 2026年5月4日(月) 10:11',
        '件名: Order 4711',
        '宛先: Bob <bob@x.example>',
        '',
        ...TEXT,
      ],
    ],
    [
      'Chinese',
      '转发：Order 4711',
      [
        '发件人: Ann Reed <ann@a.example>',
        '发送时间: 2026年5月4日 10:11',
        '收件人: Bob <bob@x.example>',
        '主题: Order 4711',
        '',
        ...TEXT,
      ],
    ],
    [
      'no mark in the subject',
      'Please look',
      [
        '---------- Forwarded message ---------',
        'From: Ann Reed <ann@a.example>',
        'Date: Mon, May 4, 2026',
        'Subject: Order 4711',
        'To: Bob <bob@x.example>',
        '',
        ...TEXT,
      ],
    ],
  ])('%s', (_, subject, lines) => {
    expect(inText(subject, ...lines)).toEqual({
      by: 'bob@x.example',
      kind: 'inline',
      original: { ...ORIGINAL, date: expect.stringMatching(/2026/) as string },
      depth: 1,
    });
  });

  test('twice', () => {
    const found = inText(
      'Fwd: Order',
      ...headOf('carl@c.example'),
      ...headOf('ann@a.example'),
      'Hello',
    );
    expect(found).toMatchObject({ depth: 2, original: { from: 'carl@c.example' } });
  });

  test.each<[string, string, string[]]>([
    [
      'a reply',
      'Re: Order',
      [
        'Yes.',
        '',
        'From: Ann <ann@a.example>',
        'Sent: Monday 10:11',
        'To: Bob',
        'Subject: Order',
        '',
        'Shall we?',
      ],
    ],
    [
      'a list of the author',
      'Fwd: Journey',
      ['From: Berlin', 'To: Lisbon', 'Date: 12 May 2026', 'Subject: offsite'],
    ],
    ['nothing', 'Hello', ['Hello']],
  ])('not: %s', (_, subject, lines) => {
    expect(inText(subject, ...lines)).toBeNull();
  });
});

const attachedTo = (file: string, boundary: string) =>
  [
    `Content-Type: multipart/mixed; boundary=${boundary}`,
    '',
    `--${boundary}`,
    '',
    'See the file.',
    `--${boundary}`,
    'Content-Type: message/rfc822',
    '',
    file,
    `--${boundary}--`,
    '',
  ].join('\n');
const FILE = [
  'From: =?utf-8?q?Ann_R=C3=A9ed?= <ann@a.example>',
  'To: bob@x.example',
  'Date: Mon, 4 May 2026 10:11:12 +0000',
  'Subject: =?utf-8?q?Ordre_=C3=A9?=',
  '',
  'Hello',
].join('\n');

test('as a file, and a file within a file', () => {
  const outer = `From: Bob <bob@x.example>\nSubject: Fwd\n${attachedTo(FILE, 'b1')}`;
  expect(fieldsOf(outer).forwarded).toMatchObject({
    by: 'bob@x.example',
    kind: 'attached',
    depth: 1,
    original: { date: 'Mon, 4 May 2026 10:11:12 +0000', subject: 'Ordre é', text: 'Hello' },
  });
  const twice = `From: Carl <carl@x.example>\n${attachedTo(outer, 'b2')}`;
  expect(fieldsOf(twice).forwarded).toMatchObject({ by: 'carl@x.example', depth: 2 });
});

test('a bounce is not forwarded', () => {
  const bounce = attachedTo(FILE, 'b1').replace('mixed', 'report; report-type=delivery-status');
  expect(fieldsOf(`From: MAILER-DAEMON@x.example\n${bounce}`).forwarded).toBeNull();
});

test.each([
  [
    'Resent-From',
    ['Resent-From: Bob <bob@x.example>', 'Resent-To: box@in.example'],
    'bob@x.example',
  ],
  [
    'Gmail',
    ['X-Forwarded-To: box@in.example', 'X-Forwarded-For: bob@x.example box@in.example'],
    'bob@x.example',
  ],
])('by a server: %s', (_, head, by) => {
  const email = emailOf(
    [...head, 'Subject: Order', 'Date: Mon, 4 May 2026 10:11:12 +0000'],
    'Hello',
  );
  expect(fieldsOf(email).forwarded).toMatchObject({
    by,
    kind: 'automatic',
    original: {
      from: expect.stringContaining('bob@x.example') as string,
      subject: 'Order',
      text: 'Hello',
    },
  });
});

const request = (from: string, subject: string, ...text: readonly string[]) =>
  fieldsOf([`From: ${from}`, `Subject: ${subject}`, '', ...text].join('\n')).forwarding_request;

describe('requests to confirm a forwarding', () => {
  test('Gmail', () => {
    expect(
      request(
        'Gmail Team <forwarding-noreply@google.com>',
        '(#482913048) Gmail Forwarding Confirmation - Receive Mail from ann@gmail.example',
        'ann@gmail.example has requested to automatically forward mail to your email address box@in.example.',
        'Confirmation code: 482913048',
        'To allow it, please click the link below:',
        'https://mail-settings.google.com/mail/vf-%5BANGj%5D-x1',
      ),
    ).toEqual({
      address: 'ann@gmail.example',
      code: '482913048',
      url: 'https://mail-settings.google.com/mail/vf-%5BANGj%5D-x1',
    });
  });

  test('Outlook, and iCloud', () => {
    expect(
      request(
        'account-security-noreply@accountprotection.microsoft.com',
        'Verify your forwarding address',
        'ann@outlook.example wants to forward email. Your security code is 482913.',
      ),
    ).toMatchObject({ address: 'ann@outlook.example', code: '482913', url: null });
    expect(
      request(
        'iCloud <noreply@email.apple.com>',
        'Confirm email forwarding',
        'Mail of ann@icloud.example would be forwarded. Verification code: 482913',
      ),
    ).toMatchObject({ address: 'ann@icloud.example', code: '482913' });
  });

  test('not of others, and not about other things', () => {
    const code = 'Your verification code is 482913. Forwarding mail of ann@a.example';
    expect(request('a@evil.example', 'Forwarding', code)).toBeUndefined();
    expect(request('a@google.com.evil.example', 'Forwarding', code)).toBeUndefined();
    expect(request('noreply@email.apple.com', 'Sign in', 'Code: 482913')).toBeUndefined();
  });
});

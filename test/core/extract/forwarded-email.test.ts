/** Forwarded emails: in the text, as files, by servers; and requests to confirm a forwarding. */
import { describe, expect, test } from 'vitest';

import { embeddedXml } from '../../../services/adapters/pdf/embedded-files.ts';
import { parseMail } from '../../../services/adapters/mime/parse.ts';
import { unpackText } from '../../../services/adapters/mime/unpack.ts';
import { extractParts } from '../../../services/core/extract/extract-parts.ts';
import { HEADS } from '../mail/quotations.ts';

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
    [
      'Apple Mail in a language whose labels are not known',
      'Order 4711',
      [
        '> Започето препратено съобщение Fwd:',
        '>',
        '> Подател: Ann Reed <ann@a.example>',
        '> Относно: Order 4711',
        '> На дата: 4 май 2026 г. в 10:11:08',
        '> За: Bob <bob@x.example>',
        '>',
        ...TEXT.map((line) => `> ${line}`),
      ],
    ],
    [
      'Thunderbird in Italian',
      'Fwd: Order 4711',
      [
        '-------- Messaggio Inoltrato --------',
        'Oggetto: \tOrder 4711',
        'Data: \tMon, 4 May 2026 10:11:12 +0200',
        'Mittente: \tAnn Reed <ann@a.example>',
        'A: \tBob <bob@x.example>',
        '',
        ...TEXT,
      ],
    ],
    [
      'Yahoo, on one line',
      'Order 4711',
      [
        '   ----- Weitergeleitete Nachricht ----- Von: Ann Reed <ann@a.example>An: Bob ' +
          '<bob@x.example>Gesendet: Montag, 4. Mai 2026, 09:26:50 MEZBetreff: Order 4711',
        ` ${TEXT[0]}`,
        ...TEXT.slice(1),
      ],
    ],
    [
      'new Outlook in Turkish',
      'İLT: Order 4711',
      [
        'Kimden: Ann Reed <ann@a.example>',
        'Tarih: Pazartesi, 4 Mayıs 2026 12:46',
        'Kime: Bob <bob@x.example>',
        'Konu: Order 4711',
        ...TEXT,
      ],
    ],
    [
      'new Outlook in Danish',
      'VS: Order 4711',
      [
        'Fra: Ann Reed <ann@a.example>',
        'Dato: mandag den 4. maj 2026 kl. 12.46',
        'Til: Bob <bob@x.example>',
        'Emne: Order 4711',
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

  const PREFIXES = { de: 'WG:', fr: 'TR :', es: 'RV:', zh: '转发：' };
  test.each(
    Object.entries(HEADS).flatMap(([language, head]) =>
      (['sent', 'date'] as const).map((day) => ({ language, day, head })),
    ),
  )('a head in $language, with $day', ({ language, day, head }) => {
    const prefix = PREFIXES[language as keyof typeof PREFIXES] ?? 'FW:';
    const { from, to, subject } = head;
    const values = [`${from}: ${ORIGINAL.from}`, `${head[day]}: 2026-05-04 10:11`];
    const lines = [...values, `${to}: ${ORIGINAL.to}`, `${subject}: Order 4711`, '', ...TEXT];
    const original = { ...ORIGINAL, date: '2026-05-04 10:11' };
    expect(inText(`${prefix} Order 4711`, ...lines)).toMatchObject({ kind: 'inline', original });
  });

  test('Outlook for Mac, which writes no head', () => {
    const attribution = '\ufeffOn 04/05/2026 12:46, "Ann Reed" <ann@a.example> wrote:';
    expect(inText('FW: Order 4711', attribution, '', '    Hello')?.original).toEqual({
      ...ORIGINAL,
      from: '"Ann Reed" <ann@a.example>',
      to: null,
      date: '04/05/2026 12:46',
      text: 'Hello',
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
    [
      'a form of a website',
      'New request',
      [
        '---------- Your request ----------',
        'Name: Ann',
        'Email: ann@a.example',
        'Date: 4 May 2026 10:11',
        'Message: Hello',
      ],
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

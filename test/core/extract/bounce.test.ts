/** Bounces: the standard forms, the words of many servers, and emails that are none. */
import { describe, expect, test } from 'vitest';

import { bounceOf, type MailParts } from '../../../services/core/extract/bounce/read-bounce.ts';
import { growth, LINEAR } from '../../support/growth.ts';
import { fc, runs } from '../../support/random.ts';
import { FORMS } from '../../fixtures/emails/bounce-forms.ts';

const NOTHING: MailParts = { mailFrom: '', headers: [], text: null, attachments: [] };
const part = (contentType: string, content: string) => ({
  contentType,
  content: Buffer.from(content),
});

describe('in the words of a server', () => {
  test.each(FORMS.map((form) => [form.name, form] as const))('%s', (_, form) => {
    const bounce = bounceOf({
      ...NOTHING,
      headers: [
        { name: 'From', value: form.from ?? 'postmaster@mx.example.org' },
        { name: 'Subject', value: form.subject },
        ...(form.headers ?? []),
      ],
      text: form.text,
    });
    expect(
      bounce?.recipients.map(({ address, action, status, diagnostic, is_permanent }, index) => [
        address,
        action,
        status,
        diagnostic?.slice(0, form.recipients[index]?.[3]?.length) ?? null,
        is_permanent,
      ]) ?? [],
    ).toEqual(form.recipients);
    expect(bounce?.original_message_id ?? null).toBe(form.messageId);
  });
});

const KIM = '<kim@pool.example>: host mx.pool.example said: 550 5.1.1 User unknown';
const SUPPORT = 'お問い合わせください <support@pool.example>';

test.each([
  ['a help desk above', ['please contact our help desk: <help@pool.example>', '', KIM]],
  ['a sentence that leads to it', ['If you have questions, or call the service desk:', KIM]],
  ['a help desk in another language', [SUPPORT, '', '-----------------------------', KIM]],
])('a line with an address and a code names the recipient: %s', (_, lines) => {
  const headers = [{ name: 'Subject', value: 'Undelivered Mail Returned to Sender' }];
  const from = { name: 'From', value: 'mailer-daemon@pool.example' };
  const text = ['It could not be delivered.', '', ...lines].join('\n');
  const found = bounceOf({ ...NOTHING, headers: [...headers, from], text })?.recipients;
  expect(found?.map(({ address, status }) => [address, status])).toEqual([
    ['kim@pool.example', '5.1.1'],
  ]);
});

test('the sender is a recipient where nobody else is, and a code is below', () => {
  const headers = [
    { name: 'From', value: 'MAILER-DAEMON@example.net' },
    { name: 'To', value: 'bob@example.net' },
    { name: 'Subject', value: 'failure notice' },
  ];
  const text =
    "I wasn't able to deliver your message.\n\n<bob@example.net>:\nRemote host said: 552 disk quota exceeded\n";
  expect(bounceOf({ ...NOTHING, headers, text })?.recipients).toMatchObject([
    { address: 'bob@example.net', is_permanent: true },
  ]);
});

const FAILURE = [
  { name: 'Subject', value: 'Returned mail' },
  { name: 'From', value: 'postmaster@x.example' },
];
const ORIGINAL_HEAD =
  'From: shop@example.com\nTo: Bob <bob@example.net>\nMessage-ID: <1@example.com>\n';
const dsn = (status: string, original = part('text/rfc822-headers', ORIGINAL_HEAD)): MailParts => ({
  ...NOTHING,
  headers: [{ name: 'Content-Type', value: 'multipart/report; report-type=delivery-status' }],
  text: 'Delivery to <eve@example.org> failed: 550 5.9.9 words for people',
  attachments: [part('message/delivery-status', status), original],
});
const MTA = 'Reporting-MTA: dns; mx.example.net\nArrival-Date: Fri, 20 Nov 2026 09:30:00 +0000\n\n';

describe('with a part for programs', () => {
  test('RFC 3464: each recipient, and the email that is returned', () => {
    const bounce = bounceOf(
      dsn(
        `${MTA}Original-Recipient: rfc822;list+2Bvip@example.net\nFinal-Recipient: RFC822;\n bob@example.net\n` +
          'Action: failed\nStatus: 5.1.1 (bad mailbox)\nDiagnostic-Code: smtp; 550 5.1.1\n  No such user\n\n' +
          'Final-Recipient: rfc822; eve@example.net\nAction: delayed\nStatus: 4.4.1\n' +
          'Will-Retry-Until: Tue, 24 Nov 2026 09:30:00 +0000\n',
      ),
    );
    expect(bounce).toEqual({
      recipients: [
        {
          address: 'bob@example.net',
          action: 'failed',
          status: '5.1.1',
          diagnostic: '550 5.1.1 No such user',
          is_permanent: true,
        },
        {
          address: 'eve@example.net',
          action: 'delayed',
          status: '4.4.1',
          diagnostic: null,
          is_permanent: false,
        },
      ],
      recipients_left_out: 0,
      original_message_id: '<1@example.com>',
      original_recipient: 'list+vip@example.net',
    });
  });

  test('RFC 6533: addresses in Unicode', () => {
    const status =
      `${MTA}Original-Recipient: utf-8;\\x{FC}nal@example.net\n` +
      'Final-Recipient: utf-8; ünal@example.net\nAction: failed\nStatus: 5.6.7\n';
    const bounce = bounceOf({
      ...NOTHING,
      attachments: [
        part('message/global-delivery-status', status),
        part('message/global', 'Message-ID: <2@example.com>\n\ntext'),
      ],
    });
    expect(bounce?.recipients[0]?.address).toBe('ünal@example.net');
    expect(bounce?.original_recipient).toBe('ünal@example.net');
    expect(bounce?.original_message_id).toBe('<2@example.com>');
  });

  test.each([
    [
      'given up for a temporary reason',
      'Action: failed\nStatus: 4.4.7\n',
      'failed',
      '4.4.7',
      false,
    ],
    ['delivered', 'Action: delivered\nStatus: 2.1.5\n', 'delivered', '2.1.5', false],
    [
      'handed on',
      'Action: relayed (to mx.example.org)\nStatus: 2.0.0\n',
      'relayed',
      '2.0.0',
      false,
    ],
    ['without an action', 'Status: 5.2.1\n', 'failed', '5.2.1', true],
    [
      'with a status that says nothing',
      'Action: failed\nStatus: 5.0.0\nDiagnostic-Code: smtp; 550 5.7.26 no\n',
      'failed',
      '5.7.26',
      true,
    ],
    ['with an IP address for a status', 'Action: failed\nStatus: 5.1.2.3\n', 'failed', null, false],
  ])('%s', (_, fields, action, status, isPermanent) => {
    const bounce = bounceOf(dsn(`${MTA}Final-Recipient: rfc822; bob@example.net\n${fields}`));
    expect(bounce?.recipients).toEqual([
      expect.objectContaining({ action, status, is_permanent: isPermanent }),
    ]);
  });

  test('the fields of the email and of its recipient in one group', () => {
    const bounce = bounceOf(
      dsn(`${MTA.trimEnd()}\nFinal-Recipient: rfc822; bob@example.net\nAction: failed\n`),
    );
    expect(bounce?.recipients.map(({ address }) => address)).toEqual(['bob@example.net']);
  });

  test('the words for people count when the part says nothing', () => {
    expect(bounceOf(dsn(MTA))?.recipients[0]).toMatchObject({
      address: 'eve@example.org',
      status: '5.9.9',
    });
  });

  test('the reason may be in the text alone', () => {
    const mail = dsn(
      `${MTA}Final-Recipient: rfc822;bob@example.net\nAction: failed\nStatus: 5.0.0\n`,
    );
    const text = '<Bob@example.net>: 550 5.7.1 Message rejected\n';
    expect(bounceOf({ ...mail, text })?.recipients).toEqual([
      {
        address: 'bob@example.net',
        action: 'failed',
        status: '5.7.1',
        diagnostic: '550 5.7.1 Message rejected',
        is_permanent: true,
      },
    ]);
  });

  test('the first 100 recipients, and how many there are beyond', () => {
    const recipients = Array.from(
      { length: 250 },
      (_, i) => `Final-Recipient: rfc822; u${i}@example.net\nAction: failed\n`,
    );
    const bounce = bounceOf(dsn(MTA + recipients.join('\n')));
    expect([bounce?.recipients.length, bounce?.recipients_left_out]).toEqual([100, 150]);
  });
});

const fromHeader = (value: string) => [{ name: 'From', value }];

describe('no bounce', () => {
  test.each<[string, MailParts]>([
    [
      'a person who quotes one',
      {
        ...NOTHING,
        mailFrom: 'ann@example.org',
        headers: [...fromHeader('ann@example.org'), { name: 'Subject', value: 'Re: your mail' }],
        text: 'I got this:\n<bob@example.net>:\n550 5.1.1 no such user\n',
      },
    ],
    [
      'an answer of a program to the null sender’s email',
      {
        ...NOTHING,
        headers: [...fromHeader('ann@example.org'), { name: 'Subject', value: 'Out of office' }],
        text: 'I am away. Ask bob@example.net.\n',
      },
    ],
    [
      'a receipt (RFC 8098)',
      {
        ...NOTHING,
        headers: [
          { name: 'Content-Type', value: 'multipart/report; report-type=disposition-notification' },
        ],
        text: 'Your message was displayed.',
        attachments: [
          part('message/disposition-notification', 'Final-Recipient: rfc822;bob@example.net\n'),
        ],
      },
    ],
    [
      'a notice of the mail server that names nobody',
      {
        ...NOTHING,
        headers: [
          ...fromHeader('mailer-daemon@example.org'),
          { name: 'Subject', value: 'Maintenance tonight' },
        ],
        text: 'The server restarts at 22:00. Questions: helpdesk.\n',
      },
    ],
  ])('%s', (_, mail) => expect(bounceOf(mail)).toBeNull());
});

describe('whatever the text', () => {
  const mails = [
    ...FORMS.map(({ text }) => text),
    `${MTA}Final-Recipient: rfc822; bob@example.net\nAction: failed\n`,
  ];

  test('there is an answer', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...mails),
        fc.array(
          fc.record({ at: fc.nat(), length: fc.nat(20), put: fc.string({ maxLength: 8 }) }),
          { maxLength: 6 },
        ),
        fc.boolean(),
        (text, changes, isPart) => {
          let mutant = text;
          for (const { at, length, put } of changes) {
            const from = at % mutant.length;
            mutant = mutant.slice(0, from) + put + mutant.slice(from + length);
          }
          const bounce = bounceOf(
            isPart ? dsn(mutant) : { ...NOTHING, headers: FAILURE, text: mutant },
          );
          for (const { address, status, diagnostic } of bounce?.recipients ?? []) {
            expect(address).toMatch(/^[^\s<>]+@[^\s<>]+$/);
            expect(status ?? '5.0.0').toMatch(/^[245]\.\d{1,3}\.\d{1,3}$/);
            expect(diagnostic).not.toBe('');
          }
        },
      ),
      runs(500),
    );
  });

  test.each([
    ['addresses', 'bob@example.net '.repeat(130_000)],
    ['lines of addresses', '<bob@example.net>: 550 no\n\n'.repeat(80_000)],
    ['signs of addresses', '@'.repeat(2_000_000)],
    ['letters', `${'a'.repeat(900)} `.repeat(2_200)],
    ['rules', `${'- '.repeat(450)}x\n`.repeat(2_200)],
    ['codes', '5.5.5.5 550 '.repeat(170_000)],
    ['empty lines', '\n'.repeat(2_000_000)],
    ['fields', 'Action: failed\nStatus: 5\n\n'.repeat(80_000)],
    ['folds', `Final-Recipient: rfc822;${'\n bob@example.net'.repeat(120_000)}`],
  ])('2 MiB of %s are read in linear time', (_, text) => {
    const read = (size: number) => {
      const beginning = text.slice(0, size);
      bounceOf({ ...NOTHING, headers: FAILURE, text: `Delivery failed\n${beginning}` });
      bounceOf(dsn(beginning));
    };
    expect(growth(text.length, read)).toBeLessThan(LINEAR);
  });
});

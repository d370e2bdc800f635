/** Whether a program, a mail server or a mailing list sent an email (RFC 3834). */
import { describe, expect, test } from 'vitest';

import { mailKind } from '../../../services/core/mail/mail-kind.ts';

const kindOf = (mailFrom: string, ...lines: string[]) =>
  mailKind({
    mailFrom,
    headers: lines.map((line) => ({
      name: line.slice(0, line.indexOf(':')),
      value: line.slice(line.indexOf(':') + 1),
    })),
  });
const PERSON = { auto_submitted: false, is_bounce: false, is_list: false };
const AUTOMATIC = { ...PERSON, auto_submitted: true };

describe('an email of a person', () => {
  test.each([
    ['without any sign', []],
    ['that says so', ['Auto-Submitted: no']],
    ['that says so with a comment', ['Auto-Submitted: no; comment']],
    ['that asks for no receipts', ['X-Auto-Response-Suppress: DR, RN, NRN']],
    ['about bulk goods', ['Subject: bulk list junk auto-reply', 'Precedence: normal']],
    ['with a part of a report', ['Content-Type: multipart/mixed; boundary="multipart/report"']],
  ])('%s', (_, lines) => {
    expect(kindOf('ann@x.example', ...lines)).toEqual(PERSON);
  });
});

describe('sent by a program', () => {
  test.each([
    ['RFC 3834: a reply', 'a@x.example', 'Auto-Submitted: auto-replied (vacation)'],
    ['RFC 3834: a notice', 'a@x.example', 'auto-submitted: AUTO-GENERATED'],
    ['Outlook', 'a@x.example', 'X-Auto-Response-Suppress: DR, OOF, AutoReply'],
    ['Outlook, all', 'a@x.example', 'X-Auto-Response-Suppress: All'],
    ['old programs', 'a@x.example', 'Precedence: auto_reply'],
    ['mail to many', 'a@x.example', 'Precedence: bulk'],
    ['cPanel', 'a@x.example', 'X-Autorespond: yes'],
    ['iCloud', 'a@x.example', 'X-Apple-Action: VACATION'],
    ['Amazon WorkMail', 'a@x.example', 'X-Amazon-Auto-Reply: true'],
    ['Tobit', 'a@x.example', 'X-POST-MessageClass: 9; Autoresponder'],
    ['FirstClass', 'a@x.example', 'X-FC-MachineGenerated: true'],
    ['Frappe', 'a@x.example', 'X-Auto-Generated: true'],
    ['the null sender', '', 'From: a@x.example'],
    ['a no-reply sender', 'no-reply@x.example', 'From: a@x.example'],
    ['a complaint', '', 'Content-Type: multipart/report; report-type=feedback-report; boundary=b'],
    [
      'a receipt',
      'a@x.example',
      'Content-Type: multipart/report; report-type=disposition-notification; boundary=b',
    ],
  ])('%s', (_, mailFrom, line) => {
    expect(kindOf(mailFrom, line)).toMatchObject({ auto_submitted: true, is_bounce: false });
  });
});

describe('a bounce', () => {
  test.each([
    ['RFC 3464', '', 'Content-Type: multipart/report; boundary=b; report-type="delivery-status"'],
    [
      'RFC 3464, sent with a sender',
      'a@x.example',
      'Content-Type: multipart/report; report-type=delivery-status',
    ],
    ['of a daemon without RFC 3464', '', 'From: Mail Delivery System <MAILER-DAEMON@mx.example>'],
    ['of a daemon without a domain', '', 'From: Mail Delivery Subsystem <MAILER-DAEMON>'],
    ['a report without a type', '', 'Content-Type: multipart/report; boundary=b'],
    ['of a postmaster', '', 'From: postmaster@mx.example'],
    ['of Exim', '', 'X-Failed-Recipients: b@x.example'],
  ])('%s', (_, mailFrom, line) => {
    expect(kindOf(mailFrom, line)).toEqual({ ...AUTOMATIC, is_bounce: true });
  });

  /** Header fields of real bounces that are not reports. */
  test.each([
    ['DragonFly Mail Agent', '', 'MAILER-DAEMON <>', 'Mail delivery failed'],
    ['qmail behind a mailing list', 'ann@x.example', 'MAILER-DAEMON@x.example', 'failure notice'],
    ['McAfee', 'MAILER-DAEMON@x.example', '<MAILER-DAEMON@x.example>', 'Delivery Status'],
    [
      'OpenMail',
      '',
      '"Mail Deliver System" <MAILER-DAEMON@x.example>',
      'Returned Mail: User unknown',
    ],
    ['Exchange 5.5', 'postmaster@x.example', 'postmaster@x.example', 'Undeliverable: Hello'],
    ['m-FILTER', 'postmaster@x.example', 'POSTMASTER <postmaster@x.example>', 'failure notice'],
    [
      'InterScan',
      'postmaster@x.example',
      '"InterScan MSS" <postmaster@x.example>',
      'メッセージを配信できません。',
    ],
    [
      'EZweb',
      'postmaster@x.example',
      '<Postmaster@x.example>',
      'Mail System Error - Returned Mail',
    ],
    ['Verizon', '', 'post_master@x.example', 'Re:Test message'],
    [
      'a server with an author of its own',
      '',
      'Mail Delivery Service <mds@x.example>',
      'Undelivered Mail Returned to Sender',
    ],
  ])('of %s', (_, mailFrom, from, subject) => {
    expect(kindOf(mailFrom, `From: ${from}`, `Subject: ${subject}`)).toEqual({
      ...AUTOMATIC,
      is_bounce: true,
    });
  });

  test.each([
    [
      'a vacation reply about a bounce',
      '',
      'Ann <ann@x.example>',
      'Automatic reply: Undeliverable: Hello',
    ],
    ['a question about a delivery', 'ann@x.example', 'ann@x.example', 'Delivery failed?'],
  ])('%s is not a bounce', (_, mailFrom, from, subject) => {
    expect(kindOf(mailFrom, `From: ${from}`, `Subject: ${subject}`).is_bounce).toBe(false);
  });

  test('a receipt from a postmaster is not a bounce', () => {
    const type = 'Content-Type: multipart/report; report-type=disposition-notification; boundary=b';
    expect(kindOf('', 'From: postmaster@x.example', type)).toEqual(AUTOMATIC);
  });

  test('an email that a postmaster wrote is not a bounce', () => {
    expect(kindOf('postmaster@x.example', 'From: postmaster@x.example')).toEqual(PERSON);
  });
});

test.each([
  [
    'of Exchange',
    '',
    [
      'From: Microsoft Outlook <MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@x.example>',
      'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
      'X-Auto-Response-Suppress: All',
    ],
    { ...AUTOMATIC, is_bounce: true },
  ],
  [
    'of Postfix',
    '',
    [
      'From: MAILER-DAEMON@x.example (Mail Delivery System)',
      'Auto-Submitted: auto-replied',
      'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
    ],
    { ...AUTOMATIC, is_bounce: true },
  ],
  [
    'of Gmail',
    '',
    [
      'From: Mail Delivery Subsystem <mailer-daemon@googlemail.com>',
      'X-Failed-Recipients: a@x.example',
      'Auto-Submitted: auto-replied',
    ],
    { ...AUTOMATIC, is_bounce: true },
  ],
  [
    'a vacation reply of Gmail, not on a list',
    'a@x.example',
    ['Precedence: bulk', 'X-Autoreply: yes', 'Auto-Submitted: auto-replied'],
    AUTOMATIC,
  ],
  ['a newsletter', 'news@x.example', ['Precedence: bulk'], { ...AUTOMATIC, is_list: true }],
])('as real programs send it: %s', (_, mailFrom, lines, kind) => {
  expect(kindOf(mailFrom, ...lines)).toEqual(kind);
});

test.each([
  'List-Id: <list.x.example>',
  'List-Unsubscribe: <mailto:x@x.example>',
  'Mailing-List: contact x@x.example',
  'Precedence: list',
])('through a mailing list, possibly from a person: %s', (line) => {
  expect(kindOf('bounces@x.example', line)).toEqual({ ...PERSON, is_list: true });
});

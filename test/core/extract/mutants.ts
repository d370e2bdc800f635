/** Random changes of emails from which there is something to extract, and texts of one piece. */
import { gzipSync } from 'node:zlib';

import { fc } from '../../support/random.ts';
import { FORMS } from '../../fixtures/emails/bounce-forms.ts';
import { labelledEmails } from './labelled-emails.ts';

const partsOf = (subject: string, parts: readonly [type: string, content: string][]): string =>
  [
    `Subject: ${subject}`,
    'List-Unsubscribe: <https://a.example/u>, <mailto:u@a.example>',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    ...parts.flatMap(([type, content]) => ['', '--b', `Content-Type: ${type}`, '', content]),
    '--b--',
    '',
  ].join('\r\n');

const WITH_CODES = labelledEmails().map(({ subject, text, html }) =>
  partsOf(subject, [
    ...(text === null ? [] : [['text/plain; charset=utf-8', text] as [string, string]]),
    ...(html === null ? [] : [['text/html; charset=utf-8', html] as [string, string]]),
  ]),
);
const BOUNCES = FORMS.map(({ subject, text }) => partsOf(subject, [['text/plain', text]]));

const INVITATION = `BEGIN:VCALENDAR
METHOD:REQUEST
BEGIN:VEVENT
UID:4711@a.example
ORGANIZER;CN=Ann:mailto:ann@a.example
ATTENDEE;PARTSTAT=ACCEPTED:mailto:bob@b.example
DTSTART;TZID=Europe/Berlin:20261120T093000
DURATION:PT1H
RRULE:FREQ=WEEKLY;COUNT=5
SUMMARY:Planning
END:VEVENT
END:VCALENDAR
`;
const REPORT = `<feedback><report_metadata><org_name>A</org_name></report_metadata>
<policy_published><domain>a.example</domain></policy_published>
<record><row><source_ip>192.0.2.1</source_ip><count>3</count></row></record></feedback>
`;
const TLS_REPORT = JSON.stringify({
  'organization-name': 'A',
  'report-id': '1',
  policies: [{ policy: { 'policy-type': 'sts' }, summary: { 'total-failure-session-count': 1 } }],
});
const STATUS = `Reporting-MTA: dns; mx.a.example

Final-Recipient: rfc822; bob@b.example
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 unknown
`;
const base64 = (content: Uint8Array): string =>
  `application/gzip; name="a!a.example!1!2.xml.gz"\r\nContent-Transfer-Encoding: base64\r\n\r\n` +
  Buffer.from(content).toString('base64');
const FOR_PROGRAMS = [
  partsOf('Invitation', [['text/calendar; method=REQUEST', INVITATION]]),
  partsOf('Report', [['text/xml; name="a!a.example!1!2.xml"', REPORT]]),
  partsOf('Report', [['application/tlsrpt+json', TLS_REPORT]]),
  partsOf('Report', [[base64(gzipSync(REPORT)), '']]),
  partsOf('Returned mail', [
    ['text/plain', 'It failed.'],
    ['message/delivery-status', STATUS],
    ['text/rfc822-headers', 'Message-ID: <1@a.example>\nTo: bob@b.example\n'],
  ]),
];

const mutation = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.nat(200),
  insert: fc.constantFrom(
    '',
    '<',
    '>',
    '"',
    '&',
    '<div style="display:none;',
    '<td>',
    '</td>',
    '<style>',
    '{',
    '}',
    '/*',
    'https://',
    '[',
    '](',
    '`',
    '\u200b',
    '\u{e0041}',
    '123456',
    'code: ',
    '\r\n',
    '<!--',
    '(',
    ')',
    'BEGIN:VEVENT\r\n',
    '<record>',
    'a@b.example: 550 5.1.1\r\n',
  ),
  times: fc.constantFrom(1, 1, 1, 50, 3_000),
});

/** Raw emails. */
export const mutant = fc
  .tuple(
    fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom(...WITH_CODES) },
      { weight: 1, arbitrary: fc.constantFrom(...BOUNCES, ...FOR_PROGRAMS) },
    ),
    fc.array(mutation, { maxLength: 8 }),
  )
  .map(([email, mutations]) =>
    mutations.reduce((text, { at, length, insert, times }) => {
      const start = Math.floor(at * text.length);
      return `${text.slice(0, start)}${insert.repeat(times)}${text.slice(start + length)}`;
    }, email),
  );

/** 256 Ki characters each. */
export const EXTREMES: Readonly<Record<string, string>> = {
  'open tags': '<b>'.repeat(90_000),
  'open brackets': '<'.repeat(262_144),
  'closing brackets of URLs': `http://a${')'.repeat(262_000)}`,
  URLs: 'http://'.repeat(37_000),
  entities: '&amp;'.repeat(52_000),
  'style rules': `<style>${'a{'.repeat(100_000)}`,
  comments: `<style>${'/*'.repeat(100_000)}`,
  candidates: 'code: 123456 '.repeat(20_000),
  lines: 'code\n123456\n'.repeat(20_000),
  'one number': '1'.repeat(262_144),
  'one word': 'a'.repeat(262_144),
  'mail signs': 'a@'.repeat(131_000),
  backticks: `<pre>${'`'.repeat(250_000)}`,
  quotations: '<blockquote>a'.repeat(20_000),
  'tag characters': '\u{e0041}'.repeat(131_000),
};

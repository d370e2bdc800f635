/** Every reader of what a stranger sends, with the tokens of what it reads. */
import { embeddedXml } from '../../services/adapters/pdf/embedded-files.ts';
import { parseMail } from '../../services/adapters/mime/parse.ts';
import { unpackText } from '../../services/adapters/mime/unpack.ts';
import { isListed, senderList } from '../../services/core/expression/sender-list.ts';
import { variablesOf } from '../../services/core/expression/variables.ts';
import { extract } from '../../services/core/extract/extract.ts';
import { extractParts } from '../../services/core/extract/extract-parts.ts';
import { visibleWords } from '../../services/core/html/visible-words.ts';
import { TEXT_WORDS_MAX } from '../../services/core/mail/text-words.ts';
import type { Extraction } from '../../services/core/extract/extraction.ts';
import { EXTRACTIONS } from '../../services/core/extract/extraction-names.ts';
import { authorOf } from '../../services/core/mail/author.ts';
import { normaliseAddress } from '../../services/core/mail/fields/email-address.ts';
import { mailKind } from '../../services/core/mail/mail-kind.ts';
import { replyText } from '../../services/core/mail/quotation/reply-text.ts';
import { signedHead } from '../../services/core/mail/signed-head.ts';
import { threadId } from '../../services/core/mail/thread.ts';
import { shownText } from '../../services/core/mcp/fence.ts';
import { EXAMPLE_PAYLOAD } from '../../services/core/webhook/example.ts';
import { attemptBody, bodyBytes } from '../../services/core/webhook/formats/attempt-body.ts';
import { storedMail } from '../formats/varied-emails.ts';

/** `example`: what it reads for certain: `read` returns a result that is not null, so no test reads nothing. */
export type Reader = {
  tokens: readonly string[];
  read: (text: string) => unknown;
  example?: string;
};

const now = new Date('2026-11-30T08:00:00Z');

const words = (text: string): string[] => text.split(/ +/);
const SPACES = [' ', '\n', '\r\n', '\t', '\u00a0', '\u200b'];
const LETTERS = ['a', 'B', '7', '#', 'ü', '字', '\u{e0041}', '\0'];

const headers = (name: string, value: string) => ({ subject: null, all: [{ name, value }] });
const FILES = {
  unpack: unpackText,
  parse: (raw: Uint8Array) => parseMail(Buffer.from(raw)),
  embedded: embeddedXml,
};
const ask = (...names: Extraction[]) => new Set(names);
const attached = (contentType: string, filename: string | null, text: string) => ({
  mailFrom: '',
  headers: {
    from: null,
    to: null,
    cc: null,
    subject: null,
    all: [{ name: 'Subject', value: 'Undeliverable' }],
  },
  text: null,
  attachments: [{ filename, contentType, method: null, content: Buffer.from(text) }],
});
function extracted(name: Extraction, mail: object): unknown {
  const read = { ...attached('text/x', null, ''), ...mail };
  const fields: Record<string, unknown> = extractParts(ask(name), read, FILES).fields;
  return fields[name];
}
const ofPart = (name: Extraction, contentType: string, wrap: (text: string) => string) => {
  return (text: string) => extracted(name, attached(contentType, null, wrap(text)));
};
/** A forwarded email is nothing that a server sent. */
const FORWARDING = {
  mailFrom: 'a@b.example',
  headers: {
    from: 'a@b.example',
    to: null,
    cc: null,
    subject: 'Fwd: a',
    all: [{ name: 'Subject', value: 'Fwd: a' }],
  },
};
const ofField = (name: string) => (text: string) =>
  parseMail(Buffer.from(`${name}: ${text}\r\n\r\nbody`));

const CSS = [
  ...words(
    '{ } : ; , ( ) /* */ <!-- --> @media . # #x a x .k div color display:none font: background: ' +
      'red 14px/2px url( rgb(1,2,3) !important \\ " [a=b] > ~ * p#:1 p#: :hover',
  ),
  ...SPACES,
];
const HTML = [
  ...words(
    '< > </ /> & &amp; &#x41; &lt <!-- --> <b> </b> <a>  <br> <div> </div> <style> </style> <td> <p ' +
      '<table> <pre> </pre> ` * _ [ ] <blockquote> <li> <ol> </ol> <h1> <img <i> <span',
  ),
  '<a href="https://a.example/#">',
  '<div style="display:none;font:1px a">',
  '<p class="a b c d e f g h">',
  ' alt="x"',
  'https://a.example/#',
  'http://',
  'www.',
  'a@b.example',
  'code 482913 ',
  ...SPACES,
  ...LETTERS,
];
const TEXT = [
  ...words(
    'https:// http://a www. code OTP 1234 482913 48-29-13 XXXX ABCDEF a@b x@ @ . , : ; ! ? ( ) [ ] ' +
      '- -- ----- _____ * ** # % $ € = / \\ ` ~ < > " \' ’ ： 验证码 код',
  ),
  ...SPACES,
  ...LETTERS,
];
const REPLY = [
  '-----',
  '-',
  '> ',
  'On 3 May 2026, at 10:11, Ann <a@b.example> wrote:',
  'From: ',
  'Date: ',
  'Subject: ',
  'Von: ',
  '<a@b.example>',
  '10:30',
  '____',
  '-- ',
  'Original Message',
  ...TEXT,
];
const BOUNCE = [
  '<a@b.example>',
  'a@b.example',
  '550 5.1.1 ',
  'on 10:30',
  'ON 0:00',
  '0:00',
  'delivery to ',
  'failed',
  'rcpt to:',
  'message to ',
  'the following a',
  'Final-Recipient: rfc822; ',
  'Action: failed',
  'Status: 5.0.0',
  'Reporting-MTA: dns; a',
  'Message-ID: <a@b>',
  '\u2028',
  ...TEXT,
];
const CALENDAR = [
  ...words(
    'BEGIN:VEVENT END:VEVENT BEGIN:VTIMEZONE END:VTIMEZONE BEGIN:STANDARD END:STANDARD BEGIN: ' +
      'ATTENDEE ORGANIZER SUMMARY: DTSTART:20260101T100000 DTSTART;TZID= TZID: RRULE:FREQ=YEARLY ' +
      'RDATE: RDATE EXDATE: ;CN= ;X= BYMONTH=10 BYDAY=-1SU DURATION:PT1H ' +
      ', ; : = " \\ \\n \\, ^n / : TZOFFSETFROM:+0100',
  ),
  '20260101T100000,',
  '\r\n ',
  ...SPACES,
  ...LETTERS,
];
const XML = [
  ...words(
    '< > </ /> <record> </record> <row> </row> <a <a> </a> & &lt; &#65; <!-- --> <![CDATA[ ]]> <!DOCTYPE ' +
      '<!ENTITY [ ] % " = feedback x: <?xml ?> a="b"',
  ),
  ...SPACES,
  ...LETTERS,
];
const JSON_TEXT = [...words('{ } [ ] " : , \\ \\u0041 "a": 1e9 null true'), ...SPACES, ...LETTERS];
const ADDRESSES = [
  ...words(
    '< > ( ) " \\ , ; : @ . <a@b.example> "A" a@b =?utf-8?q?a?= =?utf-8?b? ?= [ ] \\" group:',
  ),
  ...SPACES,
  ...LETTERS,
];
const PARAMETERS = [
  ...words(
    'text/html multipart/mixed message/rfc822 ; = " \\ ( ) charset= boundary= boundary*#= name*#*= ' +
      "name*0=a name= utf-8''a %41 =?utf-8?q?a?= '",
  ),
  ...SPACES,
  ...LETTERS,
];
const DATES = [
  ...words('Fri, 20 Nov 2026 10:11:12 0:00 +0300 -0000 GMT (a) ( ) Z a.b / _ - : .'),
  ...SPACES,
  ...LETTERS,
];
const WORDS = [
  ...words('=? ?= utf-8 ?q? ?b? =41 _ YWI= =?utf-8?q?a?= =?x?b?YQ==?= ?'),
  ...SPACES,
  ...LETTERS,
];
const MIME = [
  ...words('--b --b-- -- - : ; ='),
  'Content-Type: text/plain',
  'Content-Type: multipart/mixed; boundary=b',
  'Content-Transfer-Encoding: base64',
  'Content-Transfer-Encoding: quoted-printable',
  'begin 644 a',
  '=\r\n',
  '=3D',
  'YWJj',
  'M',
  '\r\n\r\n',
  ...SPACES,
  ...LETTERS,
];
const TNEF = [
  '\0',
  '\u0001',
  '\u0002',
  '\u0003',
  '\u0010',
  '\u001e',
  '\u001f',
  '\u0090',
  '\u00ff',
  'a',
  '<html>',
  '7',
];
const ZIP = [
  'PK\u0001\u0002',
  'PK\u0005\u0006',
  'PK\u0003\u0004',
  '\0',
  '\u0001',
  '\u00ff',
  'a.xml',
  '\u001f\u008b\u0008',
];

const BER = [
  '\u0030\u0080',
  '\u0024\u0080',
  '\u0031\u0080',
  '\u00a0\u0080',
  '\u0030\u0003',
  '\u0030\u0082\u0001\0',
  '\u0004\u0001a',
  '\u0004\0',
  '\u0006\u0003U\u001d\u000e',
  '\u0002\u0001\u0001',
  '\0\0',
  '\u00ff',
  'a',
];
/** Up to the content of a signed message, its certificates, or its signers. */
const SIGNED =
  '\u0030\u0080\u0006\u0009\u002a\u0086\u0048\u0086\u00f7\r\u0001\u0007\u0002\u00a0\u0080\u0030\u0080' +
  '\u0002\u0001\u0001\u0031\0\u0030\u0080\u0006\u0009\u002a\u0086\u0048\u0086\u00f7\r\u0001\u0007\u0001';
const ENVELOPE =
  'Content-Type: application/pkcs7-mime\r\nContent-Transfer-Encoding: binary\r\n\r\n';
const TEXT_IN_SIGNED = `${SIGNED}\u00a0\u0080\u0004\u0013Content-Type: a\r\n\r\n\0\0\0\0`;
const opened = (start: string) => (text: string) =>
  parseMail(Buffer.from(`${ENVELOPE}${start}${text}${'\0'.repeat(20)}`, 'latin1'));

const PDF = [
  ...words(
    '1 0 2 obj endobj stream endstream trailer << >> [ ] ( ) < > /Root /Names /Kids /AF /EF',
  ),
  ...words('/Type /ObjStm /XRef /Length 9 1 /N /First /Filter /FlateDecode /F (a.xml) R 0 R %'),
  '1 0 obj\n',
  '1 0 R ',
  '<</Type/ObjStm/N 9/First 9/Length 9>>stream\n',
  '\nendstream\nendobj\n',
  ...SPACES.slice(0, 4),
  '\\',
];
const CATALOG =
  '%PDF-1.7 /EmbeddedFile trailer <</Root 1 0 R>> 1 0 obj <</Names<</EmbeddedFiles 2 0 R>>/AF 2 0 R>> endobj 2 0 obj ';

const facts = (subject: string) => ({
  ...EXAMPLE_PAYLOAD,
  headers: {
    ...EXAMPLE_PAYLOAD.headers,
    subject,
    from: subject,
    all: [
      { name: 'From', value: subject },
      { name: subject, value: subject },
    ],
  },
});
const LISTED = senderList(new Set(['partner.example', '*.partner.example']));

export const READERS: Readonly<Record<string, Reader>> = {
  'style sheet': {
    tokens: CSS,
    read: (text) =>
      extract(ask('hidden_text', 'links'), {
        headers: headers('a', ''),
        text: null,
        html: `<style>${text}</style><p class="k">a</p>`,
      }),
  },
  'style of each element': {
    tokens: CSS.filter((token) => token !== '"'),
    read: (text) =>
      extract(ask('hidden_text'), {
        headers: headers('a', ''),
        text: null,
        html: text.replaceAll(/[^]{1,300}/g, (css) => `<p class="a b c d" style="${css}">a</p>`),
      }),
  },
  HTML: {
    tokens: HTML,
    read: (html) => extract(new Set(EXTRACTIONS), { headers: headers('a', ''), text: null, html }),
  },
  'plain text': {
    tokens: TEXT,
    read: (text) =>
      extract(new Set(EXTRACTIONS), {
        headers: headers('List-Unsubscribe', text),
        text,
        html: null,
      }),
  },
  'reply text': {
    tokens: REPLY,
    read: (text) => replyText(text, [{ name: 'In-Reply-To', value: '<a@b>' }]),
  },
  'reply in HTML': {
    tokens: [...HTML, ...REPLY],
    read: (html) =>
      parseMail(Buffer.from(`Subject: Re: a\r\nContent-Type: text/html\r\n\r\n${html}`)).replyText,
    example: '<p>Yes</p>',
  },
  'formats of other services': {
    tokens: ['+', ...HTML, ...ADDRESSES],
    read: (text) => {
      const fields = `To: a@${text}\r\nCc: ${text}\r\nContent-Type: text/html\r\n`;
      const { stored } = storedMail(Buffer.from(`${fields}\r\n${text}`));
      for (const format of ['postmark', 'sendgrid', 'mailgun', 'cloudmailin'] as const)
        bodyBytes(attemptBody(stored, { format, attempt: { retryCount: 0 }, keys: [], now }));
    },
  },
  subject: {
    tokens: REPLY,
    read: (value) => replyText('a', [{ name: 'Subject', value }]),
  },
  'bounce in words': {
    tokens: BOUNCE,
    read: (text) => extracted('bounce', { text }),
    example: '<a@b.example>: 550 5.1.1 no such user',
  },
  'bounce report': {
    tokens: BOUNCE,
    read: ofPart(
      'bounce',
      'message/delivery-status',
      (text) => `Final-Recipient: rfc822; a@b.example\nAction: failed\n\n${text}`,
    ),
    example: '',
  },
  'feedback report': {
    tokens: BOUNCE,
    read: ofPart('report', 'message/feedback-report', (text) => `Feedback-Type: abuse\n${text}`),
    example: '',
  },
  calendar: {
    tokens: CALENDAR,
    read: ofPart(
      'invitation',
      'text/calendar',
      (text) => `BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n${text}\r\nEND:VEVENT\r\nEND:VCALENDAR`,
    ),
    example: 'UID:1\r\nDTSTART:20260101T100000Z\r\nSUMMARY:a',
  },
  'DMARC report': {
    tokens: XML,
    read: ofPart('report', 'text/xml', (text) => `<feedback>${text}</feedback>`),
  },
  'TLS report': {
    tokens: JSON_TEXT,
    read: ofPart(
      'report',
      'application/json',
      (text) => `{"policies":[],"report-id":"a","x":${text}}`,
    ),
  },
  'forwarded text': {
    tokens: REPLY,
    read: (text) => extracted('forwarded', { ...FORWARDING, text }),
    example:
      '---- Forwarded message ----\nFrom: Cy <c@d.example>\nDate: 1 May 2026 10:30\nTo: a@b.example\nSubject: b\n\nHi',
  },
  'forwarded file': {
    tokens: MIME,
    read: (text) =>
      extracted('forwarded', { ...attached('message/rfc822', null, text), ...FORWARDING }),
    example: 'From: <c@d.example>\nSubject: b\n\nHello',
  },
  archive: {
    tokens: ZIP,
    read: (text) => unpackText(Buffer.from(text, 'latin1'), 8 * 1024 * 1024),
  },
  author: {
    tokens: ADDRESSES,
    read: (value) => authorOf({ from: value, all: [{ name: 'From', value }] }),
  },
  address: { tokens: ADDRESSES, read: (text) => normaliseAddress(text) },
  'kind of email': {
    tokens: PARAMETERS,
    read: (value) =>
      mailKind({
        mailFrom: value,
        headers: ['Content-Type', 'From', 'Subject', 'Auto-Submitted', 'Precedence'].map(
          (name) => ({ name, value }),
        ),
      }),
  },
  thread: {
    tokens: ADDRESSES,
    read: (text) => threadId('adr_1', { message_id: text, in_reply_to: null, references: null }),
  },
  'signed head': {
    tokens: [...ADDRESSES, 'DKIM-Signature: ', 'From: ', 'l='],
    read: (text) => signedHead(Buffer.from(`From: a\r\n${text}\r\n`), 1_000),
  },
  'facts of expressions': {
    tokens: ADDRESSES,
    read: (text) => {
      const { from, headers: all, subject, sender } = variablesOf(facts(text));
      return [from, all, subject, sender];
    },
  },
  'list of senders': {
    tokens: ['a', '.', '@', 'partner.example', '字', 'A'],
    read: (text) => isListed(text, LISTED),
  },
  'searched words': {
    tokens: [...TEXT, '+', '\u0301', '\u0316', '\u200b', '\uff9e', '한국', 'ไทย'],
    read: (text) => visibleWords({ headers: headers('a', ''), text, html: null }, TEXT_WORDS_MAX),
  },
  'text for models': { tokens: TEXT, read: (text) => shownText(text) },
  'address field': { tokens: ADDRESSES, read: ofField('From') },
  date: { tokens: DATES, read: ofField('Date') },
  'content type': { tokens: PARAMETERS, read: ofField('Content-Type') },
  'content id': {
    tokens: ADDRESSES,
    read: (text) =>
      parseMail(Buffer.from(`Content-Type: image/png\r\nContent-ID: a${text}b\r\n\r\nx`)),
  },
  'content disposition': { tokens: PARAMETERS, read: ofField('Content-Disposition') },
  'encoded words': { tokens: WORDS, read: ofField('Subject') },
  head: { tokens: MIME, read: (text) => parseMail(Buffer.from(text)) },
  body: {
    tokens: MIME,
    read: (text) =>
      parseMail(Buffer.from(`Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n${text}`)),
  },
  'HTML part': {
    tokens: ['<meta', ' charset', '=', '<META=', '>', '<', ' ', 'a', 'utf-8', '\u00ff'],
    read: (text) => parseMail(Buffer.from(`Content-Type: text/html\r\n\r\n${text}`, 'latin1')),
  },
  'signed content': { tokens: BER, read: opened(`${SIGNED}\u00a0\u0080\u0024\u0080`) },
  'certificates of a signature': { tokens: BER, read: opened(`${TEXT_IN_SIGNED}\u00a0\u0080`) },
  'signers of a signature': { tokens: BER, read: opened(`${TEXT_IN_SIGNED}\u0031\u0080`) },
  'PGP text': {
    tokens: ['-----BEGIN PGP ', 'MESSAGE-----', 'SIGNED ', '-----', ...SPACES, ...LETTERS],
    read: (text) => parseMail(Buffer.from(`\r\n${text}`)),
  },
  PDF: {
    tokens: PDF,
    read: (text) => embeddedXml(Buffer.from(`%PDF-1.7 /EmbeddedFile ${text}`, 'latin1')),
  },
  'files in a PDF': {
    tokens: PDF,
    read: (text) => embeddedXml(Buffer.from(CATALOG + text, 'latin1')),
  },
  'invoice of UBL': {
    tokens: XML,
    read: ofPart(
      'e_invoice',
      'text/xml',
      (text) =>
        `<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"><ID>1</ID>${text}</Invoice>`,
    ),
  },
  'invoice of CII': {
    tokens: XML,
    read: ofPart(
      'e_invoice',
      'text/xml',
      (text) => `${text}<CrossIndustryInvoice>${text}</CrossIndustryInvoice>`,
    ),
  },
  TNEF: {
    tokens: TNEF,
    read: (text) =>
      parseMail(
        Buffer.concat([
          Buffer.from('Content-Type: application/ms-tnef; name=winmail.dat\r\n\r\n'),
          Buffer.from(
            '\u0078\u009f\u003e\u0022\u0001\u0000\u0002\u0003\u0090\u0006\u0000',
            'latin1',
          ),
          Buffer.from(text, 'latin1'),
        ]),
      ),
  },
};

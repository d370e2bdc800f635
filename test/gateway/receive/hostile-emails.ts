/**
 * Emails that have the same text wherever a sender can write one: headers, names, bodies, names and
 * types of files, ids, and what Inlet extracts. In bytes, as a client sends them.
 */
const XML = `<?xml version="1.0"?>`;

/** As quoted-printable, without line ends of its own. */
const quoted = (text: string): string =>
  Array.from(
    Buffer.from(text).toString('latin1'),
    (char) => `=${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}=\r\n`,
  ).join('');
const base64 = (bytes: Buffer | string): string =>
  (
    Buffer.from(bytes)
      .toString('base64')
      .match(/.{1,76}/g) ?? []
  ).join('\r\n');

const part = (head: readonly string[], body: string): string =>
  `--b\r\n${head.join('\r\n')}\r\n\r\n${body}\r\n`;
const email = (head: readonly string[], type: string, parts: readonly string[]): Buffer =>
  Buffer.from(
    `${head.join('\r\n')}\r\nMIME-Version: 1.0\r\nContent-Type: ${type}; boundary=b\r\n\r\n` +
      `${parts.join('')}--b--\r\n`,
  );

const headWith = (bad: string, subject = 'Case'): string[] => [
  `From: "Ann ${bad}" <ann@sender.example>`,
  `To: "${bad}" <box@in.example>`,
  `Subject: ${subject} =?utf-8?B?${Buffer.from(bad).toString('base64')}?= ${bad}`,
  `Message-ID: <1${bad}@sender.example>`,
  `References: <0${bad}@sender.example>`,
  `In-Reply-To: <0${bad}@sender.example>`,
  `X-${bad}: ${bad}`,
];

const htmlWith = (bad: string): string =>
  `<p>Your code is 482913 ${bad}</p><p>a${bad}&#0;&#xd83d;</p>` +
  `<a href="https://shop.example/?q=${bad}">z${bad}</a><pre>${bad}</pre>` +
  `<p style="display:none">hidden ${bad}</p>`;

const calendarWith = (bad: string): string =>
  [
    'BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nBEGIN:VEVENT',
    `UID:7${bad}`,
    `SUMMARY:Meeting ${bad}`,
    `LOCATION:Room ${bad}`,
    `ORGANIZER;CN="Ann ${bad}":mailto:ann@sender.example`,
    'DTSTART:20260406T090000Z\r\nDTEND:20260406T100000Z\r\nEND:VEVENT\r\nEND:VCALENDAR',
  ].join('\r\n');

/** Both bodies, attachments of every kind, an invitation. */
const withEverything = (bad: string): Buffer =>
  email(headWith(bad), 'multipart/mixed', [
    part(
      ['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: quoted-printable'],
      `${quoted(`Yes ${bad}. Your code is 482913 ${bad}`)}\r\n> ${quoted(bad)}`,
    ),
    part(
      ['Content-Type: text/html; charset=utf-8', 'Content-Transfer-Encoding: base64'],
      base64(htmlWith(bad)),
    ),
    part(
      [
        `Content-Type: application/x-${bad}; name="${bad}"`,
        `Content-Disposition: attachment; filename="a${bad}.bin"`,
        `Content-ID: <id${bad}@sender.example>`,
      ],
      bad,
    ),
    part(
      ['Content-Type: text/plain; charset=utf-16le', 'Content-Transfer-Encoding: base64'],
      base64(Buffer.from(`half \ud83d ${bad}`, 'utf16le')),
    ),
    part([`Content-Type: text/calendar; method="REQUEST${bad}"`], calendarWith(bad)),
  ]);

const withBounce = (bad: string): Buffer =>
  email(headWith(bad, 'Undeliverable'), 'multipart/report; report-type=delivery-status', [
    part(['Content-Type: text/plain'], `Not delivered ${bad}`),
    part(
      ['Content-Type: message/global-delivery-status'],
      `Reporting-MTA: dns; mx${bad}\r\n\r\n` +
        `Final-Recipient: utf-8; \\x{D83D}kim\\x{00}${bad}@pool.example\r\n` +
        `Action: failed\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp; 550 5.1.1 no ${bad}`,
    ),
    part(['Content-Type: message/rfc822'], `Message-ID: <9${bad}@x.example>\r\nSubject: ${bad}`),
  ]);

const withForward = (bad: string): Buffer =>
  email(headWith(bad, 'Fwd: Case'), 'multipart/mixed', [
    part(['Content-Type: text/plain; charset=utf-8'], `FYI ${bad}`),
    part(
      ['Content-Type: message/rfc822', `Content-Disposition: attachment; filename="${bad}.eml"`],
      `${headWith(bad, 'Inner').join('\r\n')}\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${bad}`,
    ),
  ]);

const withDmarcReport = (bad: string): Buffer =>
  email(headWith(bad, 'Report domain: in.example'), 'multipart/mixed', [
    part(
      ['Content-Type: text/xml; name=report.xml', 'Content-Transfer-Encoding: base64'],
      base64(
        `${XML}<feedback><report_metadata><org_name>Org ${bad}&#0;&#xd83d;</org_name>` +
          `<report_id>${bad}</report_id><date_range><begin>1</begin><end>2</end></date_range>` +
          `</report_metadata><policy_published><domain>in.example</domain></policy_published>` +
          `<record><row><source_ip>192.0.2.1</source_ip><count>1</count></row><identifiers>` +
          `<header_from>${bad}</header_from></identifiers></record></feedback>`,
      ),
    ),
  ]);

const withTlsReport = (bad: string): Buffer =>
  email(headWith(bad, 'Report domain: in.example'), 'multipart/report; report-type=tlsrpt', [
    part(
      ['Content-Type: application/tlsrpt+json', 'Content-Transfer-Encoding: base64'],
      base64(
        `{"organization-name":"Org \\ud83d\\u0000","report-id":${JSON.stringify(`7${bad}`)},` +
          '"date-range":{"start-datetime":"2026-04-01T00:00:00Z","end-datetime":"2026-04-02T00:00:00Z"},' +
          '"policies":[{"policy":{"policy-type":"sts","policy-domain":"in.example"},' +
          '"summary":{"total-successful-session-count":1,"total-failure-session-count":0}}]}',
      ),
    ),
  ]);

const withInvoice = (bad: string): Buffer =>
  email(headWith(bad), 'multipart/mixed', [
    part(
      ['Content-Type: application/xml; name=invoice.xml'],
      `${XML}<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2" ` +
        'xmlns:c="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2" ' +
        'xmlns:a="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2">' +
        `<c:ID>7${bad}</c:ID><c:IssueDate>2026-04-06</c:IssueDate><a:AccountingSupplierParty>` +
        `<a:Party><a:PartyName><c:Name>Seller ${bad}&#0;</c:Name></a:PartyName></a:Party>` +
        '</a:AccountingSupplierParty></Invoice>',
    ),
  ]);

/** Parts that are no parts: the whole is shown as text. */
const withoutParts = (bad: string): Buffer =>
  Buffer.from(
    `${headWith(bad).join('\r\n')}\r\nContent-Type: multipart/mixed\r\n\r\n${bad}\r\n` +
      `-------- Forwarded Message --------\r\nFrom: Kim ${bad} <kim@pool.example>\r\n` +
      `Subject: Old ${bad}\r\nDate: Mon, 6 Apr 2026 09:00:00 +0000\r\nTo: ann@sender.example\r\n\r\n${bad}`,
  );

export const HOSTILE_EMAILS: Readonly<Record<string, (bad: string) => Buffer>> = {
  'with everything': withEverything,
  'a bounce': withBounce,
  'a forward': withForward,
  'a DMARC report': withDmarcReport,
  'a TLS report': withTlsReport,
  'an invoice': withInvoice,
  'without parts': withoutParts,
};

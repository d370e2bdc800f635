/** Reports to the owners of domains: what the RFCs show, what others write, and what is damaged. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';

import { unpackText } from '../../../services/adapters/mime/unpack.ts';
import { reportOf } from '../../../services/core/extract/report/read-report.ts';
import { growth, LINEAR } from '../../support/growth.ts';
import { fc, runs } from '../../support/random.ts';
import { zipOf } from './zip-archive.ts';

type Attached = { filename: string | null; contentType: string; content: Uint8Array };
const file = (
  content: string | Uint8Array,
  filename: string | null,
  contentType: string,
): Attached => ({
  filename,
  contentType,
  content: Buffer.from(content as Uint8Array),
});
const NAME = 'mail.example!example.com!1795046400!1795132799';
const xml = (content: string | Uint8Array) => file(content, `${NAME}.xml`, 'text/xml');
const gzip = (content: string | Uint8Array) =>
  file(gzipSync(Buffer.from(content as Uint8Array)), `${NAME}.xml.gz`, 'application/gzip');
const zip = (content: string | Uint8Array, name = `${NAME}.xml`) =>
  file(zipOf(name, Buffer.from(content as Uint8Array)), `${NAME}.zip`, 'application/zip');
const read = (...files: Attached[]) => reportOf({ headers: [], attachments: files }, unpackText);
const UNREADABLE = { report: null, isUnreadable: true };
const NONE = { report: null, isUnreadable: false };

const record = (source: string, count: number) => `
  <record>
    <row>
      <source_ip>${source}</source_ip>
      <count>${count}</count>
      <policy_evaluated>
        <disposition>none</disposition>
        <dkim>pass</dkim>
        <spf>fail</spf>
        <reason><type>forwarded</type><comment>known &amp; trusted</comment></reason>
      </policy_evaluated>
    </row>
    <identifiers>
      <header_from>example.com</header_from>
      <envelope_from>bounces.example.com</envelope_from>
    </identifiers>
    <auth_results>
      <dkim><domain>example.com</domain><selector>s1</selector><result>pass</result></dkim>
      <dkim><domain>esp.example</domain><result>fail</result></dkim>
      <spf><domain>bounces.example.com</domain><scope>mfrom</scope><result>fail</result></spf>
    </auth_results>
  </record>`;
const aggregate = (records: string, root = '<feedback>', policy = '<pct>100</pct><fo>1</fo>') =>
  `<?xml version="1.0" encoding="UTF-8"?>
${root}
  <version>1.0</version>
  <report_metadata>
    <org_name>Example Mail</org_name>
    <email>dmarc@mail.example</email>
    <report_id>2026.4711</report_id>
    <date_range><begin>1795046400</begin><end>1795132799</end></date_range>
  </report_metadata>
  <policy_published>
    <domain>example.com</domain>
    <adkim>r</adkim><aspf>s</aspf><p>quarantine</p><sp>none</sp>${policy}
  </policy_published>${records}
</feedback>
`;
const DMARC = aggregate(record('192.0.2.25', 12) + record('2001:db8::25', 1));

const reportOfRows = (count: number) =>
  read(gzip(aggregate(record('192.0.2.1', 1).repeat(count)))).report;

describe('DMARC', () => {
  const row = {
    source_ip: '192.0.2.25',
    count: 12,
    disposition: 'none',
    dkim: 'pass',
    spf: 'fail',
    reasons: [{ type: 'forwarded', comment: 'known & trusted' }],
    header_from: 'example.com',
    envelope_from: 'bounces.example.com',
    envelope_to: null,
    dkim_results: [
      { domain: 'example.com', selector: 's1', scope: null, result: 'pass' },
      { domain: 'esp.example', selector: null, scope: null, result: 'fail' },
    ],
    spf_results: [
      { domain: 'bounces.example.com', selector: null, scope: 'mfrom', result: 'fail' },
    ],
  };

  test('RFC 7489', () => {
    expect(read(gzip(DMARC))).toEqual({
      report: {
        kind: 'dmarc',
        organization: 'Example Mail',
        report_id: '2026.4711',
        domain: 'example.com',
        from: '2026-11-19T00:00:00Z',
        to: '2026-11-19T23:59:59Z',
        policy: {
          p: 'quarantine',
          sp: 'none',
          np: null,
          adkim: 'r',
          aspf: 's',
          pct: '100',
          testing: null,
          fo: '1',
        },
        rows: [row, { ...row, source_ip: '2001:db8::25', count: 1 }],
        rows_left_out: 0,
      },
      isUnreadable: false,
    });
  });

  test.each([
    ['RFC 9990, with its namespace', '<feedback xmlns="urn:ietf:params:xml:ns:dmarc-2.0">'],
    ['with a prefix', '<d:feedback xmlns:d="urn:ietf:params:xml:ns:dmarc-2.0">'],
  ])('%s', (_, root) => {
    const text = aggregate(record('192.0.2.25', 12), root, '<np>reject</np><testing>y</testing>');
    const prefixed = root.startsWith('<d:') ? text.replace(/<(\/?)(?!d:|\?)/g, '<$1d:') : text;
    expect(read(xml(prefixed)).report).toMatchObject({
      policy: { np: 'reject', testing: 'y', pct: null },
      rows: [row],
    });
  });

  test.each([
    ['XML', xml(DMARC)],
    ['gzip', gzip(DMARC)],
    ['zip', zip(DMARC)],
    ['gzip in zip', zip(gzipSync(DMARC), `${NAME}.xml.gz`)],
    ['zip in gzip', gzip(zipOf('report.xml', Buffer.from(DMARC)))],
    [
      'a type that says nothing',
      file(gzipSync(DMARC), `${NAME}.xml.gz`, 'application/octet-stream'),
    ],
    ['XML with a byte order mark', xml(`\ufeff${DMARC}`)],
  ])('in %s', (_, attachment) => {
    expect(read(attachment).report).toMatchObject({ kind: 'dmarc', rows: [row, {}] });
  });

  test('the first 500 rows, and how many there are beyond', () => {
    for (const count of [500, 501, 8_000])
      expect(reportOfRows(count)).toMatchObject({
        rows_left_out: count - 500,
        rows: { length: 500 },
      });
  });

  test('a value of unexpected form is null or 0', () => {
    const odd = DMARC.replace('<count>12</count>', '<count>-1e9</count>')
      .replace('1795046400', 'yesterday')
      .replace('1795132799', '99999999999999');
    expect(read(xml(odd)).report).toMatchObject({ from: null, to: null, rows: [{ count: 0 }, {}] });
  });
});

describe('TLS-RPT (RFC 8460 appendix B)', () => {
  const TLS = JSON.stringify({
    'organization-name': 'Company-X',
    'date-range': {
      'start-datetime': '2026-04-01T00:00:00Z',
      'end-datetime': '2026-04-01T23:59:59Z',
    },
    'contact-info': 'sts-reporting@company-x.example',
    'report-id': '5065427c-23d3-47ca-b6e0-946ea0e8c4be',
    policies: [
      {
        policy: {
          'policy-type': 'sts',
          'policy-string': ['version: STSv1', 'mode: testing'],
          'policy-domain': 'company-y.example',
          'mx-host': ['*.mail.company-y.example'],
        },
        summary: { 'total-successful-session-count': 5326, 'total-failure-session-count': 303 },
        'failure-details': [
          {
            'result-type': 'certificate-expired',
            'sending-mta-ip': '2001:db8:abcd:0012::1',
            'receiving-mx-hostname': 'mx1.mail.company-y.example',
            'failed-session-count': 100,
          },
        ],
      },
    ],
  });
  const expected = {
    kind: 'tls-rpt',
    organization: 'Company-X',
    report_id: '5065427c-23d3-47ca-b6e0-946ea0e8c4be',
    domain: 'company-y.example',
    from: '2026-04-01T00:00:00Z',
    to: '2026-04-01T23:59:59Z',
    policies: [
      {
        type: 'sts',
        domain: 'company-y.example',
        mx_hosts: ['*.mail.company-y.example'],
        successful_sessions: 5326,
        failed_sessions: 303,
        failures: [
          {
            result_type: 'certificate-expired',
            sending_ip: '2001:db8:abcd:0012::1',
            receiving_host: 'mx1.mail.company-y.example',
            receiving_ip: null,
            failed_sessions: 100,
            reason: null,
          },
        ],
        failures_left_out: 0,
      },
    ],
    policies_left_out: 0,
  };

  test.each([
    ['JSON', file(TLS, null, 'application/tlsrpt+json')],
    ['gzip', file(gzipSync(TLS), null, 'application/tlsrpt+gzip')],
  ])('in %s', (_, attachment) => {
    expect(read(attachment)).toEqual({ report: expected, isUnreadable: false });
  });

  test.each([
    ['cut', TLS.slice(0, -20)],
    ['too large', TLS + ' '.repeat(2 * 1024 * 1024)],
    ['another document', '{"orders":[]}'],
    ['policies of another type', '{"report-id":"1","policies":"x"}'],
    ['a list', '[]'],
  ])('%s', (_, text) => {
    expect(read(file(text, null, 'application/tlsrpt+json'))).toEqual(UNREADABLE);
  });

  test('its lists are bounded', () => {
    const { policies } = JSON.parse(TLS) as { policies: { 'failure-details': unknown[] }[] };
    policies[0]!['failure-details'] = Array.from({ length: 60 }, () => ({}));
    const long = { 'report-id': '1', policies: Array.from({ length: 25 }, () => policies[0]) };
    expect(read(file(JSON.stringify(long), null, 'application/tlsrpt+json')).report).toMatchObject({
      policies_left_out: 5,
      policies: { length: 20, 0: { failures_left_out: 10, failures: { length: 50 } } },
    });
  });
});

describe('ARF (RFC 5965 appendix B)', () => {
  const ARF =
    'Feedback-Type: abuse\r\nUser-Agent: SomeGenerator/1.0\r\nVersion: 1\r\n' +
    'Original-Mail-From: <somespammer@example.net>\r\nOriginal-Rcpt-To: <user@example.com>\r\n' +
    'Arrival-Date: Tue, 8 Mar 2005 14:00:00 EDT\r\nReporting-MTA: dns; mail.example.com\r\n' +
    'Source-IP: 192.0.2.1\r\nReported-Domain: example.net\r\nIncidents: 3\r\n';

  test('a complaint, and the email that it is about', () => {
    const found = read(
      file(ARF, null, 'message/feedback-report'),
      file(
        'From: <somespammer@example.net>\nMessage-ID: <8787@example.net>\n\nSpam',
        null,
        'message/rfc822',
      ),
    );
    expect(found.report).toEqual({
      kind: 'arf',
      organization: 'mail.example.com',
      report_id: null,
      domain: 'example.net',
      from: '2005-03-08T18:00:00Z',
      to: '2005-03-08T18:00:00Z',
      feedback: {
        type: 'abuse',
        user_agent: 'SomeGenerator/1.0',
        source_ip: '192.0.2.1',
        incidents: 3,
        auth_failure: null,
        original_mail_from: 'somespammer@example.net',
        original_recipients: ['user@example.com'],
        original_message_id: '<8787@example.net>',
      },
    });
  });

  test('a complaint of Microsoft (JMRP), which has no part for programs', () => {
    const original =
      'X-HmXmrOriginalRecipient: bob@hotmail.example\nReturn-Path: <shop@example.com>\n' +
      'Message-ID: <1@example.com>\n\nOffer';
    const headers = [
      { name: 'From', value: 'staff@hotmail.example' },
      { name: 'Subject', value: 'complaint about message from 192.0.2.7' },
    ];
    const attachments = [file(original, null, 'message/rfc822')];
    expect(reportOf({ headers, attachments }, unpackText).report).toMatchObject({
      kind: 'arf',
      organization: 'hotmail.example',
      feedback: {
        type: 'abuse',
        source_ip: '192.0.2.7',
        original_mail_from: 'shop@example.com',
        original_recipients: ['bob@hotmail.example'],
        original_message_id: '<1@example.com>',
      },
    });
    expect(reportOf({ headers, attachments: [] }, unpackText).report).toBeNull();
  });

  test('failed authentication (RFC 6591), without the email', () => {
    const text = 'Feedback-Type: auth-failure\nAuth-Failure: spf\nSource-IP: 192.0.2.1\n';
    expect(read(file(text, null, 'message/feedback-report')).report).toMatchObject({
      domain: null,
      from: null,
      feedback: {
        type: 'auth-failure',
        auth_failure: 'spf',
        incidents: 1,
        original_recipients: [],
      },
    });
  });

  test('without a type it is unreadable', () => {
    expect(read(file('Version: 1\n', null, 'message/feedback-report'))).toEqual(UNREADABLE);
  });
});

describe('damage and attacks', () => {
  const packed = gzipSync(DMARC);
  const archive = zipOf('a.xml', Buffer.from(DMARC));
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '));

  test.each([
    ['XML that ends too soon', xml(DMARC.slice(0, -15))],
    ['gzip that ends too soon', { ...gzip(''), content: packed.subarray(0, -20) }],
    [
      'gzip with a wrong checksum',
      { ...gzip(''), content: Buffer.from(packed).fill(0, packed.byteLength - 8) },
    ],
    ['zip that ends too soon', { ...zip(''), content: archive.subarray(0, -30) }],
    ['a zip of nothing but its beginning', { ...zip(''), content: Buffer.from('PK') }],
    ['a zip with a wrong checksum', { ...zip(''), content: zipOf('a.xml', Buffer.from(DMARC), 1) }],
    ['no archive at all', gzip(Buffer.from('not a report'))],
    ['a bomb in gzip', { ...gzip(''), content: bomb }],
    ['a bomb in zip', zip(Buffer.alloc(64 * 1024 * 1024, ' '))],
    ['a bomb in two layers', gzip(bomb)],
    ['a third layer', gzip(gzipSync(packed))],
    ['too deep XML', xml(aggregate('<a>'.repeat(100) + '</a>'.repeat(100)))],
    ['nothing', xml('')],
    [
      'a large report that ends too soon',
      gzip(aggregate(record('192.0.2.1', 1).repeat(5_000)).slice(0, -20)),
    ],
  ])('%s', (_, attachment) => expect(read(attachment)).toEqual(UNREADABLE));

  test('entities are neither loaded nor expanded', () => {
    const attack = DMARC.replace(
      '<feedback>',
      '<!DOCTYPE feedback [<!ENTITY file SYSTEM "file:///etc/passwd"><!ENTITY a "aaaa">]><feedback>',
    ).replace('<org_name>Example Mail', '<org_name>&file;&a;');
    expect(read(xml(attack)).report).toMatchObject({ organization: '&file;&a;' });
  });

  test.each([
    ['other XML', file('<invoice><id>1</id></invoice>', 'invoice.xml', 'text/xml')],
    ['other JSON', file('{"id":1}', 'order.json', 'application/json')],
    [
      'an archive of pictures',
      file(zipOf('cat.jpg', Buffer.from('JPEG')), 'cats.zip', 'application/zip'),
    ],
    ['a damaged archive', file('PK\u0003\u0004', 'cats.zip', 'application/zip')],
    ['a text', file('<feedback>', 'feedback.txt', 'text/plain')],
  ])('%s is no report', (_, attachment) => expect(read(attachment)).toEqual(NONE));

  test('a readable report counts, whatever else is attached', () => {
    expect(read(xml('<feedback>'), gzip(DMARC))).toMatchObject({
      report: { kind: 'dmarc' },
      isUnreadable: false,
    });
  });

  test('whatever the bytes, there is an answer', () => {
    const attachments = [xml(DMARC), gzip(DMARC), zip(DMARC)];
    fc.assert(
      fc.property(
        fc.constantFrom(...attachments),
        fc.array(fc.record({ at: fc.nat(), byte: fc.nat(255) }), { minLength: 1, maxLength: 8 }),
        fc.nat(),
        (attachment, changes, end) => {
          const content = Buffer.from(attachment.content);
          for (const { at, byte } of changes) content[at % content.byteLength] = byte;
          const cut = content.subarray(0, end % 3 === 0 ? end % content.byteLength : undefined);
          const { report, isUnreadable } = read({ ...attachment, content: cut });
          expect(report !== null && isUnreadable).toBe(false);
        },
      ),
      runs(500),
    );
  });

  test.each([
    ['elements', '<a>x</a>'.repeat(1_000_000)],
    ['attributes', `<a ${'b="c" '.repeat(1_000_000)}>`],
    ['an open tag', '<'.repeat(7_000_000)],
    ['entities', '&amp;'.repeat(1_400_000)],
    ['records', record('192.0.2.1', 1).repeat(8_000)],
  ])('8 MiB of %s are read in linear time', (_, content) => {
    const readPart = (size: number) => read(xml(aggregate(content.slice(0, size))));
    expect(growth(content.length, readPart)).toBeLessThan(LINEAR);
  });
});

/** Invoices in XML and PDF. The files of test/fixtures/e-invoice are of factur-x, reportlab and qpdf. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

import { parseMail } from '../../../services/adapters/mime/parse.ts';
import { unpackText } from '../../../services/adapters/mime/unpack.ts';
import { embeddedXml } from '../../../services/adapters/pdf/embedded-files.ts';
import { extractParts } from '../../../services/core/extract/extract-parts.ts';
import { extractedFor, warningsOf } from '../../../services/core/extract/extraction.ts';

const as = (text: string, encoding: 'latin1' | 'utf16le' = 'latin1') => Buffer.from(text, encoding);
type File = [filename: string, contentType: string, content: string | Buffer];
const fixture = (name: string) =>
  readFileSync(new URL(`../../fixtures/e-invoice/${name}`, import.meta.url));
const READERS = {
  unpack: unpackText,
  parse: (raw: Uint8Array) => parseMail(Buffer.from(raw)),
  embedded: embeddedXml,
};

function extracted(...files: File[]) {
  const attachments = files.map(([filename, contentType, content]) => ({
    filename,
    contentType,
    method: null,
    content: Buffer.from(content),
  }));
  const headers = { from: null, to: null, cc: null, subject: null, all: [] };
  const mail = { mailFrom: '', headers, text: null, attachments };
  const all = extractParts(new Set(['e_invoice']), mail, READERS);
  return {
    ...extractedFor(['e_invoice'], all),
    codes: warningsOf(['e_invoice'], all).map(({ code }) => code),
  };
}

const ZAHNRAEDER = {
  syntax: 'cii',
  type_code: '380',
  issued: '2026-11-20',
  seller: 'Zahnräder & Söhne GmbH',
  total: '119.00',
  currency: 'EUR',
};

describe('in a PDF', () => {
  test.each([
    ['factur-x.pdf', 'F-2026-1', 'urn:factur-x.eu:1p0:minimum'],
    ['factur-x-en16931.pdf', 'F-2026-1', 'urn:cen.eu:en16931:2017'],
    ['factur-x-object-streams.pdf', 'F-2026-1', 'urn:factur-x.eu:1p0:minimum'],
    ['factur-x-linearized.pdf', 'F-2026-1', 'urn:factur-x.eu:1p0:minimum'],
    ['factur-x-unpacked.pdf', 'F-2026-1', 'urn:factur-x.eu:1p0:minimum'],
    ['factur-x-updated.pdf', 'F-2026-2', 'urn:factur-x.eu:1p0:minimum'],
  ])('%s', (name, number, profile) => {
    const { e_invoice: found, codes } = extracted(
      ['terms.txt', 'text/plain', 'x'],
      [name, 'application/pdf', fixture(name)],
    );
    expect(found).toEqual({
      ...ZAHNRAEDER,
      number,
      profile,
      format: 'factur_x',
      attachment: 1,
      xml_filename: 'factur-x.xml',
      xml: expect.stringMatching(/^<\?xml[^]*<\/rsm:CrossIndustryInvoice>\n$/) as string,
    });
    expect(codes).toEqual([]);
  });

  test.each([
    '/Subtype /application#2Foctet-stream',
    '/Desc (the stream of data)',
    '/Desc (>> stream\n)',
    '/Desc (a \\) (nested) mainstream)',
    '/Desc <</Inner /stream>>',
    '% a comment >> stream\n',
  ])('what looks like the keyword in a dictionary is none: %s', (entry) => {
    const pdf = fixture('factur-x.pdf').toString('latin1');
    const changed = pdf.replace('/Type /EmbeddedFile', `${entry} /Type /EmbeddedFile`);
    expect(changed).not.toBe(pdf);
    const read = extracted(['a.pdf', 'application/pdf', Buffer.from(changed, 'latin1')]);
    expect(read).toMatchObject({ e_invoice: { number: 'F-2026-1' } });
  });

  test('one that is encrypted cannot be read', () => {
    expect(extracted(['a.pdf', 'application/pdf', fixture('encrypted.pdf')])).toEqual({
      e_invoice: null,
      codes: ['e_invoice_unreadable'],
    });
  });

  test('one without an invoice has none', () => {
    expect(extracted(['a.pdf', 'application/pdf', fixture('no-invoice.pdf')])).toEqual({
      e_invoice: null,
      codes: [],
    });
  });

  test('one that is cut, or changed in any byte, ends in a result', () => {
    const pdf = fixture('factur-x-object-streams.pdf');
    const numbers = new Set<string | null | undefined>();
    for (let at = 0; at < pdf.byteLength; at += 97) {
      const changed = Buffer.from(pdf);
      changed[at] = (changed[at] as number) ^ 0x55;
      for (const content of [pdf.subarray(0, at), changed]) {
        numbers.add(extracted(['a.pdf', 'application/pdf', content]).e_invoice?.number);
      }
    }
    expect(numbers).toEqual(new Set([undefined, 'F-2026-1']));
  });
});

describe('as XML', () => {
  test.each([
    ['xrechnung-cii.xml', { ...ZAHNRAEDER, number: 'X-1', format: 'xrechnung' }],
    [
      'xrechnung-ubl.xml',
      { syntax: 'ubl', type_code: '380', number: 'R-4711', seller: 'Räder AG' },
    ],
    [
      'peppol-credit-note.xml',
      { syntax: 'ubl', type_code: '381', format: 'peppol', total: '238.00', currency: 'EUR' },
    ],
  ])('%s', (name, expected) => {
    expect(extracted([name, 'application/octet-stream', fixture(name)])).toMatchObject({
      e_invoice: {
        ...expected,
        issued: '2026-11-20',
        attachment: 0,
        xml_filename: null,
        xml: null,
      },
      codes: [],
    });
  });

  const ubl = fixture('xrechnung-ubl.xml').toString();

  test.each([
    ['ISO 8859-1', as(ubl.replace('UTF-8', 'ISO-8859-1'))],
    ['UTF-16', as(`\ufeff${ubl.replace('UTF-8', 'UTF-16')}`, 'utf16le')],
    ['a byte order mark', Buffer.from(`\ufeff${ubl}`)],
    ['CDATA', Buffer.from(ubl.replace('Räder AG', '<![CDATA[Räder AG]]>'))],
    ['other prefixes', Buffer.from(ubl.replaceAll('cbc:', 'b:').replaceAll('cac:', ''))],
  ])('%s', (_, content) => {
    expect(extracted(['a.xml', 'text/xml', content])).toMatchObject({
      e_invoice: { seller: 'Räder AG' },
      codes: [],
    });
  });

  test.each([
    ['2026-02-30', { issued: null }, (xml: string) => xml.replace('2026-11-20', '2026-02-30')],
    ['a time zone', { issued: '2026-11-20' }, (xml: string) => xml.replace('-20<', '-20+01:00<')],
    ['no amount', { total: null }, (xml: string) => xml.replaceAll('238.00', '238,00')],
    [
      'a negative amount',
      { total: '-238.00' },
      (xml: string) => xml.replaceAll('238.00', '-238.00'),
    ],
    ['no currency', { currency: null }, (xml: string) => xml.replace('>EUR<', '>Euro<')],
    ['a name alone', { seller: 'Räder' }, (xml: string) => xml.replace('Räder AG', '')],
  ])('a value that is unusual: %s', (_, expected, change) => {
    expect(extracted(['a.xml', 'text/xml', change(ubl)]).e_invoice).toMatchObject(expected);
  });

  const bomb =
    `<!DOCTYPE Invoice [<!ENTITY a "${'x'.repeat(100)}"><!ENTITY b "&a;&a;&a;">` +
    '<!ENTITY c SYSTEM "file:///etc/passwd">]>';

  test('a document type definition is not read, and no entity of it', () => {
    for (const content of [
      ubl.replace('?>', `?>${bomb}`).replace('Räder AG', '&b;&c;'),
      ubl.replace('?>', `?><!-- > -->${bomb.toLowerCase()}`),
    ])
      expect(extracted(['a.xml', 'text/xml', content])).toEqual({
        e_invoice: null,
        codes: ['e_invoice_unreadable'],
      });
    expect(extracted(['a.xml', 'text/xml', ubl.replace('Räder AG', '&b;')]).e_invoice?.seller).toBe(
      '&b;',
    );
  });

  test.each([
    ['another document', '<Invoice><ID>1</ID></Invoice>', []],
    ['no XML', 'Invoice', []],
    ['an invoice that is cut', ubl.slice(0, 900), ['e_invoice_unreadable']],
    [
      'an invoice without a number',
      ubl.replace(/<cbc:ID>.*?<\/cbc:ID>/, ''),
      ['e_invoice_unreadable'],
    ],
  ])('%s is none', (_, content, codes) => {
    expect(extracted(['a.xml', 'text/xml', content])).toEqual({ e_invoice: null, codes });
  });
});

test('an email may have several, and one of them twice', () => {
  const pdf = fixture('factur-x.pdf');
  const found = extracted(
    ['a.pdf', 'application/pdf', pdf],
    ['a.xml', 'text/xml', fixture('xrechnung-ubl.xml')],
    ['b.pdf', 'application/pdf', pdf],
    ['c.xml', 'text/xml', fixture('peppol-credit-note.xml')],
  );
  expect(found).toMatchObject({
    e_invoice: { number: 'F-2026-1', attachment: 0 },
    further_e_invoices: [
      { type_code: '380', attachment: 1 },
      { type_code: '381', attachment: 3 },
    ],
    codes: [],
  });
  expect(found.further_e_invoices).toHaveLength(2);
});

/** An invoice for programs: its XML, and what most receivers ask of it. All of it is a claim of the sender. */
import { z } from 'zod';

import { describeSchema } from '../../resource/api-reference.ts';

const text = z.string().nullable();

/** Longer XML is among the attachments only, in its PDF. */
export const XML_MAX_CHARS = 512 * 1024;
export const E_INVOICES_MAX = 10;

export const FORMATS = ['factur_x', 'zugferd', 'xrechnung', 'peppol', 'en16931', 'other'] as const;

export const EInvoice = z.object({
  syntax: z.enum(['cii', 'ubl']).describe('UN/CEFACT Cross Industry Invoice, or OASIS UBL'),
  format: z
    .string()
    .describe(`${FORMATS.join(', ')}; zugferd is version 1; new values may be added`),
  profile: text.describe('specification that the invoice names (BT-24), such as a URN'),
  type_code: text.describe('UNTDID 1001: 380 for an invoice, 381 for a credit note'),
  number: text.describe('BT-1'),
  issued: text.describe('date as YYYY-MM-DD (BT-2)'),
  seller: text.describe('name (BT-27)'),
  total: text.describe('with tax, as a decimal number such as 119.00 (BT-112)'),
  currency: text.describe('ISO 4217 (BT-5)'),
  attachment: z.int().describe('index of its file in attachments, from 0: the PDF or the XML'),
  xml_filename: text.describe('name of the XML in the PDF; null when the attachment is the XML'),
  xml: text.describe(
    'the XML in the PDF, in Unicode; null when the attachment is the XML, or for more than 524,288 ' +
      'characters',
  ),
});
export type EInvoice = z.infer<typeof EInvoice>;
describeSchema(EInvoice, 'ExtractedEInvoice', {
  syntax: 'cii',
  format: 'factur_x',
  profile: 'urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended',
  type_code: '380',
  number: '2026-471',
  issued: '2026-11-20',
  seller: 'Sprockets GmbH',
  total: '119.00',
  currency: 'EUR',
  attachment: 0,
  xml_filename: 'factur-x.xml',
  xml: '<rsm:CrossIndustryInvoice>…</rsm:CrossIndustryInvoice>',
});

/** Reads the XML of an invoice: CII (EN 16931-3-3) and UBL (EN 16931-3-2). */
import { childOf, readXml, type XmlElement } from '../report/xml.ts';
import type { EInvoice, FORMATS } from './e-invoice.ts';
import { cutText } from '../../text/text.ts';

/** What the XML says. */
type InvoiceFacts = Omit<EInvoice, 'attachment' | 'xml_filename' | 'xml'>;

const SEARCHED_CHARS = 16 * 1024;
const VALUE_MAX_CHARS = 300;
const ROOT =
  /<(?:[\w.-]{1,60}:)?(CrossIndustryInvoice|CrossIndustryDocument|Invoice|CreditNote)[\s>]/;
const UBL_NAMESPACE = 'urn:oasis:names:specification:ubl:schema:xsd:';

/**
 * Undefined for another document, null for an invoice that cannot be read. No invoice has a document
 * type definition, and none is read: entities of its own cannot be expanded or loaded.
 */
export function readInvoice(xml: string): InvoiceFacts | null | undefined {
  const beginning = xml.slice(0, SEARCHED_CHARS);
  const found = ROOT.exec(beginning);
  const name = found?.[1];
  if (found === null || name === undefined) return undefined;
  const isUbl = name === 'Invoice' || name === 'CreditNote';
  if (isUbl && !beginning.includes(UBL_NAMESPACE)) return undefined;
  if (/<!DOCTYPE/i.test(beginning.slice(0, found.index))) return null;
  const root = readXml(xml);
  if (root?.name !== name) return null;
  const facts = isUbl ? fromUbl(root) : fromCii(root);
  return facts.number === null ? null : facts;
}

function fromCii(root: XmlElement): InvoiceFacts {
  const context = either(root, 'ExchangedDocumentContext', 'SpecifiedExchangedDocumentContext');
  const document = either(root, 'ExchangedDocument', 'HeaderExchangedDocument');
  const trade = either(root, 'SupplyChainTradeTransaction', 'SpecifiedSupplyChainTradeTransaction');
  const agreement = either(
    trade,
    'ApplicableHeaderTradeAgreement',
    'ApplicableSupplyChainTradeAgreement',
  );
  const settlement = either(
    trade,
    'ApplicableHeaderTradeSettlement',
    'ApplicableSupplyChainTradeSettlement',
  );
  const sums = either(
    settlement,
    'SpecifiedTradeSettlementHeaderMonetarySummation',
    'SpecifiedTradeSettlementMonetarySummation',
  );
  const profile = textAt(context, 'GuidelineSpecifiedDocumentContextParameter', 'ID');
  return {
    syntax: 'cii',
    format: formatOf(profile),
    profile,
    type_code: textAt(document, 'TypeCode'),
    number: textAt(document, 'ID'),
    issued: dateOf(textAt(document, 'IssueDateTime', 'DateTimeString')),
    seller: textAt(agreement, 'SellerTradeParty', 'Name'),
    total: amountOf(textAt(sums, 'GrandTotalAmount')),
    currency: currencyOf(textAt(settlement, 'InvoiceCurrencyCode')),
  };
}

function fromUbl(root: XmlElement): InvoiceFacts {
  const party = childOf(childOf(root, 'AccountingSupplierParty'), 'Party');
  const profile = textAt(root, 'CustomizationID');
  return {
    syntax: 'ubl',
    format: formatOf(profile),
    profile,
    type_code:
      textAt(root, 'InvoiceTypeCode') ??
      textAt(root, 'CreditNoteTypeCode') ??
      (root.name === 'CreditNote' ? '381' : null),
    number: textAt(root, 'ID'),
    issued: dateOf(textAt(root, 'IssueDate')),
    seller:
      textAt(party, 'PartyLegalEntity', 'RegistrationName') ?? textAt(party, 'PartyName', 'Name'),
    total: amountOf(textAt(root, 'LegalMonetaryTotal', 'TaxInclusiveAmount')),
    currency: currencyOf(textAt(root, 'DocumentCurrencyCode')),
  };
}

function formatOf(profile: string | null): (typeof FORMATS)[number] {
  const name = profile?.toLowerCase() ?? '';
  if (name.includes('xrechnung')) return 'xrechnung';
  if (name.includes('peppol')) return 'peppol';
  if (/urn:(factur-x|zugferd)[.:]/.test(name)) return 'factur_x';
  if (name.includes('urn:ferd:')) return 'zugferd';
  return name.includes('en16931') ? 'en16931' : 'other';
}

/** Names of version 1 of ZUGFeRD differ. */
const either = (element: XmlElement | undefined, name: string, old: string) =>
  childOf(element, name) ?? childOf(element, old);

function textAt(element: XmlElement | undefined, ...path: string[]): string | null {
  let found = element;
  for (const name of path) found = childOf(found, name);
  // oxlint-disable-next-line no-control-regex
  const text = found?.text.replace(/[\s\x00-\x1f]+/g, ' ').trim();
  return text ? cutText(text, VALUE_MAX_CHARS) : null;
}

/** `20261120` in CII (format 102), `2026-11-20` in UBL. */
function dateOf(text: string | null): string | null {
  const [, year, month, day] = /^(\d{4})-?(\d\d)-?(\d\d)(?!\d)/.exec(text ?? '') ?? [];
  const date = `${year}-${month}-${day}`;
  const time = Date.parse(`${date}T00:00:00Z`);
  const exists = !Number.isNaN(time) && new Date(time).toISOString().startsWith(date);
  return year !== undefined && exists ? date : null;
}

const amountOf = (text: string | null): string | null =>
  text !== null && /^[+-]?\d{1,18}(\.\d{1,10})?$/.test(text) ? text.replace(/^\+/, '') : null;

const currencyOf = (text: string | null): string | null =>
  text !== null && /^[A-Z]{3}$/.test(text) ? text : null;

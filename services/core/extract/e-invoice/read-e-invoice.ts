/** Finds invoices among the attachments of an email: as XML, and as XML in a PDF. */
import type { Unpack } from '../report/read-report.ts';
import { type EInvoice, E_INVOICES_MAX, XML_MAX_CHARS } from './e-invoice.ts';
import { readInvoice } from './invoice-xml.ts';

type Attachment = { filename: string | null; contentType: string; content: Uint8Array };

/** `isUnreadable`: encrypted, damaged or too large, so that an invoice may be missing. */
export type EmbeddedFiles = {
  files: readonly { name: string; content: Uint8Array }[];
  isUnreadable: boolean;
};
/** The XML files in a PDF. */
export type ReadEmbedded = (pdf: Uint8Array) => EmbeddedFiles;

type FoundInvoices = { invoices: EInvoice[]; isUnreadable: boolean };

const XML_MAX_BYTES = 8 * 1024 * 1024;
const MAX_PDFS = 5;
/** All XML files that are read may have so many characters together. */
const XML_MAX_CHARS_READ = 8 * 1024 * 1024;

/** In the order of the attachments. The same invoice in two files is shown once. */
export function eInvoicesOf(
  attachments: readonly Attachment[],
  unpack: Unpack,
  embedded: ReadEmbedded,
): FoundInvoices {
  const invoices = new Map<string, EInvoice>();
  let isUnreadable = false;
  let [pdfs, chars] = [0, 0];
  const read = (content: Uint8Array, attachment: number, name: string | null) => {
    const isRead = chars < XML_MAX_CHARS_READ;
    const xml = isRead
      ? unpack(content, XML_MAX_BYTES, { charset: charsetOf(content) })
      : undefined;
    chars += xml?.length ?? 0;
    const facts = xml === undefined ? null : readInvoice(xml);
    if (facts === null) isUnreadable = true;
    if (!facts || xml === undefined) return;
    const isEmbedded = name !== null;
    const { syntax, type_code, number, issued, seller, total } = facts;
    const key = JSON.stringify([syntax, type_code, number, issued, seller, total]);
    if (invoices.has(key) || invoices.size >= E_INVOICES_MAX) return;
    invoices.set(key, {
      ...facts,
      format: isEmbedded && facts.format === 'en16931' ? 'factur_x' : facts.format,
      attachment,
      xml_filename: name,
      xml: isEmbedded && xml.length <= XML_MAX_CHARS ? xml : null,
    });
  };
  for (const [index, file] of attachments.entries()) {
    if (isXml(file)) read(file.content, index, null);
    else if (isPdf(file) && ++pdfs <= MAX_PDFS) {
      const found = embedded(file.content);
      isUnreadable ||= found.isUnreadable;
      for (const { name, content } of found.files) read(content, index, name);
    }
  }
  return { invoices: [...invoices.values()], isUnreadable };
}

const isXml = ({ contentType, filename }: Attachment): boolean =>
  /^(application|text)\/([\w.-]{1,80}\+)?xml$/.test(contentType) || /\.xml$/i.test(filename ?? '');

const isPdf = ({ contentType, filename }: Attachment): boolean =>
  /^application\/(x-)?pdf$/.test(contentType) || /\.pdf$/i.test(filename ?? '');

/** The charset that the XML declares (XML 1.0 §4.3.3, appendix F). */
function charsetOf(content: Uint8Array): string | undefined {
  const beginning = Buffer.from(content.subarray(0, 200)).toString('latin1');
  if (/^(\xff\xfe|\xfe\xff|<\0|\0<)/.test(beginning)) return 'utf-16';
  return /^[^<]{0,8}<\?xml[^>]{1,80}encoding\s*=\s*["']([\w.-]{1,40})/.exec(beginning)?.[1];
}

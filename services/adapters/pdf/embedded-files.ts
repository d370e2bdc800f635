/**
 * The XML files that a PDF embeds (ISO 32000-1 §7.11.4), as Factur-X and ZUGFeRD do. Nothing else of
 * the PDF is read: no page, no script, no form.
 */
import type { EmbeddedFiles } from '../../core/extract/e-invoice/read-e-invoice.ts';
import { openPdf, type Pdf } from './objects.ts';
import { isDictionary, isRef, type PdfValue } from './syntax.ts';

const MAX_NODES = 500;
const MAX_FILES = 4;
const FILE_MAX_BYTES = 2 * 1024 * 1024;
const NAME_MAX_CHARS = 200;
const HEADER_BYTES = 1024;

export function embeddedXml(content: Uint8Array): EmbeddedFiles {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (!bytes.subarray(0, HEADER_BYTES).includes('%PDF-')) return { files: [], isUnreadable: false };
  if (!mayEmbed(bytes)) return { files: [], isUnreadable: false };
  const { pdf } = openPdf(bytes);
  if (pdf === undefined) return { files: [], isUnreadable: true };
  const read = fileSpecifications(pdf)
    .filter(({ name }) => /\.xml$/i.test(name))
    .slice(0, MAX_FILES)
    .map(({ name, stream }) => ({ name, content: pdf.contentOf(stream, FILE_MAX_BYTES) }));
  const files = read.flatMap(({ name, content: file }) =>
    file === undefined ? [] : [{ name, content: file }],
  );
  return { files, isUnreadable: files.length < read.length || pdf.isExhausted() };
}

/** Whether files may be embedded, by words that such a PDF has. Object streams hide them. */
const mayEmbed = (bytes: Buffer): boolean =>
  ['/EmbeddedFile', '/ObjStm', '/Encrypt'].some((word) => bytes.includes(word));

type FileSpecification = { name: string; stream: PdfValue | undefined };

function fileSpecifications(pdf: Pdf): FileSpecification[] {
  const names = pdf.resolve(pdf.root?.get('Names'));
  const tree = isDictionary(names) ? names.get('EmbeddedFiles') : undefined;
  const associated = pdf.resolve(pdf.root?.get('AF'));
  const values = [...namedValues(pdf, tree), ...(Array.isArray(associated) ? associated : [])];
  const streams = new Set<number>();
  return values.slice(0, MAX_NODES).flatMap((value) => {
    const found = specification(pdf, pdf.resolve(value));
    const { stream } = found ?? {};
    if (found === undefined || (isRef(stream) && streams.has(stream.ref))) return [];
    if (isRef(stream)) streams.add(stream.ref);
    return [found];
  });
}

/** The values of a name tree (ISO 32000-1 §7.9.6). */
function namedValues(pdf: Pdf, tree: PdfValue | undefined): PdfValue[] {
  const found: PdfValue[] = [];
  const waiting: PdfValue[] = [tree ?? null];
  for (let nodes = 0; waiting.length > 0 && nodes < MAX_NODES; nodes++) {
    const node = pdf.resolve(waiting.shift());
    if (!isDictionary(node)) continue;
    const [kids, names] = [pdf.resolve(node.get('Kids')), pdf.resolve(node.get('Names'))];
    if (Array.isArray(kids)) waiting.push(...kids.slice(0, MAX_NODES - waiting.length));
    if (Array.isArray(names)) found.push(...names.filter((_, index) => index % 2 === 1));
    if (found.length > MAX_NODES) break;
  }
  return found;
}

function specification(pdf: Pdf, value: PdfValue): FileSpecification | undefined {
  if (!isDictionary(value)) return undefined;
  const files = pdf.resolve(value.get('EF'));
  const name = pdf.resolve(value.get('UF') ?? value.get('F'));
  if (!isDictionary(files) || !Buffer.isBuffer(name)) return undefined;
  return { name: textOf(name).slice(0, NAME_MAX_CHARS), stream: files.get('F') ?? files.get('UF') };
}

/** UTF-16 and UTF-8 have a mark (ISO 32000-2 §7.9.2.2); other text is close to Latin-1. */
function textOf(bytes: Buffer): string {
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  if (bytes[0] === 0xef && bytes[1] === 0xbb) return new TextDecoder().decode(bytes);
  return bytes.toString('latin1');
}

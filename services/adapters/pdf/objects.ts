/**
 * Finds the objects of a PDF by one pass over its bytes, as programs do for a file with a damaged
 * table of contents: the table is not needed, so none can lie. The last object of a number counts,
 * as after an incremental update (ISO 32000-1 §7.5.6).
 */
import { inflateSync } from 'node:zlib';

import {
  type Budget,
  isDictionary,
  isRef,
  type PdfDictionary,
  type PdfValue,
  pdfValueAt,
  skipBlanks,
  skipDictionary,
} from './syntax.ts';

export type Pdf = {
  /** The catalog; undefined when there is none. */
  root: PdfDictionary | undefined;
  /** Follows references. */
  resolve(value: PdfValue | undefined): PdfValue;
  /** More would have to be read than the limits allow: what was found is not all. */
  isExhausted(): boolean;
  /** The content of a stream; undefined when it cannot be read or would be longer. */
  contentOf(value: PdfValue | undefined, maxBytes: number): Buffer | undefined;
};
type OpenedPdf =
  | { pdf: Pdf; fault?: undefined }
  | { pdf?: undefined; fault: 'encrypted' | 'damaged' | 'too_large' };

/** Where an object is. In the file, a stream may follow it. */
type ObjectPosition = { bytes: Buffer; at: number; stream?: { start: number; end: number } };
type Scanned = { number: number; position: ObjectPosition; type: 'ObjStm' | 'XRef' | undefined };

const MAX_OBJECTS = 200_000;
/** A file may have so many occurrences of the word `obj`, whether they begin an object or not. */
const MAX_WORDS = 1_000_000;
const MAX_TRAILERS = 100;
const MAX_VALUES = 200_000;
const READ_MAX_BYTES = 8 * 1024 * 1024;
const MAX_REFERENCES = 10;
/** All object streams may have so many bytes together. */
const UNPACKED_MAX_BYTES = 8 * 1024 * 1024;
/** What one that cannot be unpacked counts. */
const FAILED_BYTES = 2 * 1024 * 1024;
/** The most bytes of the index at the beginning of an object stream. */
const INDEX_MAX_BYTES = 1024 * 1024;
/** The most bytes of the dictionary of one object, and of all together: those without an end are read again. */
const DICTIONARY_MAX_BYTES = 64 * 1024;
const skippedMaxBytes = (fileBytes: number) => Math.min(4 * fileBytes, 64 * 1024 * 1024);

export function openPdf(bytes: Buffer): OpenedPdf {
  const budget: Budget = { values: MAX_VALUES, bytes: READ_MAX_BYTES };
  const scanned = scan(bytes);
  if (scanned === undefined) return { fault: 'too_large' };
  const trailers = trailersOf(bytes, scanned, budget);
  if (trailers.some((trailer) => trailer.has('Encrypt'))) return { fault: 'encrypted' };
  const positions = new Map<number, ObjectPosition>();
  const pdf = createPdf(positions, budget);
  let room = UNPACKED_MAX_BYTES;
  for (const { number, position, type } of scanned) {
    positions.set(number, position);
    if (type !== 'ObjStm') continue;
    const content = pdf.contentOf({ ref: number }, room);
    const dictionary = pdfValueAt(bytes, position.at, budget);
    room -= content?.byteLength ?? FAILED_BYTES;
    if (content === undefined || !isDictionary(dictionary)) continue;
    for (const [inner, at] of objectsIn(content, dictionary))
      positions.set(inner, { bytes: content, at });
    if (positions.size > MAX_OBJECTS) return { fault: 'too_large' };
  }
  const root = pdf.resolve(trailers.findLast((trailer) => trailer.has('Root'))?.get('Root'));
  if (pdf.isExhausted()) return { fault: 'too_large' };
  return isDictionary(root) ? { pdf: { ...pdf, root } } : { fault: 'damaged' };
}

/** Objects in the order of the file; undefined when there are too many. */
function scan(bytes: Buffer): Scanned[] | undefined {
  const found: Scanned[] = [];
  let words = 0;
  let room = skippedMaxBytes(bytes.byteLength);
  for (let at = bytes.indexOf('obj'); at !== -1;) {
    if (++words > MAX_WORDS || room <= 0) return undefined;
    const content = at + 3;
    const number = numberBefore(bytes, at);
    at = content;
    if (number !== undefined) {
      if (found.length >= MAX_OBJECTS) return undefined;
      const { end, own, read } = skipDictionary(
        bytes,
        content,
        Math.min(DICTIONARY_MAX_BYTES, room),
      );
      room -= read;
      const keyword = end > content ? skipBlanks(bytes, end) : -1;
      const stream = isStream(bytes, keyword) ? streamFrom(bytes, keyword, own) : undefined;
      found.push({
        number,
        position: { bytes, at: content, ...(stream && { stream }) },
        type: stream && typeOf(own),
      });
      at = stream?.end ?? Math.max(content, end);
    }
    at = bytes.indexOf('obj', at);
  }
  return found;
}

/** The keyword as a token: a line end follows, though some programs write a blank before it. */
const isStream = (bytes: Buffer, at: number): boolean =>
  at !== -1 && /^stream[ \t]*[\r\n]/.test(bytes.toString('latin1', at, at + 16));

const orEnd = (bytes: Buffer, at: number): number => (at === -1 ? bytes.byteLength : at);

/** `12 0` before `obj`. */
function numberBefore(bytes: Buffer, at: number): number | undefined {
  const before = bytes.toString('latin1', Math.max(0, at - 24), at);
  const number = /(?:^|[^\d.])(\d{1,10})[\0\t\n\f\r ]+\d{1,5}[\0\t\n\f\r ]*$/.exec(before)?.[1];
  return number === undefined ? undefined : Number(number);
}

const typeOf = (head: string): Scanned['type'] =>
  /\/Type\s*\/(ObjStm|XRef)\b/.exec(head)?.[1] as Scanned['type'];

/** The content after `stream` and its line end (ISO 32000-1 §7.3.8). */
function streamFrom(bytes: Buffer, keyword: number, head: string) {
  let start = keyword + 'stream'.length;
  while (bytes[start] === 32 || bytes[start] === 9) start++;
  if (bytes[start] === 13) start++;
  if (bytes[start] === 10) start++;
  const length = /\/Length\s+(\d{1,10})\b(?!\s+\d+\s+R)/.exec(head)?.[1];
  const named = start + Number(length ?? 0);
  if (length !== undefined && endsStream(bytes, named)) return { start, end: named };
  return { start, end: orEnd(bytes, bytes.indexOf('endstream', start)) };
}

const endsStream = (bytes: Buffer, at: number): boolean =>
  /^\s{0,3}endstream/.test(bytes.toString('latin1', at, at + 12));

/** Trailers, and streams that serve as one (ISO 32000-1 §7.5.5, §7.5.8), in the order of the file. */
function trailersOf(bytes: Buffer, scanned: readonly Scanned[], budget: Budget): PdfDictionary[] {
  const at: number[] = scanned
    .filter(({ type }) => type === 'XRef')
    .slice(-MAX_TRAILERS)
    .map(({ position }) => position.at);
  const isWithinStream = (place: number) =>
    scanned.some(
      ({ position: { stream } }) => stream && stream.start <= place && place < stream.end,
    );
  let trailer = bytes.lastIndexOf('trailer');
  for (let count = 0; trailer > 0 && count < MAX_TRAILERS; count++) {
    if (!isWithinStream(trailer)) at.push(trailer + 'trailer'.length);
    trailer = bytes.lastIndexOf('trailer', trailer - 1);
  }
  return at
    .toSorted((one, other) => one - other)
    .map((position) => pdfValueAt(bytes, position, budget))
    .filter(isDictionary);
}

/** The number and position of each object in an object stream (ISO 32000-1 §7.5.7). */
function objectsIn(content: Buffer, dictionary: PdfDictionary): [number, number][] {
  const [first, count] = [dictionary.get('First'), dictionary.get('N')];
  if (typeof first !== 'number' || typeof count !== 'number' || first > content.byteLength)
    return [];
  const numbers =
    content.toString('latin1', 0, Math.min(first, INDEX_MAX_BYTES)).match(/\d{1,10}/g) ?? [];
  const found: [number, number][] = [];
  for (let index = 0; index < count && 2 * index + 1 < numbers.length; index++)
    found.push([Number(numbers[2 * index]), first + Number(numbers[2 * index + 1])]);
  return found;
}

function createPdf(
  positions: ReadonlyMap<number, ObjectPosition>,
  budget: Budget,
): Omit<Pdf, 'root'> {
  const positionOf = (value: PdfValue | undefined): ObjectPosition | undefined => {
    let [position, next] = [undefined as ObjectPosition | undefined, value];
    for (let steps = 0; isRef(next) && steps < MAX_REFERENCES; steps++) {
      position = positions.get(next.ref);
      next = position === undefined ? null : pdfValueAt(position.bytes, position.at, budget);
    }
    return position;
  };
  const resolve = (value: PdfValue | undefined): PdfValue => {
    if (!isRef(value)) return value ?? null;
    const position = positionOf(value);
    const found = position === undefined ? null : pdfValueAt(position.bytes, position.at, budget);
    return isRef(found) ? null : found;
  };
  const contentOf = (value: PdfValue | undefined, maxBytes: number): Buffer | undefined => {
    const position = positionOf(value);
    if (position?.stream === undefined || maxBytes <= 0) return undefined;
    const dictionary = pdfValueAt(position.bytes, position.at, budget);
    if (!isDictionary(dictionary)) return undefined;
    const { start, end } = position.stream;
    const length = resolve(dictionary.get('Length'));
    const isNamed = typeof length === 'number' && endsStream(position.bytes, start + length);
    const content = position.bytes.subarray(start, isNamed ? start + length : end);
    return unpacked(content, dictionary, resolve, maxBytes);
  };
  const isExhausted = () => budget.values <= 0 || budget.bytes <= 0;
  return { resolve, contentOf, isExhausted };
}

/** Flate is what programs use for files and objects; other filters are not read. */
function unpacked(
  content: Buffer,
  dictionary: PdfDictionary,
  resolve: Pdf['resolve'],
  maxBytes: number,
): Buffer | undefined {
  const filters = [resolve(dictionary.get('Filter'))].flat().map(resolve);
  const [filter, another] = filters;
  const parameters = resolve([resolve(dictionary.get('DecodeParms'))].flat()[0]);
  const predictor = isDictionary(parameters) ? resolve(parameters.get('Predictor')) : null;
  if (another !== undefined || (typeof predictor === 'number' && predictor > 1)) return undefined;
  if (filter === null || filter === undefined)
    return content.byteLength <= maxBytes ? content : undefined;
  if (filter !== '/FlateDecode' && filter !== '/Fl') return undefined;
  try {
    return inflateSync(content, { maxOutputLength: maxBytes });
  } catch {
    return undefined;
  }
}

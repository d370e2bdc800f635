/**
 * mailparser reads header fields: addresses, message ids and parameters (RFC 2231). It has no
 * public function for a single field, so this file uses private members. A test checks that each
 * exists.
 */
import { LRUCache } from 'lru-cache';
import { type AddressObject, MailParser, type StructuredHeader } from 'mailparser';

import { unfolded } from './head.ts';

/** The members of a parser that are used. They keep nothing between two calls. */
export type PrivateMembers = {
  /** Reads each line by its key. Lines have one character for each byte of their UTF-8. */
  processHeaders(lines: readonly { key: string; line: string }[]): Map<string, unknown>;
  libmime: {
    /** The value and its parameters, with continuations joined and charsets decoded. */
    parseHeaderValue(value: string): StructuredHeader;
    /** Encoded words as text. */
    decodeWords(text: string): string;
    /**
     * The type of the extension of a file name, application/octet-stream when unknown.
     */
    detectMimeType(filename: string): string;
  };
};

const parser = new MailParser() as unknown as PrivateMembers;

/** The texts of addresses: most emails name some that other emails have named. */
const addressTexts = new LRUCache<string, string>({ max: 1_000 });
const CACHED_MAX_CHARS = 200;

/** @param value a field of addresses, with encoded words in UTF-8 */
export function readAddresses(value: string): string {
  const known = addressTexts.get(value);
  if (known !== undefined) return known;
  const { text } = process('to', [value]) as AddressObject;
  // The key is a copy, because a piece of a head would keep all of the head in memory.
  if (value.length <= CACHED_MAX_CHARS) addressTexts.set(Buffer.from(value).toString(), text);
  return text;
}

/** Message ids, in angle brackets. @param values all fields of that name; the last counts (D38) */
export const readIds = (key: string, values: readonly string[]): string[] =>
  values.length === 0
    ? []
    : [
        (process(key, key === 'references' ? values : values.slice(-1)) ?? []) as string | string[],
      ].flat();

const process = (key: string, values: readonly string[]): unknown =>
  parser
    .processHeaders(values.map((value) => ({ key, line: byteText(`${key}:${value}`) })))
    .get(key);

const byteText = (text: string): string => Buffer.from(text).toString('latin1');

/** A value with parameters, such as Content-Disposition. */
export function readParameters(value: string): { value: string; params: Record<string, string> } {
  const read = parser.libmime.parseHeaderValue(unfolded(value));
  return { value: parser.libmime.decodeWords(read.value || ''), params: read.params };
}

export const decodeUtf8Words = (text: string): string => parser.libmime.decodeWords(text);

/** application/octet-stream for an extension that is unknown. */
export const typeOfFilename = (filename: string): string => parser.libmime.detectMimeType(filename);

/**
 * mailparser reads header fields: addresses, message ids and parameters (RFC 2231). It has no
 * public function for a single field, so this file uses private members. A test checks that each
 * exists.
 */
import { type AddressObject, MailParser, type StructuredHeader } from 'mailparser';

import { unfolded } from './head.ts';

/** What of a parser is used. None of it keeps anything between two calls. */
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

/** Fields that are read, with values in Unicode. */
type NamedValue = { key: string; value: string };

export type ReadFields = {
  /** Of all fields of that name that count, as text; undefined when there is none. */
  addresses(key: string): string | undefined;
  /** Message ids, in angle brackets. */
  ids(key: string): string[];
};

/** @param fields whose encoded words are in UTF-8 */
export function readFields(fields: readonly NamedValue[]): ReadFields {
  const found = parser.processHeaders(
    fields.map(({ key, value }) => ({ key, line: byteText(`${key}:${value}`) })),
  );
  return {
    addresses: (key) =>
      found.has(key)
        ? [found.get(key) as AddressObject | AddressObject[]]
            .flat()
            .map(({ text }) => text)
            .join(', ')
        : undefined,
    ids: (key) => [(found.get(key) ?? []) as string | string[]].flat(),
  };
}

const byteText = (text: string): string => Buffer.from(text).toString('latin1');

/** A value with parameters, such as Content-Disposition. */
export function readParameters(value: string): { value: string; params: Record<string, string> } {
  const read = parser.libmime.parseHeaderValue(unfolded(value));
  return { value: parser.libmime.decodeWords(read.value || ''), params: read.params };
}

export const decodeUtf8Words = (text: string): string => parser.libmime.decodeWords(text);

/** application/octet-stream for an extension that is unknown. */
export const typeOfFilename = (filename: string): string => parser.libmime.detectMimeType(filename);

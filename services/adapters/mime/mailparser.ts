/**
 * mailparser reads header fields: message ids and parameters (RFC 2231). It has no
 * public function for a single field, so this file uses private members. A test checks that each
 * exists.
 */
import { MailParser, type StructuredHeader } from 'mailparser';

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

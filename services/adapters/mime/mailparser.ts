/**
 * mailparser reads message ids and knows types of files. It has no public functions for them, so this
 * file uses private members. A test checks that each exists.
 */
import { MailParser } from 'mailparser';

/** The members of a parser that are used. They keep nothing between two calls. */
export type PrivateMembers = {
  /** Reads each line by its key. Lines have one character for each byte of their UTF-8. */
  processHeaders(lines: readonly { key: string; line: string }[]): Map<string, unknown>;
  libmime: {
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

/** application/octet-stream for an extension that is unknown. */
export const typeOfFilename = (filename: string): string => parser.libmime.detectMimeType(filename);

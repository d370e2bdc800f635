/**
 * The attachments that a payload links to, as one stored file: for each of them a line of JSON that
 * describes it, then its decoded bytes. So a download reads neither the email nor a whole
 * attachment into memory.
 */
import type { ParsedAttachment } from './payload.ts';
import { cutText, storableJson } from '../text/text.ts';

type Description = {
  filename: string | null;
  content_type: string;
  /** Length of the bytes that follow the line. */
  size: number;
};

type LinkedAttachment = {
  filename: string | null;
  contentType: string;
  /** Bytes of the content. */
  size: number;
  /** Is read once, and ends after `size` bytes. */
  content: AsyncIterable<Uint8Array>;
};

/** File systems accept no longer name. It also bounds the line, and the header of a download. */
const NAME_MAX_CHARS = 255;
/** A character takes at most six bytes as JSON. */
const LINE_MAX_BYTES = 4 * 1024;
const LF = 0x0a;

/** The file of an event, next to its raw email, which is named by the event id alone. */
export const attachmentsFile = (eventId: string): string => `${eventId}/attachments`;

/** The event of a file, or of a raw email. */
export const fileOwner = (name: string): string => name.split('/', 1)[0] ?? name;

/** The file in pieces. The contents are not copied. */
export function linkedAttachments(attachments: readonly ParsedAttachment[]): Uint8Array[] {
  return attachments.flatMap(({ filename, contentType, content }) => {
    const description: Description = {
      filename: filename && cutText(filename, NAME_MAX_CHARS),
      content_type: contentType.length > NAME_MAX_CHARS ? 'application/octet-stream' : contentType,
      size: content.byteLength,
    };
    return [Buffer.from(`${storableJson(description)}\n`), content];
  });
}

/**
 * Reads the attachments of the file one after another. A content that the caller does not read is
 * skipped.
 * @throws when the file is not one of {@link linkedAttachments}
 */
export async function* readLinkedAttachments(
  file: AsyncIterable<Uint8Array>,
): AsyncGenerator<LinkedAttachment> {
  const reader = createReader(file);
  for (let line = await reader.line(); line !== undefined; line = await reader.line()) {
    const { filename, content_type: contentType, size } = JSON.parse(line) as Description;
    const content = reader.take(size);
    yield { filename, contentType, size, content };
    for await (const _ of content);
  }
}

/**
 * Reads the file up to the attachment with this index, from 0. Undefined when there is none.
 * @throws as {@link readLinkedAttachments}
 */
export async function openLinkedAttachment(
  file: AsyncIterable<Uint8Array>,
  index: number,
): Promise<LinkedAttachment | undefined> {
  const attachments = readLinkedAttachments(file);
  for (let at = 0; at < index; at++) await attachments.next();
  return (await attachments.next()).value ?? undefined;
}

function createReader(file: AsyncIterable<Uint8Array>) {
  const chunks = file[Symbol.asyncIterator]();
  let rest: Uint8Array = new Uint8Array(); // unread bytes of the last chunk
  const isAtEnd = async (): Promise<boolean> => {
    while (rest.byteLength === 0) {
      const { done, value } = await chunks.next();
      if (done === true) return true;
      rest = value;
    }
    return false;
  };
  /** The beginning of the rest. */
  const read = (maxBytes: number): Uint8Array => {
    const bytes = rest.subarray(0, maxBytes);
    rest = rest.subarray(bytes.byteLength);
    return bytes;
  };
  return {
    /** The next line without its end; undefined at the end of the file. */
    line: async (): Promise<string | undefined> => {
      if (await isAtEnd()) return undefined;
      let line = Buffer.alloc(0);
      while (line.at(-1) !== LF) {
        if (line.byteLength > LINE_MAX_BYTES || (await isAtEnd()))
          throw new Error('a description in the file of attachments has no end');
        line = Buffer.concat([line, read(rest.indexOf(LF) + 1 || LINE_MAX_BYTES)]);
      }
      return line.toString('utf8', 0, line.byteLength - 1);
    },
    take: async function* takeBytes(size: number): AsyncGenerator<Uint8Array> {
      for (let left = size; left > 0;) {
        if (await isAtEnd()) throw new Error('the file of attachments ends too early');
        const bytes = read(left);
        left -= bytes.byteLength;
        yield bytes;
      }
    },
  };
}

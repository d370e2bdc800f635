/** Bodies of the type multipart/form-data (RFC 7578). */
import { createHash } from 'node:crypto';

import type { WrittenBody, BodyPiece } from './body.ts';
import { oneLine } from './shown-headers.ts';
import type { StoredFile } from './stored-payload.ts';
import { storableText } from '../../text/text.ts';

export type FormField = [name: string, value: string];
export type FormFile = [name: string, file: StoredFile];

/**
 * @param eventId makes the boundary, so every attempt has the same one. A sender cannot know it: it
 * is made of random bytes after the email has arrived
 */
export function formBody(
  eventId: string,
  fields: readonly FormField[],
  files: readonly FormFile[],
): WrittenBody {
  const boundary = `inlet-${createHash('sha256').update(`form boundary ${eventId}`).digest('hex')}`;
  const pieces: BodyPiece[] = [];
  let text = '';
  for (const [name, value] of fields)
    text += `--${boundary}\r\nContent-Disposition: form-data; name="${quotable(name)}"\r\n\r\n${value}\r\n`;
  for (const [at, [name, file]] of files.entries()) {
    const filename = quotable(formFilename(file.filename, at));
    text +=
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\n` +
      `Content-Type: ${file.content_type}\r\n\r\n`;
    pieces.push(Buffer.from(storableText(text)), { bytesOf: file.base64 });
    text = '\r\n';
  }
  pieces.push(Buffer.from(storableText(`${text}--${boundary}--\r\n`)));
  return { contentType: `multipart/form-data; boundary=${boundary}`, pieces };
}

/** As browsers write names (HTML §4.10.21.8): some parsers reject a form with an escaped quote. */
const quotable = (text: string): string => oneLine(text).replaceAll('"', '%22');

/** Frameworks take the last part of a path, and drop a file without a name. */
const formFilename = (name: string, at: number): string => {
  const last = oneLine(name).split(/[/\\]/).at(-1)?.trim() ?? '';
  return /^\.{0,2}$/.test(last) ? `attachment-${at + 1}` : last;
};

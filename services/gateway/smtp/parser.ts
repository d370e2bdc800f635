/** smtp-server's parser of bytes, where it is not exact: it takes a bare LF for the end of a command, and dots away behind one in a mail. */
import type { SMTPStream } from 'smtp-server/lib/smtp-stream.js';

import { createUnstuffer } from '../../core/smtp/dot-stuffing.ts';

export type InspectLine = (
  line: Buffer,
  endsWithCrlf: boolean,
  obey: () => void,
  next: () => void,
) => void;

/** The parser does not tell how a command ended: this follows it through the bytes. What a client that hangs up leaves unfinished is no command. */
export function withLineEnds(parser: SMTPStream, inspect: InspectLine): SMTPStream {
  const write = parser._write.bind(parser);
  const obey = parser.oncommand.bind(parser);
  let unread = '';
  parser._write = (chunk, encoding, next) => {
    unread = parser._dataMode ? '' : unread + chunk.toString('latin1');
    write(chunk, encoding, next);
  };
  parser.oncommand = (line, next) => {
    if (next === undefined) return;
    const end = unread.startsWith('\r\n', line.byteLength) ? 2 : 1;
    unread = unread.slice(line.byteLength + end);
    inspect(line, end === 2, () => obey(line, next), next);
  };
  return parser;
}

/** DATA as the RFC reads it. */
export function withExactDots(parser: SMTPStream): SMTPStream {
  const startDataMode = parser.startDataMode.bind(parser);
  let unstuff = createUnstuffer();
  parser.startDataMode = (maxBytes) => {
    unstuff = createUnstuffer();
    return startDataMode(maxBytes);
  };
  parser._feedDataStream = (chunk, done) => {
    const { content, end } = unstuff(chunk);
    const mail = parser._dataStream;
    if (content.byteLength > 0) parser._countDataBytes(content.byteLength);
    const isDrained = !mail?.writable || content.byteLength === 0 || mail.write(content);
    if (end !== undefined) return parser._endDataMode(false, chunk.subarray(end), done);
    if (isDrained || mail.destroyed) return done();
    const onDrain = () => {
      mail.off('drain', onDrain).off('close', onDrain); // a stream that is destroyed closes and never drains
      done();
    };
    mail.on('drain', onDrain).on('close', onDrain);
  };
  return parser;
}

/**
 * Makes smtp-server's parser exact: it accepts a bare LF as the end of a command, and within an
 * email removes dots after one.
 */
import { createUnstuffer } from '../../core/smtp/dot-stuffing.ts';
import {
  beforeData,
  countDataBytes,
  dataStreamOf,
  endData,
  isInData,
  type LibraryParser,
  replaceDataReader,
  wrapOnCommand,
  wrapWrite,
} from './library.ts';

/** Calls `execute` to pass the line to smtp-server, or `next` to skip it. */
type InspectLine = (
  line: Buffer,
  endsWithCrlf: boolean,
  execute: () => void,
  next: () => void,
) => void;

/**
 * Shows every line to `inspect`, with how it ended, which the parser does not report. A line that a
 * disconnect cuts off is not a command.
 */
export function inspectLines(parser: LibraryParser, inspect: InspectLine): void {
  let unread = '';
  wrapWrite(parser, (chunk) => {
    unread = isInData(parser) ? '' : unread + chunk.toString('latin1');
  });
  wrapOnCommand(parser, (execute) => (line, next) => {
    if (next === undefined) return;
    const endBytes = unread.startsWith('\r\n', line.byteLength) ? 2 : 1;
    unread = unread.slice(line.byteLength + endBytes);
    inspect(line, endBytes === 2, () => execute(line, next), next);
  });
}

/** Reads DATA as RFC 5321 §4.5.2 defines it. */
export function readDotsExactly(parser: LibraryParser): void {
  let unstuff = createUnstuffer();
  beforeData(parser, () => {
    unstuff = createUnstuffer();
  });
  replaceDataReader(parser, (chunk, done) => {
    const { content, end } = unstuff(chunk);
    const email = dataStreamOf(parser);
    if (content.byteLength > 0) countDataBytes(parser, content.byteLength);
    const isDrained = !email?.writable || content.byteLength === 0 || email.write(content);
    if (end !== undefined) return endData(parser, chunk.subarray(end), done);
    if (isDrained || email.destroyed) return done();
    const onDrain = () => {
      email.off('drain', onDrain).off('close', onDrain); // a destroyed stream closes without drain
      done();
    };
    email.on('drain', onDrain).on('close', onDrain);
  });
}

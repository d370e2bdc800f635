/**
 * What undici does not do for a connection. It receives an unsolicited `100 Continue`: a client must
 * skip such a response (RFC 9110 §15.2), but undici closes the connection, and the webhook would be
 * sent again. And what a receiver sends has an end: undici reads informational responses and
 * extensions of chunks (RFC 9112 §7.1.1) for as long as they come.
 */
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

const CONTINUE = 'HTTP/1.1 100 ';
const HEAD_END = '\r\n\r\n';

/** Some four times of what `exchange` reads of a response. */
const RECEIVED_MAX_BYTES = 256 * 1024;

export const readingResponses =
  (connect: buildConnector.connector, maxBytes = RECEIVED_MAX_BYTES): buildConnector.connector =>
  (options, callback) =>
    connect(options, (...result) => {
      if (result[1]) readResponses(result[1], maxBytes);
      callback(...result);
    });

/** undici takes all bytes of a response from `read`. */
function readResponses(socket: Socket, maxBytes: number): void {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  let written = 0;
  let received = 0; // since something was written, so of one request
  const next = (size?: number): Buffer | null => {
    const chunk = read(size);
    if (socket.bytesWritten !== written) [written, received] = [socket.bytesWritten, 0];
    received += chunk?.byteLength ?? 0;
    if (received <= maxBytes) return chunk;
    socket.destroy(new Error(`the receiver sent more than ${maxBytes / 1024} KiB`));
    return null;
  };
  socket.read = function readWithoutContinue(size?: number): Buffer | null {
    let chunk = next(size);
    while (chunk?.toString('latin1', 0, CONTINUE.length) === CONTINUE) {
      const end = chunk.indexOf(HEAD_END);
      if (end === -1) return chunk;
      chunk = chunk.subarray(end + HEAD_END.length);
      if (chunk.length === 0) chunk = next(size);
    }
    return chunk;
  };
}

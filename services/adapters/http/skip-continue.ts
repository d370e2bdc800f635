/**
 * Lets undici receive an unsolicited `100 Continue`. A client must skip such a response (RFC 9110
 * §15.2), but undici closes the connection, and the webhook would be sent again.
 */
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

const CONTINUE = 'HTTP/1.1 100 ';
const HEAD_END = '\r\n\r\n';

/** @returns a connector whose sockets yield no `100 Continue` */
export const skippingContinue =
  (connect: buildConnector.connector): buildConnector.connector =>
  (options, callback) =>
    connect(options, (...result) => {
      if (result[1]) skipIn(result[1]);
      callback(...result);
    });

/** undici takes all bytes of a response from `read`. */
function skipIn(socket: Socket): void {
  const read = socket.read.bind(socket);
  socket.read = function readWithoutContinue(size?: number): Buffer | null {
    let chunk = read(size) as Buffer | null;
    while (chunk?.toString('latin1', 0, CONTINUE.length) === CONTINUE) {
      const end = chunk.indexOf(HEAD_END);
      if (end === -1) return chunk;
      chunk = chunk.subarray(end + HEAD_END.length);
      if (chunk.length === 0) chunk = read(size) as Buffer | null;
    }
    return chunk;
  };
}

/** Requests whose end a proxy in front may see at another place. */
import type { IncomingMessage } from 'node:http';

/**
 * Node also reads `identity, chunked` as chunks, where another program may not. Nobody needs another
 * coding than `chunked` (RFC 9112 §6.1).
 */
export const hasOtherTransferCoding = ({ headers }: IncomingMessage): boolean => {
  const coding = headers['transfer-encoding'];
  return coding !== undefined && coding.trim().toLowerCase() !== 'chunked';
};

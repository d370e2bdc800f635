/** The body of a request: its media type, and JSON within limits (D4, D5). */
import type { IncomingMessage } from 'node:http';

import { AppError } from '../../../core/error/app-error.ts';

const BODY_MAX_BYTES = 64 * 1024; // D5

/**
 * A longer body is read up to here before it is refused, because a client that is still sending
 * does not read the response.
 */
const READ_MAX_BYTES = 1024 * 1024;

/** The parsed body; a missing body is an empty object. */
export async function readJson(
  request: IncomingMessage,
  maxBytes = BODY_MAX_BYTES,
): Promise<unknown> {
  const contentType = request.headers['content-type'];
  if (contentType !== undefined && !isJson(contentType)) throw notJson();
  if (!isUncompressed(request.headers['content-encoding'])) throw notJson();
  const bytes = await readBytes(request, maxBytes);
  if (bytes === undefined)
    throw new AppError('payload_too_large', `The body exceeds ${maxBytes} bytes`);
  if (bytes.length === 0) return {};
  if (contentType === undefined) throw notJson();
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch (cause) {
    throw new AppError('invalid_json', 'The body is not valid JSON in UTF-8', { cause });
  }
}

/** @throws AppError `unsupported_media_type` for a body of another type, or a compressed one */
export function requireMediaType(
  { headers }: Pick<IncomingMessage, 'headers'>,
  mediaType: string,
): void {
  const [type = ''] = (headers['content-type'] ?? '').toLowerCase().split(';');
  if (type.trim() === mediaType && isUncompressed(headers['content-encoding'])) return;
  throw new AppError('unsupported_media_type', `The body must be uncompressed ${mediaType}`);
}

const isUncompressed = (encoding: string | undefined): boolean =>
  ['identity', undefined].includes(encoding);

const notJson = () =>
  new AppError('unsupported_media_type', 'The body must be uncompressed application/json in UTF-8');

function isJson(contentType: string): boolean {
  const [type = '', ...parameters] = contentType
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  return (
    type === 'application/json' &&
    parameters.every(
      (parameter) => !parameter.startsWith('charset=') || /^charset="?utf-?8"?$/.test(parameter),
    )
  );
}

/** `undefined` when the body exceeds this size. */
async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | undefined>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
    else if (bytes > READ_MAX_BYTES) resolve(undefined);
  });
  request.on('end', () => resolve(bytes > maxBytes ? undefined : Buffer.concat(chunks)));
  request.on('error', (cause) =>
    reject(new AppError('bad_request', 'The request body is incomplete', { cause })),
  ); // the client disconnected or was too slow
  return promise;
}

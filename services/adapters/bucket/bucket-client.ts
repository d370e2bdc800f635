/**
 * Stores and removes objects in a bucket with an S3 API
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/). An object is read once, in parts.
 */
import { createHash } from 'node:crypto';

import { type BucketAccess, hasUrls, NO_HOST_NAME, objectUrl } from '../../core/bucket/bucket.ts';
import { signedHeaders } from '../../core/bucket/signature.ts';
import type { StoredFile } from '../../core/bucket/stored-files.ts';
import { byteLengthOf } from '../../core/webhook/payload-bytes.ts';
import type { AgentOptions } from '../http/agents.ts';
import { createCheckedHttp } from '../http/checked-http.ts';
import type { HttpRequest, HttpResponse } from '../http/exchange.ts';
import { inParts } from './parts.ts';

export type BucketClient = AsyncDisposable & {
  /** Replaces an object of the same key. @throws BucketFault */
  put(access: BucketAccess, key: string, content: AsyncIterable<Uint8Array>): Promise<StoredFile>;
  /** The content of an object, of any size for the operator's client. @throws BucketFault, also while it is read */
  read(access: BucketAccess, key: string): AsyncIterable<Uint8Array>;
  /** No error when there is no such object. @throws BucketFault */
  remove(access: BucketAccess, key: string): Promise<void>;
};

/** The bucket did not do what it was asked. The message is for the customer. */
export class BucketFault extends Error {
  override readonly name = 'BucketFault';
  /** There is no such object. AWS says so only to who may list the bucket, and 403 to others. */
  readonly isMissing: boolean;

  constructor(
    message: string,
    { isMissing = false, ...options }: ErrorOptions & { isMissing?: boolean } = {},
  ) {
    super(message, options);
    this.isMissing = isMissing;
  }
}

const RESPONSE_BYTES = 16 * 1024;
const REQUEST_TIMEOUT_MS = 60_000;

/** A browser never shows such a file as a page of the bucket's origin: the sender chose its content. */
const FILE_HEADERS = {
  'content-type': 'application/octet-stream',
  'content-disposition': 'attachment',
};

type Call = {
  method: HttpRequest['method'];
  key: string;
  /** With its question mark. */
  query?: string;
  body?: readonly Uint8Array[];
  /** Digest of the body, in hex, if it is known. */
  sha256?: string;
  headers?: Record<string, string>;
  /** An error that counts as success. */
  expected?: string;
};

/** Anything else of a response could deceive who reads a record, in a terminal for example. */
const ERROR_CODE = /^[A-Za-z0-9.]{1,64}$/;

/** The operator chooses the endpoint of their own bucket, so it may be anywhere, also inside the cluster. */
const ANYWHERE = ['0.0.0.0/0', '::/0'];

/** For the bucket of the operator, with the backups. */
export const createOperatorBucketClient = (options: Pick<AgentOptions, 'extraCa'>): BucketClient =>
  createBucketClient({
    ...options,
    timeoutMs: REQUEST_TIMEOUT_MS,
    allowedNetworks: ANYWHERE,
    responseMaxBytes: Infinity, // a backup
  });

export function createBucketClient(options: AgentOptions): BucketClient {
  const http = createCheckedHttp({
    ...options,
    timeoutMs: REQUEST_TIMEOUT_MS,
    excerptBytes: RESPONSE_BYTES,
  });

  const call = async (
    access: BucketAccess,
    { method, key, query = '', body = [], sha256 = sha256Of(body), headers = {}, expected }: Call,
  ): Promise<HttpResponse> => {
    const url = `${checkedUrl(access, key)}${query}`;
    const signed = signedHeaders(access, { method, url, headers, sha256 }, new Date());
    const response = await http
      .send(url, { method, headers: signed, body })
      .catch((cause: Error) => {
        throw new BucketFault(`${method}: ${cause.message}`, { cause });
      });
    const code = element(response.excerpt, 'Code'); // also in a 200 that ends an upload in parts
    if (response.status >= 200 && response.status < 300 && !response.excerpt?.includes('<Code>'))
      return response;
    if (code !== undefined && code === expected) return response;
    const said = code !== undefined && ERROR_CODE.test(code) ? ` ${code}` : '';
    throw new BucketFault(`${method}: it responded with ${response.status}${said}`);
  };

  const beginUpload = async (access: BucketAccess, key: string): Promise<string> => {
    const begun = await call(access, {
      method: 'POST',
      key,
      query: '?uploads=',
      headers: FILE_HEADERS,
    });
    const id = element(begun.excerpt, 'UploadId');
    if (id === undefined) throw new BucketFault('POST: the response names no upload');
    return `uploadId=${encodeURIComponent(id)}`;
  };

  const putParts = async (
    access: BucketAccess,
    key: string,
    first: readonly Uint8Array[],
    others: ReturnType<typeof inParts>,
  ): Promise<StoredFile> => {
    const upload = await beginUpload(access, key);
    const digest = createHash('sha256');
    let size_bytes = 0;
    let list = '';
    let number = 0;
    const putPart = async (body: readonly Uint8Array[]): Promise<void> => {
      for (const piece of body) digest.update(piece);
      size_bytes += byteLengthOf(body);
      const query = `?partNumber=${++number}&${upload}`;
      const etag = (await call(access, { method: 'PUT', key, query, body })).header('etag') ?? '';
      list += `<Part><PartNumber>${number}</PartNumber><ETag>${inXml(etag)}</ETag></Part>`;
    };
    try {
      await putPart(first);
      for await (const { pieces } of others) await putPart(pieces);
      const body = [Buffer.from(`<CompleteMultipartUpload>${list}</CompleteMultipartUpload>`)];
      await call(access, { method: 'POST', key, query: `?${upload}`, body });
      return { sha256: digest.digest('hex'), size_bytes };
    } catch (error) {
      // Parts that stay cost the customer money until a rule of the bucket removes them.
      await call(access, { method: 'DELETE', key, query: `?${upload}` }).catch(() => undefined);
      throw error;
    }
  };

  return {
    put: async function putObject(access, key, content) {
      const parts = inParts(content);
      const first = (await parts.next()).value;
      if (first === undefined) throw new Error('no part'); // there is always one
      if (!first.isLast) return putParts(access, key, first.pieces, parts);
      const body = first.pieces;
      const sha256 = sha256Of(body);
      await call(access, { method: 'PUT', key, body, sha256, headers: FILE_HEADERS });
      return { sha256, size_bytes: byteLengthOf(body) };
    },
    read: async function* readObject(access, key) {
      const url = checkedUrl(access, key);
      const headers = signedHeaders(
        access,
        { method: 'GET', url, headers: {}, sha256: sha256Of([]) },
        new Date(),
      );
      let isMissing = false;
      try {
        const { status, body } = await http.get(url, headers);
        if (status === 200) return yield* body as AsyncIterable<Uint8Array>;
        isMissing = status === 404;
        body.on('error', () => undefined).destroy(); // its end before its last byte is one
        throw new Error(`it responded with ${status}`);
      } catch (cause) {
        throw new BucketFault(`GET: ${(cause as Error).message}`, { cause, isMissing });
      }
    },
    remove: async function removeObject(access, key) {
      // AWS responds with 204 when there is no such object, Google with 404
      await call(access, { method: 'DELETE', key, expected: 'NoSuchKey' });
    },
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  };
}

/** @throws BucketFault */
function checkedUrl(access: BucketAccess, key: string): string {
  if (hasUrls(access)) return objectUrl(access, key);
  throw new BucketFault(NO_HOST_NAME);
}

function sha256Of(body: readonly Uint8Array[]): string {
  const digest = createHash('sha256');
  for (const piece of body) digest.update(piece);
  return digest.digest('hex');
}

/** A code of an error becomes part of records, so it may hold nothing but a name. */
const ELEMENTS = {
  Code: /<Code>\s*([A-Za-z0-9.]{1,64})\s*<\/Code>/,
  UploadId: /<UploadId>\s*([^<\s]{1,1024})\s*<\/UploadId>/,
} as const;
/** The text of an element in a short XML response; undefined without such an element. */
const element = (xml: string | null, name: 'Code' | 'UploadId'): string | undefined => {
  const match = xml?.match(ELEMENTS[name]);
  return match?.[1];
};

/** An ETag is in quotes (RFC 9110 §8.8.3). */
const inXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

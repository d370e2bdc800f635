/**
 * Signatures of the S3 API: AWS Signature Version 4, as
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html describes it.
 */
import { createHmac, hash } from 'node:crypto';

import { type BucketAccess, objectUrl } from './bucket.ts';

type Unsigned = {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  /** The SHA-256 digest of the body, in hex. */
  sha256: string;
};

const ALGORITHM = 'AWS4-HMAC-SHA256';

/** The headers of the request, with its signature of the host and of all headers of Amazon. */
export function signedHeaders(
  access: BucketAccess,
  { method, url, headers, sha256 }: Unsigned,
  now: Date,
): Record<string, string> {
  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const all: Record<string, string> = {
    ...Object.fromEntries(lowerCase),
    'x-amz-content-sha256': sha256,
    'x-amz-date': timeOf(now),
  };
  const target = new URL(url);
  const names = ['host', ...Object.keys(all).filter((name) => name.startsWith('x-amz-'))];
  const signed = names
    .toSorted()
    .map((name) => [name, name === 'host' ? target.host : (all[name] ?? '')] as const);
  const { scope, signature } = sign(access, { method, target, signed, sha256 }, now);
  const list = signed.map(([name]) => name).join(';');
  return {
    ...all,
    authorization: `${ALGORITHM} Credential=${scope}, SignedHeaders=${list}, Signature=${signature}`,
  };
}

/** A link to an object that works without credentials for so long. */
export function objectLink(access: BucketAccess, key: string, seconds: number, now: Date): string {
  const target = new URL(objectUrl(access, key));
  const parameters = {
    'X-Amz-Algorithm': ALGORITHM,
    'X-Amz-Credential': scopeOf(access, now),
    'X-Amz-Date': timeOf(now),
    'X-Amz-Expires': String(seconds),
    'X-Amz-SignedHeaders': 'host',
  };
  for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, value);
  const signed = [['host', target.host]] as const;
  const question = { method: 'GET', target, signed, sha256: 'UNSIGNED-PAYLOAD' };
  target.searchParams.set('X-Amz-Signature', sign(access, question, now).signature);
  return target.href;
}

type Question = {
  method: string;
  target: URL;
  /** Names in lower case and in order, with their values. */
  signed: readonly (readonly [name: string, value: string])[];
  sha256: string;
};

function sign(access: BucketAccess, { method, target, signed, sha256 }: Question, now: Date) {
  const canonical = [
    method,
    canonicalPath(target),
    canonicalQuery(target),
    ...signed.map(([name, value]) => `${name}:${value.trim().replace(/ +/g, ' ')}`),
    '',
    signed.map(([name]) => name).join(';'),
    sha256,
  ].join('\n');
  const scope = scopeOf(access, now);
  const [, ...parts] = scope.split('/').slice(-5); // date, region, service, aws4_request
  const text = [ALGORITHM, timeOf(now), parts.join('/'), hash('sha256', canonical)].join('\n');
  const start: string | Buffer = `AWS4${access.secret_access_key}`;
  const key = parts.reduce<string | Buffer>((last, part) => hmac(last, part), start);
  return { scope, signature: hmac(key, text).toString('hex') };
}

const hmac = (key: string | Buffer, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest();

/** `20130524T000000Z` */
const timeOf = (now: Date): string => now.toISOString().replace(/[:-]|\.\d{3}/g, '');

const scopeOf = ({ access_key_id: id, region }: BucketAccess, now: Date): string =>
  `${id}/${timeOf(now).slice(0, 8)}/${region}/s3/aws4_request`;

/** RFC 3986 §2.3: everything but unreserved characters is encoded, once. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** S3 decodes the path, takes a plus sign for a blank, and does not know `%2F` from a slash. */
const canonicalPath = ({ pathname }: URL): string =>
  encoded(decoded(pathname.replaceAll('+', ' '))).replaceAll('%2F', '/');

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // a key with a percent sign of its own
  }
}

const canonicalQuery = ({ searchParams }: URL): string =>
  [...searchParams]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .toSorted()
    .join('&');

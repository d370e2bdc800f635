/**
 * M.1: signatures of the S3 API, in both styles of URLs. The examples with `examplebucket` are those of
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html and …/sig-v4-header-based-auth.html
 */
import { expect, test } from 'vitest';

import { type BucketAccess, objectUrl } from '../../../services/core/bucket/bucket.ts';
import { objectLink, signedHeaders } from '../../../services/core/bucket/signature.ts';

const NOW = new Date(Date.UTC(2013, 4, 24));

const AWS: BucketAccess = {
  endpoint: 'https://s3.amazonaws.com',
  bucket: 'examplebucket',
  region: 'us-east-1',
  addressing: 'host',
  access_key_id: 'AKIAIOSFODNN7EXAMPLE',
  secret_access_key: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

test('M.1: a link with the signature of the example of AWS', () => {
  const link = new URL(objectLink(AWS, 'test.txt', 86_400, NOW));
  expect(link.host + link.pathname).toBe('examplebucket.s3.amazonaws.com/test.txt');
  expect(Object.fromEntries(link.searchParams)).toEqual({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': 'AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request',
    'X-Amz-Date': '20130524T000000Z',
    'X-Amz-Expires': '86400',
    'X-Amz-SignedHeaders': 'host',
    'X-Amz-Signature': 'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  });
});

test('M.1: headers with the signature of the example of AWS', () => {
  const url = `${objectUrl(AWS, '')}?lifecycle`;
  const headers = signedHeaders(AWS, { method: 'GET', url, headers: {}, sha256: NOTHING }, NOW);
  expect(headers.authorization).toContain(
    'Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  );
});

const CLOUDFLARE = 'https://0123456789abcdef.r2.cloudflarestorage.com';
test.each<[what: string, place: Partial<BucketAccess>, url: string]>([
  ['path style of AWS', { addressing: 'path' }, 'https://s3.amazonaws.com/examplebucket/a/b'],
  [
    'R2',
    { endpoint: CLOUDFLARE, region: 'auto', addressing: 'path' },
    `${CLOUDFLARE}/examplebucket/a/b`,
  ],
  [
    'the host style of Google Cloud Storage',
    { endpoint: 'https://storage.googleapis.com', region: 'auto' },
    'https://examplebucket.storage.googleapis.com/a/b',
  ],
  [
    'a port',
    { endpoint: 'https://minio.example:9000', addressing: 'path' },
    'https://minio.example:9000/examplebucket/a/b',
  ],
])('M.1: %s: where the object is, and the region that is signed', (_, place, url) => {
  const access = { ...AWS, ...place };
  const link = new URL(objectLink(access, 'a/b', 60, NOW));
  expect(link.origin + link.pathname).toBe(url);
  expect(link.searchParams.get('X-Amz-Credential')).toContain(`/${access.region}/s3/`);
  const headers = signedHeaders(access, { method: 'PUT', url, headers: {}, sha256: NOTHING }, NOW);
  expect(headers['x-amz-content-sha256']).toBe(NOTHING); // a digest, no trailer: GCS has none
  expect(headers.authorization).toContain('SignedHeaders=host;x-amz-content-sha256;x-amz-date,');
});

test('keys and parameters are encoded once, and blanks in headers are folded', () => {
  const url = `${objectUrl(AWS, "a%20b/%C3%BC+(1)'!*~")}?partNumber=3&uploadId=a%2Fb`;
  const headers = { 'Content-Type': 'text/plain', 'x-amz-meta-a': ' some  text ' };
  const signed = signedHeaders(AWS, { method: 'PUT', url, headers, sha256: NOTHING }, NOW);
  expect(signed).toMatchObject({
    'content-type': 'text/plain',
    'x-amz-date': '20130524T000000Z',
    authorization: expect.stringContaining(
      'SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-meta-a, ',
    ) as string,
  });
  // what other implementations sign for this request
  expect(signed.authorization).toMatch(
    /Signature=2c61c0dbb1a0754b26733cd8e7ab596c9529634406e79ec319f4de57855987d2$/,
  );
});

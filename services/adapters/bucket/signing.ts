/** Signatures of the S3 API (AWS Signature Version 4). */
import { AwsV4Signer } from 'aws4fetch';

import { type BucketAccess, objectUrl } from '../../core/bucket/bucket.ts';

type Unsigned = {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Of the body, in hex. */
  sha256: string;
};

const signer = (
  { region, access_key_id, secret_access_key }: BucketAccess,
  request: { method: string; url: string; headers?: Record<string, string>; signQuery?: boolean },
) =>
  new AwsV4Signer({
    ...request,
    service: 's3',
    region,
    accessKeyId: access_key_id,
    secretAccessKey: secret_access_key,
  });

/** The headers of the request, with its signature. */
export async function signedHeaders(
  access: BucketAccess,
  { sha256, ...request }: Unsigned,
): Promise<Record<string, string>> {
  const headers = { ...request.headers, 'x-amz-content-sha256': sha256 };
  const signed = await signer(access, { ...request, headers }).sign();
  return Object.fromEntries(signed.headers);
}

/** A link to an object that works without credentials for so long. */
export async function objectLink(
  access: BucketAccess,
  key: string,
  seconds: number,
): Promise<string> {
  const url = `${objectUrl(access, key)}?X-Amz-Expires=${seconds}`;
  return (await signer(access, { method: 'GET', url, signQuery: true }).sign()).url.href;
}

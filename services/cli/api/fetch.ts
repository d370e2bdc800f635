/** fetch that also trusts private certificate authorities, on every Node that the package supports. */
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { rootCertificates } from 'node:tls';

import { connectOptions } from '../../adapters/dns/sockets.ts';
import { usageFault } from '../terminal/failure.ts';

export type Fetch = (request: Request) => Promise<Response>;

/** Responses that have no body (Fetch standard, "null body status"). */
const WITHOUT_BODY = new Set([101, 204, 205, 304]);

/** @throws Failure when the file has no certificates */
export async function readCaFile(path: string): Promise<string> {
  const pem = await readFile(path, 'utf8').catch(() => undefined);
  if (pem === undefined) throw usageFault(`cannot read the CA file ${path}`);
  if (!pem.includes('-----BEGIN CERTIFICATE-----'))
    throw usageFault(`the CA file ${path} contains no certificate in PEM format`);
  return pem;
}

/** @param privateCa PEM; the fetch of Node does not take authorities, so its HTTPS client does it */
export const createFetch = (privateCa: readonly string[]): Fetch =>
  privateCa.length === 0
    ? (request) => fetch(request)
    : (request) =>
        request.url.startsWith('https:')
          ? fetchTrusting([...rootCertificates, ...privateCa], request)
          : fetch(request);

/** Like fetch with `redirect: 'manual'`. */
async function fetchTrusting(ca: readonly string[], request: Request): Promise<Response> {
  const { url, method, signal } = request;
  const body = Buffer.from(await request.arrayBuffer());
  const headers = Object.fromEntries(request.headers);
  const received = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = requestHttps(
      url,
      { method, headers, ca: [...ca], signal, ...connectOptions() },
      resolve,
    );
    sent.on('error', reject);
    sent.end(body);
  });
  const { statusCode: status = 0 } = received;
  const pairs = Object.entries(received.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  if (WITHOUT_BODY.has(status)) received.resume();
  const content = WITHOUT_BODY.has(status) ? null : (Readable.toWeb(received) as ReadableStream);
  return new Response(content, { status, headers: pairs });
}

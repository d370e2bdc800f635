/** A `fetch` that trusts the user's own certificate authorities in addition to the public ones. */
import { readFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';
import { Agent, fetch, type RequestInit, type Response } from 'undici';

import { lookUpHost } from '../dns/name-servers.ts';

type TrustingFetch = (url: string, options: RequestInit) => Promise<Response>;

/** `caFile` is a PEM file, if there are own authorities. @throws when it cannot be read */
export async function createTrustingFetch(caFile: string | undefined): Promise<TrustingFetch> {
  const own = caFile !== undefined && [await readFile(caFile, 'utf8')];
  const dispatcher = new Agent({
    connect: { lookup: lookUpHost, ...(own && { ca: [...rootCertificates, ...own] }) },
  });
  return (url, options) => fetch(url, { ...options, dispatcher });
}

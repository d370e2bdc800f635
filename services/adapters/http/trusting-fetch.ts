/** A `fetch` that trusts the user's own certificate authorities in addition to the public ones. */
import { readFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';
import { Agent, fetch, type RequestInit, type Response } from 'undici';

export type TrustingFetch = (url: string, options: RequestInit) => Promise<Response>;

/** `caFile` is a PEM file. @throws when it cannot be read */
export async function createTrustingFetch(caFile: string): Promise<TrustingFetch> {
  const ca = [...rootCertificates, await readFile(caFile, 'utf8')];
  const dispatcher = new Agent({ connect: { ca } });
  return (url, options) => fetch(url, { ...options, dispatcher });
}

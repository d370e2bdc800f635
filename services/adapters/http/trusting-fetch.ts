/** A `fetch` that trusts the user's own certificate authorities in addition to the public ones. */
import { readFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';
import { Agent, fetch, type RequestInit, type Response } from 'undici';

import { HTTP_POOL } from '../../core/network/deadlines.ts';
import { connectOptions } from '../dns/sockets.ts';

type TrustingFetch = (url: string, options: RequestInit) => Promise<Response>;

/**
 * The caller limits each request.
 * @param caFile PEM, if there are own authorities
 * @param timeoutMs for a connection
 * @throws when the file cannot be read
 */
export async function createTrustingFetch(
  caFile: string | undefined,
  timeoutMs: number,
): Promise<TrustingFetch> {
  const own = caFile !== undefined && [await readFile(caFile, 'utf8')];
  const dispatcher = new Agent({
    ...HTTP_POOL,
    connect: {
      ...connectOptions(timeoutMs),
      timeout: timeoutMs,
      ...(own && { ca: [...rootCertificates, ...own] }),
    },
  });
  return (url, options) => fetch(url, { ...options, dispatcher });
}

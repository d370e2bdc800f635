/** What the URL of a webhook says about its receiver, read once for many attempts. */
import { isIP } from 'node:net';

import { LRUCache } from 'lru-cache';

import { networkRefusal } from '../../core/network/public-network.ts';

export type ParsedUrl = {
  origin: string;
  path: string;
  hostname: string;
  /** The port, when it is not 443. */
  port: number | undefined;
  /**
   * Why it is never called: the text is not a URL, or names a literal address that is not allowed.
   */
  refusal: Error | undefined;
};

export class BlockedUrl extends Error {
  override readonly name = 'BlockedUrl';
}

const REMEMBERED = 1_000;

/** @param allowedNetworks CIDR ranges that are allowed although they are not public */
export function createParsedUrls(allowedNetworks: readonly string[]): (url: string) => ParsedUrl {
  const targets = new LRUCache<string, ParsedUrl>({ max: REMEMBERED });
  return function parsedUrl(url) {
    const known = targets.get(url);
    if (known) return known;
    const target = parseUrl(url, allowedNetworks);
    targets.set(url, target);
    return target;
  };
}

function parseUrl(text: string, allowedNetworks: readonly string[]): ParsedUrl {
  const url = URL.parse(text);
  if (url === null) return { ...NOWHERE, refusal: new Error('Invalid URL') };
  const { origin, pathname, search, hostname, port } = url;
  return {
    origin,
    path: `${pathname}${search}`,
    hostname,
    port: port === '' ? undefined : Number(port),
    refusal: literalRefusal(hostname, allowedNetworks),
  };
}

const NOWHERE = { origin: '', path: '', hostname: 'the host', port: undefined };

/** A literal address needs no lookup, so the check of lookups never sees it. */
function literalRefusal(hostname: string, allowed: readonly string[]): BlockedUrl | undefined {
  const ip = hostname.replace(/^\[|\]$/g, '');
  const refusal = isIP(ip) ? networkRefusal(ip, allowed) : undefined;
  return refusal ? new BlockedUrl(`${hostname} is ${refusal}`) : undefined;
}

/** What the URL of a webhook says about its receiver, read once for many attempts. */
import { isIP } from 'node:net';

import { LRUCache } from 'lru-cache';

import { networkRefusal } from '../../core/webhook/public-network.ts';

export type WebhookTarget = {
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

export class BlockedTarget extends Error {
  override readonly name = 'BlockedTarget';
}

const REMEMBERED = 1_000;

/** @param allowedNetworks CIDR ranges that are allowed although they are not public */
export function createWebhookTargets(
  allowedNetworks: readonly string[],
): (url: string) => WebhookTarget {
  const targets = new LRUCache<string, WebhookTarget>({ max: REMEMBERED });
  return function webhookTarget(url) {
    const known = targets.get(url);
    if (known) return known;
    const target = readTarget(url, allowedNetworks);
    targets.set(url, target);
    return target;
  };
}

function readTarget(text: string, allowedNetworks: readonly string[]): WebhookTarget {
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
function literalRefusal(hostname: string, allowed: readonly string[]): BlockedTarget | undefined {
  const ip = hostname.replace(/^\[|\]$/g, '');
  const refusal = isIP(ip) ? networkRefusal(ip, allowed) : undefined;
  return refusal ? new BlockedTarget(`${hostname} is ${refusal}`) : undefined;
}

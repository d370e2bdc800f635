/** The source address of a request, behind trusted proxies too. */
import type { IncomingMessage } from 'node:http';

import { isInNetworks, sourceNetwork } from '../../core/network/network.ts';

/** The proxies in front of the API that append the address of their client to X-Forwarded-For. */
export type ForwardingProxies = {
  /** Their networks. */
  networks: readonly string[];
  /** The most of them on the way of a request: what is further to the left, a client wrote. */
  hops: number;
};

/**
 * The client's IPv4 address or IPv6 /64, because one client can own a whole /64. X-Forwarded-For
 * counts only from trusted proxies.
 */
export function sourceOf(request: IncomingMessage, { networks, hops }: ForwardingProxies): string {
  const forwarded = String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((address) => address.trim())
    .filter((address) => address !== '');
  let source = request.socket.remoteAddress ?? '';
  for (let hop = 0; hop < hops && isInNetworks(source, networks); hop++) {
    const before = forwarded.pop(); // each proxy appends the address that connected to it
    if (before === undefined) break;
    source = before;
  }
  return sourceNetwork(source);
}

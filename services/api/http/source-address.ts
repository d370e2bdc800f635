/** The source address of a request, behind trusted proxies too. */
import type { IncomingMessage } from 'node:http';

import { isInNetworks, sourceNetwork } from '../../core/network.ts';

/**
 * The client's IPv4 address or IPv6 /64, because one client can own a whole /64. X-Forwarded-For
 * counts only from trusted proxies.
 */
export function sourceOf(request: IncomingMessage, trustedProxies: readonly string[]): string {
  const forwarded = String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((address) => address.trim())
    .filter((address) => address !== '');
  let source = request.socket.remoteAddress ?? '';
  while (isInNetworks(source, trustedProxies)) {
    const before = forwarded.pop(); // each proxy appends the address that connected to it
    if (before === undefined) break;
    source = before;
  }
  return sourceNetwork(source);
}

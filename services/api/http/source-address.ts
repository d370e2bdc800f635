/** Whom a request came from, as far as that can be believed. */
import type { IncomingMessage } from 'node:http';

import { isInNetworks, sourceNetwork } from '../../core/network.ts';

/** The address of the client, or the network that one client may have whole: /64 in IPv6. Proxies are believed only where they are trusted. */
export function sourceOf(request: IncomingMessage, trustedProxies: readonly string[]): string {
  const forwarded = String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((address) => address.trim())
    .filter((address) => address !== '');
  let source = request.socket.remoteAddress ?? '';
  while (isInNetworks(source, trustedProxies)) {
    const before = forwarded.pop(); // each proxy adds whom it heard to the end
    if (before === undefined) break;
    source = before;
  }
  return sourceNetwork(source);
}

/** Whom a request came from, as far as that can be believed. */
import type { IncomingMessage } from 'node:http';

import { isWithin } from '../core/public-network.ts';

/** The address of the client, or the network that one client may have whole: /64 in IPv6. Proxies are believed only where they are trusted. */
export function sourceOf(request: IncomingMessage, trustedProxies: readonly string[]): string {
  const forwarded = String(request.headers['x-forwarded-for'] ?? '').split(',').map((address) => address.trim()).filter((address) => address !== '');
  let source = request.socket.remoteAddress ?? '';
  while (isWithin(source, trustedProxies)) {
    const before = forwarded.pop(); // each proxy adds whom it heard to the end
    if (before === undefined) break;
    source = before;
  }
  return networkOf(source);
}

function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const [head = [], tail] = address.toLowerCase().split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - (tail?.length ?? 0)) }, () => '0');
  return [...head, ...zeros, ...(tail ?? [])].slice(0, 4).join(':');
}

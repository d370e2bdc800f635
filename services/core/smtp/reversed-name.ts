/**
 * The DNS name of an IP address: its parts in reverse order, in a zone (RFC 1035 §3.5,
 * RFC 3596 §2.5, RFC 5782 §2.1).
 */
import { type Ip, parseIp } from '../network/network.ts';

/**
 * `4.3.2.1.<zone>`, or the 32 nibbles of an IPv6 address. `undefined` when the text is not an
 * address. IPv4-mapped IPv6 addresses count as IPv4.
 * @param zone defaults to the zones of reverse lookups; blocklists have their own
 */
export function reversedName(address: string, zone?: string): string | undefined {
  const ip = parseIp(address);
  if (ip === undefined) return undefined;
  const ipv4 = ipv4Bytes(ip);
  const labels =
    ipv4 ?? ip.bytes.flatMap((byte) => [(byte >> 4).toString(16), (byte & 0xf).toString(16)]);
  return [...labels.toReversed(), zone ?? (ipv4 ? 'in-addr.arpa' : 'ip6.arpa')].join('.');
}

/** The bytes of an IPv4 address, or of one mapped into `::ffff:0:0/96` (RFC 4291 §2.5.5.2). */
function ipv4Bytes({ version, bytes }: Ip): readonly number[] | undefined {
  if (version === 4) return bytes;
  const isMapped = bytes.slice(0, 12).every((byte, at) => byte === (at < 10 ? 0 : 0xff));
  return isMapped ? bytes.slice(12) : undefined;
}

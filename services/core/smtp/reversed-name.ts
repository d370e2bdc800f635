/** The name under which the DNS keeps what belongs to an IP address: back to front, in a zone (RFC 1035 §3.5, RFC 3596 §2.5, RFC 5782 §2.1). */
import { parseIp } from '../delivery/public-network.ts';

const MAPPED_PREFIX = 0xffffn; // ::ffff:0:0/96, RFC 4291 §2.5.5.2

/**
 * `4.3.2.1.<zone>`, or the 32 nibbles of an IPv6 address; `undefined` for what is no address. IPv4 addresses mapped into IPv6 are IPv4.
 * @param zone that of reverse look-ups when absent; block lists have their own
 */
export function reversedName(address: string, zone?: string): string | undefined {
  const ip = parseIp(address);
  if (ip === undefined) return undefined;
  const isIpv4 = ip.version === 4 || ip.value >> 32n === MAPPED_PREFIX;
  const labels = isIpv4
    ? labelsOf(ip.value & 0xffff_ffffn, 4, 8n, 10)
    : labelsOf(ip.value, 32, 4n, 16);
  return [...labels, zone ?? (isIpv4 ? 'in-addr.arpa' : 'ip6.arpa')].join('.');
}

const labelsOf = (value: bigint, count: number, bits: bigint, radix: number): string[] =>
  Array.from({ length: count }, (_, i) =>
    ((value >> (BigInt(i) * bits)) & ((1n << bits) - 1n)).toString(radix),
  );

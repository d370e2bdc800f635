/**
 * Which IP addresses a webhook may be sent to: the public Internet, and what WEBHOOK_ALLOWED_NETWORKS opens (spec 5.2.7, D27, design §4).
 * The API asks for the literals in a URL, the dispatcher for every address that it is about to dial. And to which network an address belongs.
 */
import { z } from 'zod';

/** An address as a number of 32 (IPv4) or 128 (IPv6) bits. */
export type Ip = { version: 4 | 6; value: bigint };

/** A range of addresses: those that share the first `prefixBits` bits with `value`. */
type Network = Ip & { prefixBits: number };

// IANA special-purpose address registries (RFC 6890 and updates), the first match names the reason.
const SPECIAL = [
  ['this network', '0.0.0.0/8'],
  ['private', '10.0.0.0/8'],
  ['carrier-grade NAT', '100.64.0.0/10'],
  ['loopback', '127.0.0.0/8'],
  ['link-local', '169.254.0.0/16'], // cloud metadata services live here
  ['private', '172.16.0.0/12'],
  ['protocol assignments', '192.0.0.0/24'],
  ['documentation', '192.0.2.0/24'],
  ['6to4 relay', '192.88.99.0/24'],
  ['private', '192.168.0.0/16'],
  ['benchmarking', '198.18.0.0/15'],
  ['documentation', '198.51.100.0/24'],
  ['documentation', '203.0.113.0/24'],
  ['cloud metadata', '168.63.129.16/32'], // Azure's, in the midst of public space
  ['multicast', '224.0.0.0/4'],
  ['reserved', '240.0.0.0/4'],
  ['unspecified', '::/128'],
  ['loopback', '::1/128'],
  ['discard', '100::/64'],
  ['local NAT64', '64:ff9b:1::/48'], // RFC 8215
  ['Teredo', '2001::/32'],
  ['protocol assignments', '2001::/23'],
  ['documentation', '2001:db8::/32'],
  ['documentation', '3fff::/20'],
  ['unique local', 'fc00::/7'],
  ['link-local', 'fe80::/10'],
  ['site-local', 'fec0::/10'],
  ['multicast', 'ff00::/8'],
].map(([name = '', cidr = '']) => ({ name, network: known(cidr) }));

/** IPv6 forms that reach the IPv4 address in them: its first bit, counted from the left. */
const EMBEDDING = [
  { network: known('::ffff:0:0/96'), firstBit: 96 }, // mapped, RFC 4291 §2.5.5.2
  { network: known('::ffff:0:0:0/96'), firstBit: 96 }, // translated, RFC 2765
  { network: known('64:ff9b::/96'), firstBit: 96 }, // NAT64, RFC 6052
  { network: known('2002::/16'), firstBit: 16 }, // 6to4, RFC 3056
];

const GLOBAL_UNICAST = known('2000::/3'); // RFC 4291 §2.4: nothing else is handed out

/**
 * Why this address must not be dialled, in words; `undefined` lets it pass. What is no address does not pass.
 * @param allowed networks as text (`10.0.0.0/8`, `::1`) that pass although they are not public
 */
export function networkRefusal(address: string, allowed: readonly string[]): string | undefined {
  const ip = parseIp(address);
  return ip === undefined ? 'not an IP address' : refusalOf(ip, networksOf(allowed));
}

/** Whether this address belongs to one of the networks, in whichever form it is written. */
export function isWithin(address: string, networks: readonly string[]): boolean {
  const ip = parseIp(address);
  if (ip === undefined) return false;
  const inner = embedded(ip);
  return networksOf(networks).some(
    (network) => contains(network, ip) || (inner !== undefined && contains(network, inner)),
  );
}

/**
 * The network that one sender may have whole: an IPv4 address, in whichever form it is written, or the first 64 bits of an IPv6 one.
 * What is no address stands for itself.
 */
export function sourceNetwork(address: string): string {
  const ip = parseIp(address);
  const source = ip && (embedded(ip) ?? ip);
  if (source === undefined) return address;
  const groups =
    source.version === 4
      ? [24n, 16n, 8n, 0n].map((shift) => (source.value >> shift) & 0xffn)
      : [112n, 96n, 80n, 64n].map((shift) => (source.value >> shift) & 0xffffn);
  return source.version === 4
    ? groups.join('.')
    : `${groups.map((group) => group.toString(16)).join(':')}::/64`;
}

/** A setting that is a comma-separated list of networks. */
export const NetworkList = z.string().transform((text, context) => {
  const words = text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const bad = words.find((word) => parseNetwork(word) === undefined);
  if (bad === undefined) return words;
  context.addIssue({
    code: 'custom',
    message: `"${bad}" is not a network such as 10.0.0.0/8 or fd00::/8`,
  });
  return z.NEVER;
});

const networksOf = (texts: readonly string[]) =>
  texts.map(parseNetwork).filter((network) => network !== undefined);

function parseNetwork(text: string): Network | undefined {
  const [address = '', length, ...rest] = text.split('/');
  const ip = parseIp(address);
  if (ip === undefined || rest.length > 0 || address.includes('%')) return undefined;
  const width = widthOf(ip);
  if (length !== undefined && !/^\d{1,3}$/.test(length)) return undefined;
  const prefixBits = length === undefined ? width : Number(length);
  return prefixBits > width ? undefined : { ...ip, prefixBits };
}

function refusalOf(ip: Ip, allowed: readonly Network[]): string | undefined {
  if (allowed.some((network) => contains(network, ip))) return undefined;
  const inner = embedded(ip);
  if (inner !== undefined) return refusalOf(inner, allowed);
  const special = SPECIAL.find(({ network }) => contains(network, ip));
  if (special !== undefined) return special.name;
  return ip.version === 6 && !contains(GLOBAL_UNICAST, ip) ? 'reserved' : undefined;
}

function embedded(ip: Ip): Ip | undefined {
  const form = EMBEDDING.find(({ network }) => contains(network, ip));
  return (
    form && { version: 4, value: (ip.value >> BigInt(128 - 32 - form.firstBit)) & 0xffff_ffffn }
  );
}

function widthOf({ version }: Ip): 32 | 128 {
  return version === 4 ? 32 : 128;
}

function contains(network: Network, ip: Ip): boolean {
  const dropped = BigInt(widthOf(network) - network.prefixBits);
  return network.version === ip.version && network.value >> dropped === ip.value >> dropped;
}

/** An address in any of its usual spellings; `undefined` when the text is none. */
export function parseIp(text: string): Ip | undefined {
  const value = text.includes(':') ? ipv6Value(text) : ipv4Value(text);
  return value === undefined ? undefined : { version: text.includes(':') ? 6 : 4, value };
}

/** Dotted decimal only: URL parsers and sockets have normalised every other spelling. */
function ipv4Value(text: string): bigint | undefined {
  const parts = text.split('.');
  if (
    parts.length !== 4 ||
    !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
  )
    return undefined;
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

/** RFC 4291 §2.2, all three forms; a zone (`%eth0`) is cut off. */
function ipv6Value(text: string): bigint | undefined {
  const halves = (text.split('%')[0] ?? '').split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half, i) => groupsOf(half, i === halves.length - 1));
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined;
  const given = head.length + (tail?.length ?? 0);
  if (halves.length === 2 ? given > 7 : given !== 8) return undefined;
  const groups = [...head, ...Array.from({ length: 8 - given }, () => 0n), ...(tail ?? [])];
  return groups.reduce((value, group) => (value << 16n) | group, 0n);
}

function groupsOf(text: string, isLast: boolean): bigint[] | undefined {
  if (text === '') return [];
  const groups: bigint[] = [];
  const words = text.split(':');
  for (const [i, word] of words.entries()) {
    const dotted =
      isLast && i === words.length - 1 && word.includes('.') ? ipv4Value(word) : undefined;
    if (dotted !== undefined) groups.push(dotted >> 16n, dotted & 0xffffn);
    else if (/^[0-9a-f]{1,4}$/i.test(word)) groups.push(BigInt(`0x${word}`));
    else return undefined;
  }
  return groups;
}

function known(cidr: string): Network {
  const network = parseNetwork(cidr);
  if (network === undefined) throw new Error(`${cidr} is no network`);
  return network;
}

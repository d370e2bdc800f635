/**
 * IP addresses and lists of networks: trusted proxies, exempt sources, opened webhook networks.
 * `node:net` parses and compares. Some IPv6 forms reach the IPv4 address inside them, and count as
 * that address too.
 */
import { BlockList, isIP } from 'node:net';
import { z } from 'zod';

/** An IP address. `bytes` are 4 or 16 in network order; `text` has no zone (`%eth0`). */
export type Ip = { version: 4 | 6; text: string; bytes: readonly number[] };

/**
 * The address, in any spelling that sockets and URL parsers return. `undefined` when the text is
 * not an address.
 */
export function parseIp(written: string): Ip | undefined {
  const text = written.split('%')[0] ?? '';
  const version = isIP(text);
  if (version === 4) return { version, text, bytes: text.split('.').map(Number) };
  return version === 6 ? { version, text, bytes: ipv6Bytes(text) } : undefined;
}

/** @param text a valid IPv6 address (RFC 4291 §2.2), in any of its three forms */
function ipv6Bytes(text: string): number[] {
  const [head = [], tail = []] = text.split('::').map((half) =>
    half.split(':').flatMap((group) => {
      if (group.includes('.')) return group.split('.').map(Number);
      return group === '' ? [] : [parseInt(group, 16) >> 8, parseInt(group, 16) & 0xff];
    }),
  );
  return [...head, ...Array.from({ length: 16 - head.length - tail.length }, () => 0), ...tail];
}

/**
 * One BlockList for each version: a single one would let an IPv6 network such as `::/0` match IPv4
 * addresses.
 */
export type Networks = Readonly<Record<Ip['version'], BlockList>>;

const cache = new WeakMap<readonly string[], Networks>();

/** As `createNetworks`, once for each array: lists come from settings and never change. */
export function networksOf(texts: readonly string[]): Networks {
  const networks = cache.get(texts) ?? createNetworks(texts);
  cache.set(texts, networks);
  return networks;
}

/** @param texts networks such as `10.0.0.0/8`, or single addresses; other text matches nothing */
export function createNetworks(texts: readonly string[]): Networks {
  const networks: Networks = { 4: new BlockList(), 6: new BlockList() };
  for (const text of texts) {
    const network = parseNetwork(text);
    if (network === undefined) continue;
    const { ip, prefixBits } = network;
    networks[ip.version].addSubnet(ip.text, prefixBits, familyOf(ip));
  }
  return networks;
}

export const contains = (networks: Networks, ip: Ip): boolean =>
  networks[ip.version].check(ip.text, familyOf(ip));

const familyOf = ({ version }: Ip) => (version === 4 ? 'ipv4' : 'ipv6');

/** A network such as `10.0.0.0/8`, or a single address; undefined for any other text. */
export function parseNetwork(text: string): { ip: Ip; prefixBits: number } | undefined {
  const [address = '', length, ...rest] = text.split('/');
  const ip = parseIp(address);
  if (ip === undefined || rest.length > 0 || address.includes('%')) return undefined;
  if (length !== undefined && !/^\d{1,3}$/.test(length)) return undefined;
  const widthBits = ip.bytes.length * 8;
  const prefixBits = length === undefined ? widthBits : Number(length);
  return prefixBits > widthBits ? undefined : { ip, prefixBits };
}

/**
 * IPv6 forms that reach the IPv4 address inside them, and the byte at which that address starts.
 */
const EMBEDDING = [
  // IPv4-mapped (RFC 4291 §2.5.5.2), IPv4-translated (RFC 2765), NAT64 (RFC 6052)
  { start: 12, networks: createNetworks(['::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96']) },
  { start: 2, networks: createNetworks(['2002::/16']) }, // 6to4 (RFC 3056)
];

/** The IPv4 address that this IPv6 address reaches; `undefined` when it reaches none. */
export function embeddedIpv4(ip: Ip): Ip | undefined {
  if (ip.version === 4) return undefined;
  const form = EMBEDDING.find(({ networks }) => contains(networks, ip));
  if (form === undefined) return undefined;
  const bytes = ip.bytes.slice(form.start, form.start + 4);
  return { version: 4, text: bytes.join('.'), bytes };
}

/** Whether one of the networks contains this address, or the IPv4 address inside it. */
export function isInNetworks(address: string, networks: readonly string[]): boolean {
  if (networks.length === 0) return false;
  const ip = parseIp(address);
  if (ip === undefined) return false;
  const list = networksOf(networks);
  const inner = embeddedIpv4(ip);
  return contains(list, ip) || (inner !== undefined && contains(list, inner));
}

/**
 * The network that counts as one source: an IPv4 address (also one inside IPv6), or the /64 of an
 * IPv6 address. Text that is not an address is returned as it is.
 */
export function sourceNetwork(address: string): string {
  const ip = parseIp(address);
  if (ip === undefined) return address;
  const source = embeddedIpv4(ip) ?? ip;
  if (source.version === 4) return source.text;
  const groups = [0, 2, 4, 6].map(
    (at) => (source.bytes[at] ?? 0) * 256 + (source.bytes[at + 1] ?? 0),
  );
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`;
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

/**
 * The IP addresses that a webhook may be sent to: the public Internet, and the networks in
 * WEBHOOK_ALLOWED_NETWORKS (spec 5.2.7, D27). The API checks addresses written in a URL, the
 * dispatcher every address before it connects.
 */
import { contains, createNetworks, embeddedIpv4, type Ip, networksOf, parseIp } from './network.ts';

/**
 * IANA special-purpose address registries (RFC 6890 and updates). The first match gives the reason.
 */
const SPECIAL = [
  { name: 'this network', networks: ['0.0.0.0/8'] },
  { name: 'private', networks: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'] },
  { name: 'carrier-grade NAT', networks: ['100.64.0.0/10'] },
  { name: 'loopback', networks: ['127.0.0.0/8', '::1/128'] },
  { name: 'link-local', networks: ['169.254.0.0/16', 'fe80::/10'] }, // also most clouds' metadata services
  { name: 'cloud metadata', networks: ['168.63.129.16/32'] }, // Azure's, inside public address space
  { name: '6to4 relay', networks: ['192.88.99.0/24'] },
  { name: 'benchmarking', networks: ['198.18.0.0/15'] },
  { name: 'multicast', networks: ['224.0.0.0/4', 'ff00::/8'] },
  { name: 'reserved', networks: ['240.0.0.0/4'] },
  { name: 'unspecified', networks: ['::/128'] },
  { name: 'discard', networks: ['100::/64'] },
  { name: 'local NAT64', networks: ['64:ff9b:1::/48'] }, // RFC 8215
  { name: 'Teredo', networks: ['2001::/32'] },
  { name: 'protocol assignments', networks: ['192.0.0.0/24', '2001::/23'] },
  {
    name: 'documentation',
    networks: ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20'],
  },
  { name: 'unique local', networks: ['fc00::/7'] },
  { name: 'site-local', networks: ['fec0::/10'] },
].map(({ name, networks }) => ({ name, networks: createNetworks(networks) }));

const GLOBAL_UNICAST = createNetworks(['2000::/3']); // RFC 4291 §2.4: IANA assigns nothing else

/**
 * Why a webhook may not be sent to this address, in words. `undefined` when it may. Text that is
 * not an address is refused.
 * @param allowed networks (`10.0.0.0/8`, `::1`) that are allowed although they are not public
 */
export function networkRefusal(address: string, allowed: readonly string[]): string | undefined {
  const ip = parseIp(address);
  if (ip === undefined) return 'not an IP address';
  const allowedNetworks = networksOf(allowed);
  const inner = embeddedIpv4(ip);
  const isAllowed = contains(allowedNetworks, ip) || (inner && contains(allowedNetworks, inner));
  return isAllowed ? undefined : specialName(inner ?? ip);
}

/** Where Services and pods have their addresses. */
const CLUSTER_RANGES: ReadonlySet<string | undefined> = new Set([
  'private',
  'carrier-grade NAT',
  'unique local',
]);

/** Metadata services of clouds inside these ranges: Alibaba, AWS, and Google. */
const METADATA = createNetworks(['100.100.100.200/32', 'fd00:ec2::254/128', 'fd20:ce::254/128']);

/**
 * Why a webhook for a Service of the cluster may not be sent to this address: as
 * {@link networkRefusal}, but private ranges are allowed, except metadata services in them.
 */
export function serviceRefusal(address: string, allowed: readonly string[]): string | undefined {
  const refusal = networkRefusal(address, allowed);
  if (!CLUSTER_RANGES.has(refusal)) return refusal;
  const ip = parseIp(address);
  const inner = ip && (embeddedIpv4(ip) ?? ip);
  return inner && contains(METADATA, inner) ? 'cloud metadata' : undefined;
}

function specialName(ip: Ip): string | undefined {
  const special = SPECIAL.find(({ networks }) => contains(networks, ip));
  if (special !== undefined) return special.name;
  return ip.version === 6 && !contains(GLOBAL_UNICAST, ip) ? 'reserved' : undefined;
}

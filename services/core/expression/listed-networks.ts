/** Networks in a list: `envelope.remote_ip in lists.blocked`. */
import { embeddedIpv4, type Ip, parseIp, parseNetwork } from '../network/network.ts';

const BITS_OF_BYTE = 8;
/** An address and a prefix as numbers take as long as so many characters. */
const CHARS_OF_NETWORK = 50;

/**
 * An IP address, or a network without bits of a host, in one spelling; undefined for any other text.
 */
export function normalisedNetwork(text: string): string | undefined {
  const network = parseNetwork(text.trim());
  if (network === undefined) return undefined;
  const { ip, prefixBits } = network;
  const bytes = ip.bytes.map((byte, at) => {
    const bits = Math.min(BITS_OF_BYTE, Math.max(0, prefixBits - at * BITS_OF_BYTE));
    return byte & (0xff << (BITS_OF_BYTE - bits));
  });
  const isWhole = prefixBits === bytes.length * BITS_OF_BYTE;
  return `${textOf(bytes)}${isWhole ? '' : `/${prefixBits}`}`;
}

/** RFC 5952. */
function textOf(bytes: readonly number[]): string {
  if (bytes.length === 4) return bytes.join('.');
  const groups = bytes.flatMap((high, at) =>
    at % 2 === 0 ? [(high * 256 + (bytes[at + 1] ?? 0)).toString(16)] : [],
  );
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

/** By version and length of the prefix: the beginnings of addresses. */
type Networks = ReadonlyMap<string, ReadonlySet<bigint>>;

/** A list is one object until it changes. */
const networksOf = new WeakMap<ReadonlySet<string>, Networks>();

/** Its time depends on how many lengths of prefixes the list has, not on the number of entries. */
export function isListedIp(
  ip: Ip,
  entries: ReadonlySet<string>,
  onRead?: (chars: number) => void,
): boolean {
  const networks = networksOf.get(entries) ?? networksIn(entries);
  networksOf.set(entries, networks);
  if (networks.size === 0) return false;
  onRead?.(networks.size * CHARS_OF_NETWORK);
  const inner = embeddedIpv4(ip);
  return isWithin(ip, networks) || (inner !== undefined && isWithin(inner, networks));
}

const isWithin = (ip: Ip, networks: Networks): boolean =>
  [...networks].some(([key, beginnings]) => {
    const [version, bits] = key.split('/').map(Number);
    return version === ip.version && beginnings.has(beginningOf(ip, bits ?? 0));
  });

function networksIn(entries: ReadonlySet<string>): Networks {
  const networks = new Map<string, Set<bigint>>();
  for (const entry of entries) {
    if (!/^[\d.]+(\/|$)|:/.test(entry)) continue; // no address, no domain
    const network = parseNetwork(entry);
    if (network === undefined) continue;
    const { ip, prefixBits } = network;
    const key = `${ip.version}/${prefixBits}`;
    const known = networks.get(key) ?? new Set();
    networks.set(key, known.add(beginningOf(ip, prefixBits)));
  }
  return networks;
}

function beginningOf({ bytes }: Ip, bits: number): bigint {
  const whole = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  return whole >> BigInt(bytes.length * BITS_OF_BYTE - bits);
}

/** The IP address that a text is; undefined for any other text. */
export const ipIn = (text: string): Ip | undefined =>
  /^[\d.]+$|:/.test(text) ? parseIp(text) : undefined;

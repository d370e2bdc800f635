/**
 * The PROXY protocol, versions 1 and 2: a header in which a load balancer names the client
 * (haproxy.org, doc/proxy-protocol.txt). The parsers on npm reject an incomplete header, and pass
 * its extensions on as bytes of the client.
 */
import { z } from 'zod';

type Endpoint = { address: string; port: number };

/** What the first bytes of a connection are. Only `incomplete` may change with more bytes. */
export type ProxyReading =
  | { kind: 'incomplete' }
  | { kind: 'invalid'; why: string }
  /**
   * The proxy's health check (LOCAL), or an unknown client (UNKNOWN): the addresses of the
   * connection apply.
   */
  | { kind: 'local'; length: number }
  | { kind: 'proxied'; length: number; source: Endpoint; destination: Endpoint };

const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const V2_HEAD_BYTES = 16;
const MAX_V1_BYTES = 107; // §2.1
/** Addresses and extensions (TLVs) of version 2 together. */
const MAX_V2_BYTES = 4096;
const V1_START = Buffer.from('PROXY ');

/** Reads the header at the start of `bytes`; bytes after its `length` belong to the client. */
export function readProxyHeader(bytes: Buffer): ProxyReading {
  if (startsAs(bytes, SIGNATURE))
    return bytes.byteLength < V2_HEAD_BYTES ? incomplete : readV2(bytes);
  if (startsAs(bytes, V1_START)) return readV1(bytes);
  return invalid('no PROXY header');
}

/** Whether the bytes begin with `start`, or are the beginning of it. */
const startsAs = (bytes: Buffer, start: Buffer): boolean =>
  bytes.subarray(0, start.byteLength).equals(start.subarray(0, bytes.byteLength));

const incomplete: ProxyReading = { kind: 'incomplete' };
const invalid = (why: string): ProxyReading => ({ kind: 'invalid', why });

function readV1(bytes: Buffer): ProxyReading {
  const end = bytes.subarray(0, MAX_V1_BYTES).indexOf('\r\n');
  if (end === -1) return bytes.byteLength < MAX_V1_BYTES ? incomplete : invalid('line too long');
  const length = end + 2;
  const words = bytes.toString('latin1', 0, end).split(' ');
  const [, family, from = '', to = '', fromPort = '', toPort = ''] = words;
  if (family === 'UNKNOWN') return { kind: 'local', length }; // the rest of the line has no meaning
  const address = family === 'TCP4' ? Ipv4 : family === 'TCP6' ? Ipv6 : undefined;
  if (address === undefined) return invalid('unknown family');
  if (words.length !== 6) return invalid('wrong number of fields');
  if (![from, to].every((text) => address.safeParse(text).success)) return invalid('bad address');
  if (
    ![fromPort, toPort].every((text) => /^(0|[1-9]\d{0,4})$/.test(text) && Number(text) <= 65_535)
  )
    return invalid('bad port');
  return {
    kind: 'proxied',
    length,
    source: { address: canonical(from), port: Number(fromPort) },
    destination: { address: canonical(to), port: Number(toPort) },
  };
}

const Ipv4 = z.ipv4();
const Ipv6 = z.ipv6();

const LOCAL = 0x20;
const PROXY = 0x21;
const UNSPECIFIED = 0x00;
/** Bytes of an address, by family and transport: TCP over IPv4 and over IPv6. */
const ADDRESS_BYTES: Record<number, number> = { 0x11: 4, 0x21: 16 };

function readV2(bytes: Buffer): ProxyReading {
  const [command = 0, family = 0] = bytes.subarray(SIGNATURE.byteLength);
  const rest = bytes.readUInt16BE(14);
  const length = V2_HEAD_BYTES + rest;
  const size = ADDRESS_BYTES[family];
  if (command !== LOCAL && command !== PROXY) return invalid('unknown version or command');
  if (rest > MAX_V2_BYTES) return invalid('header too long');
  if (command === PROXY && family !== UNSPECIFIED && (size === undefined || rest < 2 * size + 4))
    return invalid('unknown family or too short');
  if (bytes.byteLength < length) return incomplete;
  if (command === LOCAL || size === undefined) return { kind: 'local', length };
  const at = (place: 0 | 1): Endpoint => ({
    address: addressOf(
      bytes.subarray(V2_HEAD_BYTES + place * size, V2_HEAD_BYTES + (place + 1) * size),
    ),
    port: bytes.readUInt16BE(V2_HEAD_BYTES + 2 * size + 2 * place),
  });
  return { kind: 'proxied', length, source: at(0), destination: at(1) };
}

const addressOf = (bytes: Buffer): string =>
  bytes.byteLength === 4
    ? bytes.join('.')
    : canonical(bytes.toString('hex').replace(/(....)(?!$)/g, '$1:'));

/** The canonical spelling (RFC 5952); an IPv4-mapped IPv6 address becomes IPv4. */
function canonical(address: string): string {
  if (!address.includes(':')) return address;
  const text = URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1) ?? address;
  const [, high = '', low = ''] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(text) ?? [];
  return high === ''
    ? text
    : [high, low]
        .flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 0xff])
        .join('.');
}

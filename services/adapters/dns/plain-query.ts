/**
 * Sends a query for a name that is valid in the DNS but is not a host name, such as
 * `bounce+x=y._spf.example.org`. SPF macros make such names (RFC 7208 §7), and node:dns rejects
 * them.
 */
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIP, isIPv6, SocketAddress } from 'node:net';

export type PlainType = 'A' | 'AAAA' | 'TXT';
/** `records` as node:dns returns them. They may be cached for `ttl` seconds. */
export type PlainAnswer = { records: string[] | string[][]; ttl: number };

const TYPES: Record<PlainType, number> = { A: 1, TXT: 16, AAAA: 28 }; // RFC 1035 §3.2.2, RFC 3596
const CLASS_IN = 1;
const RECURSION_DESIRED = 0x0100;
const TRUNCATED = 0x0200;
const HEADER_BYTES = 12;
const [LABEL_MAX_CHARS, NAME_MAX_CHARS] = [63, 253];
/** An OPT record that accepts responses of 1,232 bytes (RFC 6891 §6.1.2). */
const OPT = Buffer.from([0, 0, 41, 0x04, 0xd0, 0, 0, 0, 0, 0, 0]);
const DNS_PORT = 53;
const CODES: Record<number, string> = {
  1: 'EFORMERR',
  2: 'ESERVFAIL',
  3: 'ENOTFOUND',
  5: 'EREFUSED',
};

export const isPlainType = (type: string): type is PlainType => type in TYPES;

/** Whether the DNS can have such a name, in printable ASCII and without escapes. */
export const isDnsName = (name: string): boolean =>
  name.length <= NAME_MAX_CHARS &&
  /^[\x20-\x5b\x5d-\x7e]+$/.test(name) &&
  name.split('.').every((label) => label !== '' && label.length <= LABEL_MAX_CHARS);

/**
 * Asks one server after the other, the only one twice.
 * @throws an error with a code of node:dns, also when there is no such record
 */
export async function queryPlainly(
  servers: readonly string[],
  name: string,
  type: PlainType,
  timeoutMs: number,
): Promise<PlainAnswer> {
  const [first = '', second = first] = servers;
  try {
    return await ask(first, name, type, timeoutMs / 2);
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOTFOUND') throw error;
    if ((error as { code?: string }).code === 'ENODATA') throw error;
    return await ask(second, name, type, timeoutMs / 2);
  }
}

async function ask(
  server: string,
  name: string,
  type: PlainType,
  timeoutMs: number,
): Promise<PlainAnswer> {
  const { address, port } = addressOf(server);
  const query = queryFor(name, type);
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    socket.connect(port, address); // accepts responses from there only
    await once(socket, 'connect', { signal });
    socket.send(query);
    for (;;) {
      const [response] = (await once(socket, 'message', { signal })) as [Buffer];
      if (isResponse(response, query)) return answerOf(response, query, type);
    }
  } catch (error) {
    throw signal.aborted ? dnsError('ETIMEOUT') : error;
  } finally {
    socket.close();
  }
}

function addressOf(server: string): { address: string; port: number } {
  if (isIP(server)) return { address: server, port: DNS_PORT };
  const parsed = SocketAddress.parse(server);
  if (parsed === undefined) throw dnsError('ECONNREFUSED');
  return { address: parsed.address, port: parsed.port || DNS_PORT };
}

function queryFor(name: string, type: PlainType): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(randomInt(0x10000), 0);
  header.writeUInt16BE(RECURSION_DESIRED, 2);
  header.writeUInt16BE(1, 4); // questions
  header.writeUInt16BE(1, 10); // additional records
  const labels = name
    .split('.')
    .flatMap((label) => [Buffer.from([label.length]), Buffer.from(label, 'latin1')]);
  const question = Buffer.from([0, 0, TYPES[type], 0, CLASS_IN]);
  return Buffer.concat([header, ...labels, question, OPT]);
}

const questionOf = (query: Buffer) => query.subarray(HEADER_BYTES, -OPT.byteLength);

/** Whether the response has the id and the question of the query. */
function isResponse(response: Buffer, query: Buffer): boolean {
  const question = questionOf(query);
  const echoed = response.subarray(HEADER_BYTES, HEADER_BYTES + question.byteLength);
  return (
    response.byteLength > HEADER_BYTES &&
    response.readUInt16BE(0) === query.readUInt16BE(0) &&
    echoed.toString('latin1').toLowerCase() === question.toString('latin1').toLowerCase()
  );
}

function answerOf(response: Buffer, query: Buffer, type: PlainType): PlainAnswer {
  const flags = response.readUInt16BE(2);
  const code = flags & 0x000f;
  if (code !== 0) throw dnsError(CODES[code] ?? 'EBADRESP');
  if (flags & TRUNCATED) throw dnsError('ESERVFAIL'); // longer than any record of such a name
  const records: (string | string[])[] = [];
  let ttl = Infinity;
  let at = HEADER_BYTES + questionOf(query).byteLength;
  for (let left = response.readUInt16BE(6); left > 0; left--) {
    at = afterName(response, at);
    const [found, seconds] = [response.readUInt16BE(at), response.readUInt32BE(at + 4)];
    const dataStart = at + 10;
    at = dataStart + response.readUInt16BE(at + 8);
    if (at > response.byteLength) throw dnsError('EBADRESP');
    if (found !== TYPES[type]) continue; // an alias
    records.push(recordOf(response.subarray(dataStart, at), type));
    ttl = Math.min(ttl, seconds);
  }
  if (records.length === 0) throw dnsError('ENODATA');
  return { records: records as string[] | string[][], ttl };
}

/** @throws RangeError beyond the end */
function afterName(response: Buffer, start: number): number {
  let at = start;
  for (let length = response.readUInt8(at); length !== 0; length = response.readUInt8(at)) {
    if (length >= 0xc0) return at + 2; // RFC 1035 §4.1.4
    at += 1 + length;
  }
  return at + 1;
}

function recordOf(data: Buffer, type: PlainType): string | string[] {
  if (type === 'A') return data.join('.');
  if (type === 'AAAA') return data.toString('hex').replace(/.{4}(?!$)/g, '$&:');
  const strings: string[] = [];
  for (let at = 0; at < data.byteLength; at += 1 + (data[at] as number))
    strings.push(data.toString('utf8', at + 1, at + 1 + (data[at] as number)));
  return strings;
}

const dnsError = (code: string): Error => Object.assign(new Error(code), { code });

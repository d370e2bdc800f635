/**
 * A name server on a loopback port for `npm start`, over UDP. It answers for names below `.test`
 * (RFC 6761 §6.2: they never exist in the public DNS) and for loopback addresses, from records that
 * it is given. It passes every other question on to the name servers of the system.
 */
import { createSocket } from 'node:dgram';
import { getServers } from 'node:dns';
import { once } from 'node:events';
import { connect, createServer, isIPv6 } from 'node:net';
import { pipeline } from 'node:stream/promises';

/** Records of one name. */
type LocalRecords = { TXT?: string; A?: string; PTR?: string };
/** @param name in lower case, without the final dot. undefined if there is no such name */
export type LocalZone = (name: string) => LocalRecords | undefined;

type LocalNameServer = AsyncDisposable & {
  /** For the setting DNS_SERVERS. */
  address: string;
};

const HOST = '127.0.0.1';
const HEADER_BYTES = 12; // RFC 1035 §4.1.1
const TTL_SECONDS = 60;
const TYPES = { A: 1, PTR: 12, TXT: 16 } as const; // RFC 1035 §3.2.2
const NXDOMAIN = 3;
const SERVFAIL = 2;
const FORWARD_TIMEOUT_MS = 1_500;
const FORWARDED_MAX = 200; // questions in flight to the name servers of the system

/**
 * @param port for UDP and TCP. One that the system chooses may be free for one of them only
 * @param upstream name servers for all other names, as node:dns writes them
 */
export async function startLocalNameServer(
  zone: LocalZone,
  port: number,
  upstream: readonly string[] = getServers(),
): Promise<LocalNameServer> {
  const socket = createSocket('udp4');
  let forwarded = 0;
  const server = upstreamServer(upstream[0]);

  const passOn = async (
    request: Buffer,
    to: UpstreamServer,
    question: Question,
    reply: (response: Buffer) => void,
  ): Promise<void> => {
    forwarded += 1;
    const response = await forward(request, to).catch(() => undefined);
    forwarded -= 1;
    reply(response ?? responseTo(request, question, [], SERVFAIL));
  };
  socket.on('message', (request, client) => {
    const reply = (response: Buffer) =>
      socket.send(response, client.port, client.address, () => undefined);
    const question = questionIn(request);
    if (question === undefined) return;
    if (isLocal(question.name)) return reply(answerTo(request, question, zone(question.name)));
    // the root is asked to learn whether a name server answers: this one does
    if (question.name === '' || server === undefined || forwarded >= FORWARDED_MAX)
      return reply(responseTo(request, question, [], SERVFAIL));
    void passOn(request, server, question, reply);
  });
  socket.bind(port, HOST);
  await once(socket, 'listening');
  // an answer that is too long for UDP: never one of ours
  const relay = createServer((client) => {
    if (server === undefined) {
      client.destroy();
      return;
    }
    const far = connect(server.port, server.host).setTimeout(FORWARD_TIMEOUT_MS, () =>
      far.destroy(),
    );
    void pipeline(client, far, client).catch(() => undefined);
  });
  relay.maxConnections = FORWARDED_MAX;
  relay.listen(port, HOST);
  await once(relay, 'listening');
  return {
    address: `${HOST}:${port}`,
    [Symbol.asyncDispose]: async () => {
      relay.close();
      socket.close();
      await once(socket, 'close');
    },
  };
}

type Question = { name: string; type: number; end: number };

/** Undefined unless the request is a single question. */
function questionIn(packet: Buffer): Question | undefined {
  if (packet.byteLength < HEADER_BYTES || packet.readUInt16BE(4) !== 1) return undefined;
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (;;) {
    const length = packet[at];
    if (length === undefined || length > 63) return undefined; // RFC 1035 §4.1.4: no pointer in a question
    at += 1;
    if (length === 0) break;
    labels.push(packet.subarray(at, at + length).toString('latin1'));
    at += length;
  }
  if (at + 4 > packet.byteLength) return undefined;
  return { name: labels.join('.').toLowerCase(), type: packet.readUInt16BE(at), end: at + 4 };
}

const LOOPBACK = /(^|\.)127\.in-addr\.arpa$|^1(\.0){31}\.ip6\.arpa$/;
const isLocal = (name: string): boolean => /(^|\.)test$/.test(name) || LOOPBACK.test(name);

function answerTo(request: Buffer, question: Question, records: LocalRecords | undefined): Buffer {
  if (records === undefined) return responseTo(request, question, [], NXDOMAIN);
  const data = {
    [TYPES.A]: records.A && Buffer.from(records.A.split('.').map(Number)),
    [TYPES.PTR]: records.PTR && encodedName(records.PTR),
    [TYPES.TXT]: records.TXT && characterStrings(records.TXT),
  }[question.type];
  return responseTo(request, question, data ? [data] : [], 0);
}

function responseTo(
  request: Buffer,
  { type, end }: Question,
  answers: readonly Buffer[],
  rcode: number,
): Buffer {
  const head = Buffer.from(request.subarray(0, end));
  head.writeUInt16BE(0x8180 | rcode, 2); // a response; recursion desired and available
  head.writeUInt16BE(answers.length, 6);
  head.fill(0, 8, HEADER_BYTES); // no EDNS
  const records = answers.map((data) => {
    const fixed = Buffer.alloc(12);
    fixed.writeUInt16BE(0xc0_00 | HEADER_BYTES, 0); // the name of the question, RFC 1035 §4.1.4
    fixed.writeUInt16BE(type, 2);
    fixed.writeUInt16BE(1, 4);
    fixed.writeUInt32BE(TTL_SECONDS, 6);
    fixed.writeUInt16BE(data.byteLength, 10);
    return Buffer.concat([fixed, data]);
  });
  return Buffer.concat([head, ...records]);
}

const encodedName = (name: string): Buffer =>
  Buffer.concat(
    [...name.split('.'), ''].map((label) =>
      Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1'),
    ),
  );

const characterStrings = (text: string): Buffer =>
  Buffer.concat(
    (text.match(/.{1,255}/gs) ?? []).map((part) =>
      Buffer.concat([Buffer.from([part.length]), Buffer.from(part, 'latin1')]),
    ), // RFC 1035 §3.3.14
  );

type UpstreamServer = { host: string; port: number };

function upstreamServer(server: string | undefined): UpstreamServer | undefined {
  if (server === undefined) return undefined;
  const [, bracketed, port4] = /^\[?([^\]]+?)\]?(?::(\d+))?$/.exec(server) ?? [];
  if (isIPv6(server)) return { host: server, port: 53 };
  return bracketed === undefined ? undefined : { host: bracketed, port: Number(port4 ?? 53) };
}

/** undefined without a response in time. A cut response is passed on as it is. */
async function forward(
  request: Buffer,
  { host, port }: UpstreamServer,
): Promise<Buffer | undefined> {
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  const { promise, resolve } = Promise.withResolvers<Buffer | undefined>();
  const timer = setTimeout(() => resolve(undefined), FORWARD_TIMEOUT_MS);
  socket.on('error', () => resolve(undefined));
  socket.on('message', (response) => {
    if (response.subarray(0, 2).equals(request.subarray(0, 2))) resolve(response);
  });
  try {
    socket.connect(port, host, () => socket.send(request));
    return await promise;
  } finally {
    clearTimeout(timer);
    socket.close();
  }
}

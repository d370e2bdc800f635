/**
 * A name server on a loopback port for `npm start`, over UDP. It answers for names below `.test`
 * (RFC 6761 §6.2: they never exist in the public DNS) and for loopback addresses, from records that
 * it is given. It passes every other question on to the name servers of the system.
 */
import { getServers } from 'node:dns';
import { once } from 'node:events';
import { createServer, isIPv6, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';

import { answerDatagrams, askDatagram } from './datagrams.ts';
import { openSocket } from './sockets.ts';

/** Records of one name. */
type LocalRecords = { TXT?: string; A?: string; PTR?: string };
/** @param name in lower case, without the final dot. undefined if there is no such name */
export type LocalZone = (
  name: string,
) => LocalRecords | undefined | Promise<LocalRecords | undefined>;

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
  let forwarded = 0;
  const server = upstreamServer(upstream[0]);

  async function answer(request: Buffer): Promise<Buffer | undefined> {
    const question = questionIn(request);
    if (question === undefined) return undefined;
    const failure = responseTo(request, question, [], SERVFAIL);
    if (isLocal(question.name))
      return Promise.resolve(question.name)
        .then(zone)
        .then((records) => answerTo(request, question, records))
        .catch(() => failure);
    // the root is asked to learn whether a name server answers: this one does
    if (question.name === '' || server === undefined || forwarded >= FORWARDED_MAX) return failure;
    forwarded += 1;
    return forward(request, server)
      .catch(() => failure)
      .finally(() => (forwarded -= 1));
  }

  await using parts = new AsyncDisposableStack();
  parts.use(await answerDatagrams(port, HOST, answer));
  // an answer that is too long for UDP: never one of ours
  const relay = createServer((client) => {
    client.on('error', () => undefined);
    relayTo(server, client).catch(() => client.destroy());
  });
  relay.maxConnections = FORWARDED_MAX;
  relay.listen(port, HOST);
  await once(relay, 'listening');
  relay.on('error', () => undefined); // of one connection
  parts.defer(() => void relay.close());
  const opened = parts.move();
  return {
    address: `${HOST}:${port}`,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
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

/** A cut response is passed on as it is. @throws without a response in time */
const forward = (request: Buffer, server: UpstreamServer): Promise<Buffer> =>
  askDatagram(request, server, {
    timeoutMs: FORWARD_TIMEOUT_MS,
    isAnswer: (response) => response.subarray(0, 2).equals(request.subarray(0, 2)),
  });

/** @throws without a server, or when it does not connect */
async function relayTo(server: UpstreamServer | undefined, client: Socket): Promise<void> {
  if (server === undefined) throw new Error('no name server');
  const far = await openSocket(server, FORWARD_TIMEOUT_MS);
  far.setTimeout(FORWARD_TIMEOUT_MS, () => far.destroy());
  await pipeline(client, far, client);
}

/**
 * An OpenTelemetry collector for tests: it receives spans and logs by OTLP over HTTP and decodes the
 * protobuf itself (opentelemetry-proto, trace/v1 and logs/v1).
 */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export type ExportedSpan = {
  service: string;
  traceId: string;
  spanId: string;
  /** Empty for the first span of a trace. */
  parentSpanId: string;
  name: string;
  kind: string;
  startMs: number;
  endMs: number;
  attributes: Record<string, string | number | boolean>;
  isError: boolean;
};

export type ExportedLog = {
  service: string;
  name: string;
  atMs: number;
  severity: string;
  attributes: Record<string, string | number | boolean>;
  /** Its texts, numbers and flags; what is within another object is empty. */
  body: Record<string, string | number | boolean>;
};

export type OtlpReceiver = AsyncDisposable & {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  endpoint: string;
  requests: { path: string | undefined; headers: IncomingHttpHeaders; body: Buffer }[];
  spans(): ExportedSpan[];
  /** In the order of their arrival. */
  logs(): ExportedLog[];
  /** Spans of one trace, by their start. */
  trace(traceId: string): ExportedSpan[];
};

/** @param respond handles a response, for example never; by default 200 */
export async function startOtlpReceiver(
  respond: (response: ServerResponse) => void = (response) =>
    void response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end(),
): Promise<OtlpReceiver> {
  const requests: OtlpReceiver['requests'] = [];
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request);
    requests.push({ path: request.url, headers: request.headers, body });
    respond(response);
  };
  // never ends a connection that is idle: a client may be sending its next batch just then
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    void receive(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const received = (path: string) => requests.filter((request) => request.path === path);
  const spans = () => received('/v1/traces').flatMap(({ body }) => decodeSpans(body));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    spans,
    logs: () => received('/v1/logs').flatMap(({ body }) => decodeLogs(body)),
    trace: (traceId) =>
      spans()
        .filter((span) => span.traceId === traceId)
        .toSorted((one, other) => one.startMs - other.startMs),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const KINDS = ['', 'internal', 'server', 'client', 'producer', 'consumer'];
const STATUS_ERROR = 2;

type Field = { number: number; value: bigint | Buffer };

/** The fields of a message: varints and fixed64 as numbers, the rest as bytes. */
function* fieldsOf(message: Buffer): Generator<Field> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message.readUInt8(at++);
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < message.byteLength) {
    const tag = Number(varint());
    const number = tag >> 3;
    const type = tag & 7;
    if (type === 0) yield { number, value: varint() };
    else if (type === 1) {
      yield { number, value: message.readBigUInt64LE(at) };
      at += 8;
    } else if (type === 2) {
      const length = Number(varint());
      yield { number, value: message.subarray(at, at + length) };
      at += length;
    } else if (type === 5) {
      yield { number, value: BigInt(message.readUInt32LE(at)) };
      at += 4;
    } else throw new Error(`wire type ${type}`);
  }
}

const all = (message: Buffer, number: number): Buffer[] =>
  [...fieldsOf(message)].flatMap((field) =>
    field.number === number && Buffer.isBuffer(field.value) ? [field.value] : [],
  );
const bytes = (message: Buffer, number: number): Buffer =>
  all(message, number)[0] ?? Buffer.alloc(0);
const whole = (message: Buffer, number: number): bigint => {
  const found = [...fieldsOf(message)].find((field) => field.number === number)?.value;
  return typeof found === 'bigint' ? found : 0n;
};

function decodeSpans(request: Buffer): ExportedSpan[] {
  return all(request, 1).flatMap((resourceSpans) => {
    const { 'service.name': service = '' } = attributesOf(bytes(resourceSpans, 1), 1);
    const spans = all(resourceSpans, 2).flatMap((scopeSpans) => all(scopeSpans, 2));
    return spans.map((span) => ({
      service: String(service),
      traceId: bytes(span, 1).toString('hex'),
      spanId: bytes(span, 2).toString('hex'),
      parentSpanId: bytes(span, 4).toString('hex'),
      name: bytes(span, 5).toString(),
      kind: KINDS[Number(whole(span, 6))] ?? '',
      startMs: Number(whole(span, 7)) / 1e6,
      endMs: Number(whole(span, 8)) / 1e6,
      attributes: attributesOf(span, 9),
      isError: Number(whole(bytes(span, 15), 3)) === STATUS_ERROR,
    }));
  });
}

function decodeLogs(request: Buffer): ExportedLog[] {
  return all(request, 1).flatMap((resourceLogs) => {
    const { 'service.name': service = '' } = attributesOf(bytes(resourceLogs, 1), 1);
    const records = all(resourceLogs, 2).flatMap((scopeLogs) => all(scopeLogs, 2));
    return records.map((record) => ({
      service: String(service),
      name: bytes(record, 12).toString(),
      atMs: Number(whole(record, 1)) / 1e6,
      severity: bytes(record, 3).toString(),
      attributes: attributesOf(record, 6),
      body: attributesOf(bytes(bytes(record, 5), 6), 1), // a KeyValueList
    }));
  });
}

function attributesOf(message: Buffer, number: number): ExportedSpan['attributes'] {
  return Object.fromEntries(
    all(message, number).map((pair) => {
      const [field] = [...fieldsOf(bytes(pair, 2))];
      const key = bytes(pair, 1).toString();
      if (Buffer.isBuffer(field?.value)) return [key, field.value.toString()];
      return [key, field?.number === 2 ? field.value === 1n : Number(field?.value ?? 0n)];
    }),
  );
}

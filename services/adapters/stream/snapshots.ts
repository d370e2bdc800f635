/**
 * Streams with their messages and consumers, for a backup, and their way back. nats-server makes and
 * reads the bytes of a snapshot (docs.nats.io, "Disaster Recovery"; the requests are those of
 * `nats stream backup` and `nats stream restore`).
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { jetstreamManager, type StreamConfig, type StreamState } from '@nats-io/jetstream';
import { createInbox, errors, type NatsConnection } from '@nats-io/transport-node';

import type { Nats } from './connection/connection.ts';
import { BODIES_BUCKET, DEAD_STREAM, FAILED_STREAM, LINKED_BUCKET } from './events/streams.ts';

/**
 * In the order of a backup: an email that moves to the next lane meanwhile is in both, and a
 * payload is read after the event that refers to it.
 */
const ORDER = [
  /^MAIL-\d+$/,
  /^RETRY-\d+$/,
  new RegExp(`^${FAILED_STREAM}$`),
  new RegExp(`^${DEAD_STREAM}$`),
  new RegExp(`^OBJ_(${BODIES_BUCKET}|${LINKED_BUCKET})$`),
];

/** How a snapshot begins, as nats-server reports it. */
export type SnapshotHead = { config: StreamConfig; state: StreamState };

const REQUEST_TIMEOUT_MS = 10_000;
const CHUNK_TIMEOUT_MS = 30_000;
const HEARD_WITHIN_MS = 10_000;
const HEARD_POLL_MS = 50;
const CHUNK_BYTES = 128 * 1024;
const EOF = 204; // status of the last, empty chunk; older servers send none

/** The streams of Inlet that exist. */
export async function existingStreamNames({
  connection,
}: Pick<Nats, 'connection'>): Promise<string[]> {
  const manager = await jetstreamManager(connection, {
    timeout: REQUEST_TIMEOUT_MS,
    checkAPI: false,
  });
  const names = await Array.fromAsync(manager.streams.names());
  return ORDER.flatMap((pattern) => names.filter((name) => pattern.test(name)).toSorted());
}

/**
 * Whether a stream is one of Inlet, and takes and gives messages to no other: a file must not bring
 * one that copies email elsewhere.
 */
export const isOwnStream = ({ name, mirror, sources, republish }: StreamConfig): boolean =>
  ORDER.some((pattern) => pattern.test(name)) &&
  mirror === undefined &&
  (sources ?? []).length === 0 &&
  republish === undefined;

export async function deleteStreams({ connection }: Pick<Nats, 'connection'>): Promise<void> {
  const manager = await jetstreamManager(connection, { timeout: REQUEST_TIMEOUT_MS });
  for (const name of await existingStreamNames({ connection })) await manager.streams.delete(name);
}

/** A snapshot of a stream: first its head, then its bytes. The server waits for a slow reader. */
export async function takeSnapshot(
  { connection }: Pick<Nats, 'connection'>,
  stream: string,
): Promise<{ head: SnapshotHead; chunks: AsyncGenerator<Uint8Array> }> {
  const inbox = createInbox();
  const subscription = connection.subscribe(inbox);
  try {
    const request = { deliver_subject: inbox, no_consumers: false, chunk_size: CHUNK_BYTES };
    const { config, state } = await ask<SnapshotHead>(
      connection,
      `$JS.API.STREAM.SNAPSHOT.${stream}`,
      JSON.stringify(request),
    );
    return { head: { config, state }, chunks: chunksOf() };
  } catch (cause) {
    subscription.unsubscribe();
    throw new Error(`take a snapshot of stream ${stream}`, { cause });
  }

  async function* chunksOf(): AsyncGenerator<Uint8Array> {
    const stalled = setTimeout(() => subscription.unsubscribe(), CHUNK_TIMEOUT_MS);
    try {
      for await (const message of subscription) {
        const code = message.headers?.code ?? EOF;
        if (message.data.length === 0 && code === EOF) return;
        if (message.data.length === 0)
          throw new Error(`snapshot of stream ${stream}: ${message.headers?.description ?? code}`);
        yield message.data;
        message.respond(); // flow control
        stalled.refresh();
      }
      throw new Error(`snapshot of stream ${stream}: nats-server stopped sending`);
    } finally {
      clearTimeout(stalled);
      subscription.unsubscribe();
    }
  }
}

export type SnapshotWriter = {
  add(chunk: Uint8Array): Promise<void>;
  /** nats-server then has the stream. */
  end(): Promise<void>;
};

/**
 * Creates a stream from a snapshot. It has one replica on any server, because the one of the backup
 * may have had more nodes. The first service that starts gives it the replicas of its settings.
 */
export async function restoreSnapshot(
  { connection }: Pick<Nats, 'connection'>,
  { config, state }: SnapshotHead,
): Promise<SnapshotWriter> {
  const { placement: _, ...anywhere } = config;
  const { deliver_subject: subject } = await ask<{ deliver_subject: string }>(
    connection,
    `$JS.API.STREAM.RESTORE.${config.name}`,
    JSON.stringify({ config: { ...anywhere, num_replicas: 1 }, state }),
  );
  const send = (chunk: Uint8Array | string) =>
    heard(() => ask(connection, subject, chunk, CHUNK_TIMEOUT_MS));
  return { add: async (chunk) => void (await send(chunk)), end: async () => void (await send('')) };
}

/**
 * In a cluster, another server may restore the stream than the one of this connection, which hears of the subject a
 * moment later. A chunk without a responder reached nobody.
 */
async function heard<T>(send: () => Promise<T>): Promise<T> {
  for (const deadline = performance.now() + HEARD_WITHIN_MS; ; await sleep(HEARD_POLL_MS))
    try {
      return await send();
    } catch (error) {
      if (!isUnheard(error) || performance.now() > deadline) throw error;
    }
}

const isUnheard = (error: unknown): boolean =>
  error instanceof errors.NoRespondersError ||
  (error instanceof errors.RequestError && error.isNoResponders());

/** @throws with the description of an error response */
async function ask<T>(
  connection: NatsConnection,
  subject: string,
  data: Uint8Array | string,
  timeout = REQUEST_TIMEOUT_MS,
): Promise<T> {
  const { data: bytes } = await connection.request(subject, data, { timeout });
  if (bytes.length === 0) return {} as T;
  const answer = JSON.parse(new TextDecoder().decode(bytes)) as T & {
    error?: { description: string };
  };
  if (answer.error) throw new Error(`${subject}: ${answer.error.description}`);
  return answer;
}

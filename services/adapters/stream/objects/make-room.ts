/**
 * Room in the JetStream account. A process that finds it full asks a gateway, which knows from MongoDB whose
 * stored bodies and files may go (D163). The objects of a bucket are found oldest first.
 */
import type { JetStreamManager } from '@nats-io/jetstream';
import type { Msg, NatsConnection } from '@nats-io/transport-node';
import { z } from 'zod';

import { fileOwner } from '../../../core/webhook/linked-attachments.ts';
import type { Log } from '../../process/log.ts';
import { isFull, isStreamFull, nullWhenAbsent } from '../connection/errors.ts';

/** Asks for room for so many bytes, with copies not counted. Resolves with those that became free. */
export type AskRoom = (bytes: number) => Promise<number>;

const SUBJECT = 'inlet.room';
const QUEUE = 'gateways';
const ASK_TIMEOUT_MS = 8_000;
/** Other emails may take the room that was made for this one. */
const ROOM_TRIES = 20;

const Request = z.object({ bytes: z.number().positive() });
const Reply = z.object({ freed: z.number() });

/** Resolves with 0 when nobody can make room. */
export const createAskRoom =
  (connection: NatsConnection): AskRoom =>
  async (bytes) => {
    const request = JSON.stringify({ bytes } satisfies z.infer<typeof Request>);
    try {
      const reply = await connection.request(SUBJECT, request, { timeout: ASK_TIMEOUT_MS });
      return Reply.parse(reply.json()).freed;
    } catch {
      return 0;
    }
  };

/** Repeats the work while the account is full and others make room for it. */
export async function withRoom<T>(
  askRoom: AskRoom,
  bytes: number,
  work: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      const mayFit = isFull(error) && !isStreamFull(error) && tries < ROOM_TRIES;
      if (!mayFit || (await askRoom(bytes)) === 0) throw error;
    }
  }
}

export function serveRoom(connection: NatsConnection, make: AskRoom, log: Log): void {
  const answer = async (message: Msg): Promise<void> => {
    const { bytes } = Request.parse(message.json());
    message.respond(JSON.stringify({ freed: await make(bytes) } satisfies z.infer<typeof Reply>));
  };
  connection.subscribe(SUBJECT, {
    queue: QUEUE,
    callback: (failure, message) => {
      if (failure) return;
      answer(message).catch((error: unknown) => log.warn('room.not_made', { error }));
    },
  });
}

export type StoredObject = {
  eventId: string;
  bytes: number;
  storedAt: Date;
  /** Its bytes first: a crash in between leaves an object that is found and removed again. */
  remove(): Promise<void>;
};

const ObjectMeta = z.object({
  name: z.string(),
  nuid: z.string(),
  size: z.number(),
  deleted: z.boolean().optional(),
});

/** The objects of a bucket in the order in which they were stored. */
export async function* oldestObjects(
  manager: JetStreamManager,
  bucket: string,
): AsyncGenerator<StoredObject> {
  const stream = `OBJ_${bucket}`;
  for (let seq = 1; ;) {
    const atOrAfter = { seq, next_by_subj: `$O.${bucket}.M.>` };
    const message = await manager.streams.getMessage(stream, atOrAfter).catch(nullWhenAbsent);
    if (message === null) return;
    seq = message.seq + 1;
    const { name, nuid, size, deleted } = ObjectMeta.parse(message.json());
    if (deleted) continue;
    yield {
      eventId: fileOwner(name),
      bytes: size,
      storedAt: message.time,
      remove: async () => {
        await manager.streams.purge(stream, { filter: `$O.${bucket}.C.${nuid}` });
        await manager.streams.deleteMessage(stream, message.seq, false).catch(nullWhenAbsent);
      },
    };
  }
}

/** What a bucket must free until the account is below this share of its limit; 0 without a limit. */
export async function excessBytes(
  manager: JetStreamManager,
  bucket: string,
  share: number,
): Promise<number> {
  const { storage, limits } = await manager.getAccountInfo();
  if (limits.max_storage <= 0 || storage <= limits.max_storage * share) return 0;
  const { config } = await manager.streams.info(`OBJ_${bucket}`);
  return (storage - limits.max_storage * share) / config.num_replicas; // the account counts copies
}

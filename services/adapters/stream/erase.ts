/**
 * Removes the content of an email from every stream and bucket. Removed bytes stay in the files of
 * nats-server until it compacts them. Erased ones are overwritten first, which takes nats-server
 * about 20 ms for each message, in which the stream stores nothing else.
 */
import type { JetStreamManager, StoredMsg } from '@nats-io/jetstream';
import type { ObjectStore } from '@nats-io/obj';

import type { Delivery } from '../../core/delivery/delivery.ts';
import { subjects } from '../../core/delivery/mail-event.ts';
import { attachmentsFile } from '../../core/webhook/linked-attachments.ts';
import { nullWhenAbsent } from './connection/errors.ts';
import { createObjects } from './objects/objects.ts';
import { FAILED_STREAM, mailStream, retryStream, type Streams } from './events/streams.ts';
import { readEvent } from './events/wire.ts';

export type StoredContent = Pick<Delivery, 'event_id' | 'account_id' | 'address_id' | 'stored_at'>;

/** All are idempotent. */
export type MailErasure = {
  /** Removes a delivered email. The RETRY lane has no copy of it. */
  remove(content: StoredContent): Promise<void>;
  /** A consumer acknowledged the email. It stays in MAIL for its replay window. */
  removeFailed(content: StoredContent): Promise<void>;
  /** Overwrites every copy. Those that JetStream had removed before cannot be found any more. */
  erase(content: StoredContent): Promise<void>;
};

export function createMailErasure({
  manager,
  bodies,
  linked,
}: Pick<Streams, 'manager' | 'bodies' | 'linked'>): MailErasure {
  /** Only a message of this event: a stream that was created again has other ones. */
  const deleteMessage = async (
    { stream, query }: MessagePosition,
    eventId: string,
    overwrites: boolean,
  ): Promise<void> => {
    const message = await manager.streams.getMessage(stream, query).catch(nullWhenAbsent);
    if (message === null || readEvent(message.header).event_id !== eventId) return;
    await manager.streams.deleteMessage(stream, message.seq, overwrites).catch(nullWhenAbsent);
  };

  const objectsOf = ({ event_id }: StoredContent) =>
    [
      [bodies, event_id],
      [linked, event_id],
      [linked, attachmentsFile(event_id)],
    ] as const;

  return {
    remove: async function removeContent(content) {
      const { mail, failed } = positionsOf(content);
      await Promise.all([
        ...[mail, failed].map((position) => deleteMessage(position, content.event_id, false)),
        ...objectsOf(content).map(([bucket, name]) => createObjects(bucket).remove(name)),
      ]);
    },
    removeFailed: (content) => deleteMessage(positionsOf(content).failed, content.event_id, false),
    erase: async function eraseContent(content) {
      const { mail, retry, failed } = positionsOf(content);
      // in the order in which dispatchers copy an email from one to the next
      for (const position of [mail, retry, failed])
        await deleteMessage(position, content.event_id, true);
      for (const [bucket, name] of objectsOf(content)) await eraseObject(manager, bucket, name);
    },
  };
}

type MessagePosition = { stream: string; query: { seq: number } | { last_by_subj: string } };

const positionsOf = (content: StoredContent) => {
  const { partition, sequence } = content.stored_at;
  return {
    mail: { stream: mailStream(partition), query: { seq: sequence } },
    retry: {
      stream: retryStream(partition),
      query: { last_by_subj: subjects.retry(partition, content) },
    },
    failed: { stream: FAILED_STREAM, query: { last_by_subj: subjects.failed(content) } },
  };
};

/** Overwrites a message. Does nothing when it is no longer stored. */
export async function eraseMessage(
  manager: JetStreamManager,
  stream: string,
  sequence: number,
): Promise<void> {
  await manager.streams.deleteMessage(stream, sequence, true).catch(nullWhenAbsent);
}

async function eraseObject(
  manager: JetStreamManager,
  bucket: ObjectStore,
  name: string,
): Promise<void> {
  const info = await bucket.info(name);
  if (info === null || info.deleted) return;
  const stream = `OBJ_${info.bucket}`;
  const next_by_subj = `$O.${info.bucket}.C.${info.nuid}`;
  for (let seq = 1; ;) {
    const atOrAfter = { seq, next_by_subj };
    const chunk: StoredMsg | null = await manager.streams
      .getMessage(stream, atOrAfter)
      .catch(nullWhenAbsent);
    if (chunk === null) break;
    await eraseMessage(manager, stream, chunk.seq);
    seq = chunk.seq + 1;
  }
  await bucket.delete(name);
}

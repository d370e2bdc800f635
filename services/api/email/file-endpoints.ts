/**
 * The targets of links in payloads: raw emails and attachments. The signed link is the permission.
 */
import type { ApiStore } from '../content/store-for-api.ts';
import type { StoredBytes } from '../../adapters/stream/objects/object-reader.ts';
import { EXAMPLE_EMAIL } from '../../core/resource/api-reference.ts';
import { AppError, notFound, unavailable } from '../../core/error/app-error.ts';
import { filePath, requireSignature, SignedLink } from '../../core/secret/signed-link.ts';
import { openLinkedAttachment } from '../../core/webhook/linked-attachments.ts';
import { type Connection, type Slots, STREAM_BYTES } from '../http/limits/slots.ts';
import type { ContentThread } from '../content/content-thread.ts';
import { defineEmailEndpoint, type Endpoint } from '../http/endpoint.ts';
import { ServedFile } from '../http/output/served-file.ts';
import type { View } from '../http/view.ts';

type FileEndpointDependencies = {
  store: Pick<ApiStore, 'raw' | 'attachments'>;
  /** All keys that may have signed a link. */
  keys: readonly Uint8Array[];
  downloads: Slots;
  content: ContentThread;
};

/** A parsed email is in memory four times: its bytes and their copies, and the decoded parts. */
const PARSED_COPIES = 4;

export function fileEndpoints({
  store,
  keys,
  downloads,
  content: thread,
}: FileEndpointDependencies): Endpoint[] {
  const openAttachment = async (
    eventId: string,
    index: number,
    { connection, view }: { connection: Connection; view: View },
  ) => {
    const file = await store.attachments(eventId, view);
    if (file !== undefined) {
      downloads.take(connection.source, connection, STREAM_BYTES);
      return reading(openLinkedAttachment(file.chunks, index));
    }
    // Gateways up to 0.1.0 stored only the raw email.
    const raw = stored(await store.raw(eventId, view));
    downloads.take(connection.source, connection, PARSED_COPIES * raw.size);
    const bytes = Uint8Array.from(Buffer.concat(await reading(Array.fromAsync(raw.chunks))));
    const attachment = await thread.run(connection.source, 'attachment', {
      raw: bytes,
      index,
    });
    if (attachment === undefined) return undefined;
    const { content, ...names } = attachment;
    return { ...names, content: Buffer.from(content.buffer), size: content.byteLength };
  };

  return [
    defineEmailEndpoint({
      call: 'GET /files/{event_id}/raw',
      operationId: 'getRawEmail',
      summary: 'Get the raw email of an event through a signed link',
      permission: null,
      example: { response: EXAMPLE_EMAIL },
      query: SignedLink,
      response: ServedFile,
      file: { mediaType: 'message/rfc822' },
      shows: { part: 'raw', emailOf: ({ params }) => params.event_id },
      handle: async ({ params: { event_id }, query, now, connection, view }) => {
        requireSignature(filePath(event_id, 'raw'), query, keys, now);
        downloads.take(connection.source, connection, STREAM_BYTES);
        const { size, chunks } = stored(await store.raw(event_id, view));
        return {
          content: chunks,
          size,
          contentType: 'message/rfc822',
          filename: `${event_id}.eml`,
        };
      },
    }),
    defineEmailEndpoint({
      call: 'GET /files/{event_id}/attachments/{index}',
      operationId: 'getAttachment',
      summary: 'Get an attachment of an event (index from 0) through a signed link',
      permission: null,
      example: { response: '1 sprocket\n' },
      query: SignedLink,
      response: ServedFile,
      file: { mediaType: 'application/octet-stream' },
      shows: { part: 'attachment', emailOf: ({ params }) => params.event_id },
      handle: async ({ params: { event_id, index }, query, now, connection, view }) => {
        const n = /^(0|[1-9]\d{0,4})$/.test(index) ? Number(index) : undefined;
        if (n === undefined) throw notFound('attachment');
        requireSignature(filePath(event_id, `attachments/${n}`), query, keys, now);
        const attachment = await openAttachment(event_id, n, { connection, view });
        if (attachment === undefined) throw notFound('attachment');
        return { ...attachment, filename: attachment.filename ?? `attachment-${n + 1}` };
      },
    }),
  ];
}

const reading = async <T>(bytes: Promise<T>): Promise<T> => {
  try {
    return await bytes;
  } catch (cause) {
    throw unavailable(cause);
  }
};

const stored = (file: StoredBytes | undefined): StoredBytes => {
  if (file === undefined) throw new AppError('not_found', 'This email is no longer stored');
  return file;
};

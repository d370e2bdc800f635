/**
 * The targets of links in payloads: raw emails and attachments. The signed link is the permission.
 */
import { z } from 'zod';

import type { MailStore } from '../../adapters/stream/mail-store.ts';
import { AppError, notFound, unavailable } from '../../core/app-error.ts';
import { type LinkedFile, linkHolds } from '../../core/mail/file-link.ts';
import type { ParsedMail } from '../../core/mail/payload.ts';
import { defineEndpoint, type Endpoint, nothing } from '../http/endpoint.ts';
import { ServedFile } from '../http/served-file.ts';

type Parts = {
  store: Pick<MailStore, 'raw'>;
  parse: (raw: Buffer) => ParsedMail;
  /** All keys that may have signed a link. */
  keys: readonly Uint8Array[];
};

/** Each request holds the whole email in memory, twice for an attachment. */
const MAX_IN_FLIGHT = 8;

const link = z.strictObject({
  expires: z.int().min(0).describe('Unix time at which the link expires'),
  signature: z.string().describe('HMAC of the link, in hex'),
});

export function fileEndpoints({ store, parse, keys }: Parts): Endpoint[] {
  let inFlight = 0;

  const linked = async (
    eventId: string,
    file: LinkedFile,
    { expires, signature }: z.output<typeof link>,
    now: Date,
    serve: (raw: Buffer) => Promise<ServedFile>,
  ) => {
    if (!linkHolds({ eventId, file, expires: new Date(expires * 1000), signature, keys, now }))
      throw new AppError('forbidden', 'This link is invalid or has expired');
    if (inFlight >= MAX_IN_FLIGHT)
      throw unavailable(new Error(`${MAX_IN_FLIGHT} files are being served`));
    inFlight++;
    try {
      const raw = await store.raw(eventId);
      if (raw === undefined) throw new AppError('not_found', 'This email is no longer stored');
      return await serve(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength));
    } finally {
      inFlight--;
    }
  };

  return [
    defineEndpoint({
      method: 'GET',
      path: '/files/{event_id}/raw',
      summary: 'Get the raw email of an event through a signed link',
      permission: null,
      query: link,
      body: nothing,
      status: 200,
      response: ServedFile,
      handle: ({ params: { event_id }, query, now }) =>
        linked(event_id, 'raw', query, now, async (raw) => ({
          bytes: raw,
          contentType: 'message/rfc822',
          filename: `${event_id}.eml`,
        })),
    }),
    defineEndpoint({
      method: 'GET',
      path: '/files/{event_id}/attachments/{index}',
      summary: 'Get an attachment of an event (index from 0) through a signed link',
      permission: null,
      query: link,
      body: nothing,
      status: 200,
      response: ServedFile,
      handle: async ({ params: { event_id, index }, query, now }) => {
        const n = /^(0|[1-9]\d{0,4})$/.test(index) ? Number(index) : undefined;
        if (n === undefined) throw notFound('attachment');
        return linked(event_id, `attachments/${n}`, query, now, async (raw) => {
          const attachment = parse(raw).attachments[n];
          if (attachment === undefined) throw notFound('attachment');
          return {
            bytes: attachment.content,
            contentType: attachment.contentType,
            filename: attachment.filename ?? `attachment-${n + 1}`,
          };
        });
      },
    }),
  ];
}

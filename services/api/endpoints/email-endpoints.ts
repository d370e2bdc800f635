/**
 * The stored email of a delivery as people read it: without contents of attachments, as a sandboxed
 * HTML page, and with the signature that repeats its webhook by hand.
 */
import { z } from 'zod';

import { type InlineImages, readableHtml } from '../../adapters/mime/readable-html.ts';
import type { DeliveryRecords } from '../../adapters/mongo/delivery-records.ts';
import type { MailStore } from '../../adapters/stream/mail-store.ts';
import type { StoredBytes } from '../../adapters/stream/object-reader.ts';
import {
  type AddressScope,
  signingSecrets,
  type WebhookTarget,
} from '../../core/account/address.ts';
import { notFound, unavailable } from '../../core/app-error.ts';
import { lastRetryCount } from '../../core/delivery/delivery-view.ts';
import type { Delivery } from '../../core/delivery/delivery.ts';
import { noLongerStored } from '../../core/delivery/retention.ts';
import { signingKeys, startSigning } from '../../core/delivery/signature.ts';
import { EmailView, emailView, withoutContents } from '../../core/mail/email-view.ts';
import type { WebhookPayload } from '../../core/mail/payload.ts';
import { streamWithRetryCount } from '../../core/mail/streamed-payload.ts';
import { type Downloads, STREAM_BYTES } from '../http/downloads.ts';
import { defineEndpoint, type Endpoint, nothing } from '../http/endpoint.ts';
import { ServedFile } from '../http/served-file.ts';

type Parts = {
  records: Pick<DeliveryRecords, 'find'>;
  store: Pick<MailStore, 'payload'>;
  /** Webhook URL and secrets of an address. */
  target: (addressId: string) => Promise<WebhookTarget | undefined>;
  downloads: Downloads;
};

/** A payload is read whole and parsed: its bytes, their text, and the values. */
const PARSED_COPIES = 3;
/** Above this, inline images of the HTML are left out. */
const IMAGES_PAYLOAD_MAX_BYTES = 12 * 1024 * 1024;

/**
 * Runs nothing, fetches nothing, and only the dashboard frames it. `sandbox` gives it an origin of
 * its own (HTML §7.1.6).
 */
const HTML_POLICY =
  "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

export const SignedWebhook = z.object({
  webhook_url: z.string().describe('where the webhook is sent'),
  headers: z
    .object({
      'content-type': z.string(),
      'svc-signature': z.string(),
      'webhook-id': z.string(),
      'webhook-timestamp': z.string(),
      'webhook-signature': z.string(),
    })
    .describe('headers that sign the payload now; most receivers accept them for five minutes'),
  size_bytes: z.int().describe('size of the payload that GET …/payload returns'),
});

export function emailEndpoints({ records, store, target, downloads }: Parts): Endpoint[] {
  const stored = async (
    scope: AddressScope,
    eventId: string,
  ): Promise<{ delivery: Delivery; payload: StoredBytes }> => {
    const delivery = await records.find(scope, eventId);
    if (delivery === undefined) throw notFound('delivery');
    const payload = await store.payload(delivery);
    if (payload === undefined) throw noLongerStored(delivery);
    return { delivery, payload };
  };

  return [
    defineEndpoint({
      method: 'GET',
      path: '/deliveries/{event_id}/email',
      operationId: 'getDeliveryEmail',
      summary: 'Get the email of a delivery without its HTML and the contents of attachments',
      permission: 'deliveries:read',
      query: nothing,
      body: nothing,
      status: 200,
      response: EmailView,
      handle: async ({ caller, params, connection }) => {
        const { payload } = await stored(caller, params.event_id);
        downloads.begin(connection, STREAM_BYTES);
        return emailView(await parsed(withoutContents(payload.chunks)));
      },
    }),
    defineEndpoint({
      method: 'GET',
      path: '/deliveries/{event_id}/html',
      operationId: 'getDeliveryHtml',
      summary: 'Get the HTML body as a page that runs nothing and fetches nothing',
      permission: 'deliveries:read',
      query: nothing,
      body: nothing,
      status: 200,
      response: ServedFile,
      file: { mediaType: 'text/html' },
      handle: async ({ caller, params, connection }) => {
        const { payload } = await stored(caller, params.event_id);
        const showsImages = payload.size <= IMAGES_PAYLOAD_MAX_BYTES;
        downloads.begin(connection, showsImages ? PARSED_COPIES * payload.size : STREAM_BYTES);
        const { content, attachments } = await parsed(
          showsImages ? payload.chunks : withoutContents(payload.chunks),
        );
        if (content.html === null) throw notFound('HTML body');
        const page = Buffer.from(readableHtml(content.html, inlineImages(attachments)));
        return {
          content: page,
          size: page.byteLength,
          contentType: 'text/html',
          filename: null,
          policy: HTML_POLICY,
        };
      },
    }),
    defineEndpoint({
      method: 'POST',
      path: '/deliveries/{event_id}/signature',
      operationId: 'signDelivery',
      summary: 'Sign the stored payload again, to send it by hand to a receiver under development',
      permission: 'deliveries:write',
      query: nothing,
      body: nothing,
      status: 200,
      response: SignedWebhook,
      handle: async ({ caller, params, now, connection }) => {
        const { delivery, payload } = await stored(caller, params.event_id);
        const address = await target(delivery.address_id);
        if (address === undefined) throw notFound('address');
        downloads.begin(connection, STREAM_BYTES);
        const signing = startSigning({
          eventId: delivery.event_id,
          keys: signingSecrets(address, now).map(signingKeys),
          now,
        });
        let size = 0;
        const chunks = streamWithRetryCount(payload.chunks, lastRetryCount(delivery));
        for await (const chunk of chunks) {
          signing.update(chunk);
          size += chunk.byteLength;
        }
        return {
          webhook_url: address.webhook_url,
          headers: { 'content-type': 'application/json', ...signing.headers() },
          size_bytes: size,
        };
      },
    }),
  ];
}

/** Its schema is not checked again: the gateway wrote it. */
async function parsed(chunks: AsyncIterable<Uint8Array>): Promise<WebhookPayload> {
  let bytes: Buffer;
  try {
    bytes = Buffer.concat(await Array.fromAsync(chunks));
  } catch (cause) {
    throw unavailable(cause);
  }
  return JSON.parse(bytes.toString()) as WebhookPayload;
}

const inlineImages = (attachments: WebhookPayload['attachments']): InlineImages =>
  new Map(
    attachments.flatMap(({ content_id: id, content_type: contentType, content: base64 }) =>
      id === null || base64 === null ? [] : [[id, { contentType, base64 }] as const],
    ),
  );

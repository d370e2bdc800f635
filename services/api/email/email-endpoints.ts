/**
 * The stored email of a delivery as people read it: without contents of attachments, as a sandboxed
 * HTML page, and with the signature that repeats its webhook by hand.
 */
import { z } from 'zod';

import { describeSchema, EXAMPLE } from '../../core/resource/api-reference.ts';
import { signingSecrets, type WebhookTarget } from '../../core/address/address.ts';
import { notFound, orNotFound } from '../../core/error/app-error.ts';
import { lastAttemptFacts } from '../../core/delivery/last-attempt.ts';
import { CloudEventHeaders, formatHeaders } from '../../core/webhook/cloud-event.ts';
import { signingKeys, startSigning } from '../../core/webhook/signature.ts';
import {
  cutPayload,
  ShownEmail,
  shownEmail,
  HTML_MAX_CHARS,
  TEXT_MAX_CHARS,
} from '../../core/webhook/shown-email.ts';
import { EXAMPLE_HEADERS, EXAMPLE_PAYLOAD } from '../../core/webhook/example.ts';
import { streamOfAttempt } from '../../core/webhook/payload-bytes.ts';
import type { ContentThread } from '../content/content-thread.ts';
import { type Slots, STREAM_BYTES } from '../http/limits/slots.ts';
import { defineEmailEndpoint, defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { ServedFile } from '../http/output/served-file.ts';
import { NOT_SHOWN } from '../http/view.ts';
import { createStoredEmail, readPayload, type StoredEmails } from '../content/stored-email.ts';
import { orNull } from '../../core/resource/described.ts';

type EmailEndpointDependencies = StoredEmails & {
  /** Webhook URL and secrets of an address. */
  target: (addressId: string) => Promise<WebhookTarget | undefined>;
  downloads: Slots;
  content: ContentThread;
};

/** Inline images of the HTML are left out of larger payloads. */
const IMAGES_PAYLOAD_MAX_BYTES = 12 * 1024 * 1024;

/**
 * Runs nothing, fetches nothing, and only the dashboard frames it. `sandbox` takes scripts, forms
 * and navigation of the page around it from it (HTML §7.1.6). It keeps its origin, so that the
 * dashboard can read its height and its links; without scripts it can do nothing with that.
 */
const HTML_POLICY =
  "sandbox allow-same-origin; default-src 'none'; img-src data:; style-src 'unsafe-inline'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

const SignedWebhook = z.object({
  webhook_url: orNull(z.string(), 'where the webhook is sent; null for an address without a URL'),
  headers: z
    .object({
      'content-type': z.string(),
      ...CloudEventHeaders.partial().shape,
      'svc-signature': z.string().optional(),
      'webhook-id': z.string(),
      'webhook-timestamp': z.string(),
      'webhook-signature': z.string(),
    })
    .describe('headers that sign the payload now; most receivers accept them for five minutes'),
  size_bytes: z.int().describe('size of the payload that GET …/payload returns'),
});
describeSchema(SignedWebhook, 'SignedWebhook', {
  webhook_url: EXAMPLE.webhook_url,
  headers: { 'content-type': 'application/json', ...EXAMPLE_HEADERS },
  size_bytes: 1890,
});

export function emailEndpoints({
  deliveries,
  store,
  target,
  downloads,
  content,
}: EmailEndpointDependencies): Endpoint[] {
  const stored = createStoredEmail({ deliveries, store });

  return [
    defineEmailEndpoint({
      call: 'GET /deliveries/{event_id}/email',
      operationId: 'getDeliveryEmail',
      summary: 'Get the email of a delivery without its HTML and the contents of attachments',
      permission: 'deliveries:read',
      reach: 'limited',
      example: { response: ShownEmail.parse(shownEmail(EXAMPLE_PAYLOAD)) },
      response: ShownEmail,
      shows: { part: 'text', emailOf: ({ params }) => params.event_id },
      handle: async ({ caller, params, connection, view }) => {
        const { payload } = await stored(caller, params.event_id, view);
        const download = downloads.take(caller.account_id, connection, STREAM_BYTES);
        // one character more than is shown: a text that was cut is still too long
        const read = { text: TEXT_MAX_CHARS + 1, html: 0, content: 0 };
        const bytes = await readPayload(cutPayload(payload.chunks, read), download);
        return content.run(caller.account_id, 'view', bytes);
      },
    }),
    defineEmailEndpoint({
      call: 'GET /deliveries/{event_id}/html',
      operationId: 'getDeliveryHtml',
      summary: 'Get the HTML body as a page that runs nothing and fetches nothing',
      permission: 'deliveries:read',
      reach: 'limited',
      example: {
        response: '<!doctype html><html><body><p>Two sprockets, please.</p></body></html>',
      },
      response: ServedFile,
      file: { mediaType: 'text/html' },
      shows: { part: 'html', emailOf: ({ params }) => params.event_id },
      handle: async ({ caller, params, connection, view }) => {
        const { payload } = await stored(caller, params.event_id, view);
        const download = downloads.take(caller.account_id, connection, STREAM_BYTES);
        const showsImages = payload.size <= IMAGES_PAYLOAD_MAX_BYTES;
        const read = { text: 0, html: HTML_MAX_CHARS, content: showsImages ? Infinity : 0 };
        const bytes = await readPayload(cutPayload(payload.chunks, read), download);
        const page = await content.run(caller.account_id, 'page', bytes);
        if (page === null) throw notFound('HTML body');
        download.hold(page.byteLength);
        return {
          content: Buffer.from(page),
          size: page.byteLength,
          contentType: 'text/html',
          filename: null,
          policy: HTML_POLICY,
        };
      },
    }),
    defineEndpoint({
      call: 'POST /deliveries/{event_id}/signature',
      operationId: 'signDelivery',
      summary: 'Sign the stored payload again, to send it by hand to a receiver under development',
      permission: 'deliveries:decide',
      reach: 'limited',
      response: SignedWebhook,
      handle: async ({ caller, params, now, connection }) => {
        const { delivery, payload } = await stored(caller, params.event_id, NOT_SHOWN);
        const address = orNotFound(await target(delivery.address_id), 'address');
        const keys = signingSecrets(address, now).map(signingKeys);
        const download = downloads.take(caller.account_id, connection, STREAM_BYTES);
        // Ed25519 needs all of it: its pieces, and their copy while joined
        if (keys.some((key) => 'ed25519' in key)) download.hold(STREAM_BYTES + 2 * payload.size);
        const signing = startSigning({
          eventId: delivery.event_id,
          keys,
          now,
        });
        let size = 0;
        const chunks = streamOfAttempt(payload.chunks, lastAttemptFacts(delivery));
        for await (const chunk of chunks) {
          signing.update(chunk);
          size += chunk.byteLength;
        }
        return {
          webhook_url: address.webhook_url,
          headers: {
            'content-type': 'application/json',
            ...formatHeaders({
              ...address,
              eventId: delivery.event_id,
              receivedAt: delivery.received_at,
            }),
            ...(await signing.headers()),
          },
          size_bytes: size,
        };
      },
    }),
  ];
}

/**
 * A webhook as a CloudEvent in the binary mode of its HTTP binding: headers are added, the body and
 * the signatures stay as they are (D48).
 */
import { z } from 'zod';

import type { WebhookFormat } from '../receiver/webhook-format.ts';
import { timestamp } from '../time/timestamp.ts';

/** The attributes as headers. */
export const CloudEventHeaders = z.object({
  'ce-specversion': z.literal('1.0'),
  'ce-id': z.string().describe('the event_id'),
  'ce-source': z.string().describe('mailto: and the email address'),
  'ce-type': z.literal('email.inlet.received.v1'),
  'ce-time': z.string().describe('when the email arrived'),
  'ce-subject': z.string().describe('the email address'),
});
export type CloudEventHeaders = z.infer<typeof CloudEventHeaders>;

type Facts = {
  format?: WebhookFormat | undefined;
  eventId: string;
  /** The email address. */
  address: string;
  receivedAt: Date;
};

/** What the format of the receiver adds to the headers of a webhook. */
export function formatHeaders({
  format,
  eventId,
  address,
  receivedAt,
}: Facts): Partial<CloudEventHeaders> {
  if (format !== 'cloudevents') return {};
  return {
    'ce-specversion': '1.0',
    'ce-id': eventId,
    'ce-source': headerValue(`mailto:${address.split('@').map(encodeURIComponent).join('@')}`),
    'ce-type': 'email.inlet.received.v1',
    'ce-time': timestamp(receivedAt),
    'ce-subject': headerValue(address),
  } satisfies CloudEventHeaders;
}

/** Percent-encodes what a header must not have (HTTP binding of CloudEvents 1.0.2, §3.1.3.2). */
const headerValue = (text: string): string =>
  text.replaceAll(/[^\x21\x23\x24\x26-\x7e]/gu, encodeURIComponent);

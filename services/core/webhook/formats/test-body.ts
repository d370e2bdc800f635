/** The body of a test webhook, in the format of its receiver. */
import type { WebhookFormat } from '../../receiver/webhook-format.ts';
import type { SigningKeys } from '../signature.ts';
import type { TestPayload } from '../test-payload.ts';
import { attemptBody, bodyBytes } from './attempt-body.ts';
import { mailDate } from '../../mail/mail-date.ts';
import { storableJson } from '../../text/text.ts';

/** @param sample of a notification, or the payload of an address, which alone has other formats */
export function testBody(
  sample: object,
  format: WebhookFormat | undefined,
  keys: readonly SigningKeys[],
  now: Date,
): { body: Buffer; contentType: string } {
  const stored = format === 'raw' ? testEmail(sample as TestPayload) : storableJson(sample);
  const { recipient } = sample as Partial<TestPayload>;
  const facts = { format, recipient, attempt: { retryCount: 0 }, keys, now };
  const written = attemptBody([Buffer.from(stored)], facts);
  return { body: bodyBytes(written), contentType: written.contentType };
}

/** The test as an email, without its attachment. */
function testEmail({ headers, content, timestamp }: TestPayload): string {
  const lines = [
    `From: ${headers.from}`,
    `To: ${headers.to}`,
    `Subject: ${headers.subject}`,
    `Date: ${mailDate(timestamp)}`,
    `Message-ID: ${headers.message_id}`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    '',
    ...(content.text ?? '').split('\n'),
  ];
  return lines.join('\r\n');
}

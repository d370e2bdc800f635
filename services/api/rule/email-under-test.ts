/** The email that a test of expressions or rules names: a stored one, or one in the request. */
import { z } from 'zod';

import type { AddressCaller } from '../../core/token/token.ts';
import { AppError } from '../../core/error/app-error.ts';
import type { Delivery } from '../../core/delivery/delivery.ts';
import { READ_MAX_CHARS } from '../../core/extract/extraction.ts';
import { firstSeenAt } from '../../core/decision/known-author.ts';
import { cutPayload, type ReadChars } from '../../core/webhook/shown-email.ts';
import type { SentEmail } from '../content/content-jobs.ts';
import { exactlyOneOf } from '../http/input/exactly-one.ts';
import { RecordId } from '../http/input/record-id.ts';
import { type Connection, type Slots, STREAM_BYTES } from '../http/limits/slots.ts';
import type { View } from '../http/view.ts';
import { createStoredEmail, readPayload, type StoredEmails } from '../content/stored-email.ts';
import { optional } from '../../core/resource/described.ts';

const EMAIL_MAX_BYTES = 256 * 1024;
/** Room for Base64 and for the rest of the body. */
export const TEST_BODY_MAX_BYTES = 384 * 1024;

const NOT_AUTHENTICATED =
  'The sender of a posted email is not authenticated: the results are none, the score is 0, and ' +
  'allowed_senders compares only the author';
const ENVELOPE_TAKEN = 'The envelope of a posted email is taken from its From and To headers';

export const emailFields = {
  event_id: RecordId.optional().describe('a delivery whose email is still stored'),
  email: optional(z.string().max(EMAIL_MAX_BYTES), 'or a raw email as text, of at most 256 KiB'),
  email_base64: z
    .base64()
    .optional()
    .describe('or a raw email in Base64, of at most 256 KiB before encoding'),
};
export const ONE_EMAIL = exactlyOneOf('event_id', 'email', 'email_base64');

type Source = { event_id?: string; email?: string; email_base64?: string };

type EmailUnderTest = {
  /** For the content thread. */
  email: SentEmail;
  /** Undefined for a posted email. */
  delivery: Delivery | undefined;
  /** What differs from a received email. */
  warnings: string[];
};

export type ReadEmailUnderTest = (
  source: Source,
  call: { caller: AddressCaller; connection: Connection; now: Date; view: View },
) => Promise<EmailUnderTest>;

export function createEmailUnderTest(
  parts: StoredEmails & { downloads: Slots },
): ReadEmailUnderTest {
  const stored = createStoredEmail(parts);
  return async function emailUnderTest(source, { caller, connection, now, view }) {
    const { event_id, email: posted, email_base64 } = source;
    if ([event_id, posted, email_base64].filter((one) => one !== undefined).length !== 1)
      throw invalid('event_id', 'Send one of event_id, email and email_base64', 'conflict');
    if (event_id !== undefined) {
      const { delivery, payload } = await stored(caller, event_id, view);
      const download = parts.downloads.take(caller.account_id, connection, STREAM_BYTES);
      const chunks = cutPayload(payload.chunks, WITH_CONTENT);
      const email = {
        payload: await readPayload(chunks, download),
        firstSeen: firstSeenAt(delivery),
      };
      return { email, delivery, warnings: [] };
    }
    const raw =
      posted === undefined ? Buffer.from(email_base64 ?? '', 'base64') : Buffer.from(posted);
    if (raw.byteLength > EMAIL_MAX_BYTES)
      throw invalid(
        posted === undefined ? 'email_base64' : 'email',
        `The email is larger than ${EMAIL_MAX_BYTES} bytes`,
        'too_long',
      );
    const warnings = [NOT_AUTHENTICATED, ENVELOPE_TAKEN];
    return { email: { raw: Uint8Array.from(raw), now }, delivery: undefined, warnings };
  };
}

/** One character more than content facts read shows that there is more. */
const CONTENT_CHARS = READ_MAX_CHARS + 1;
const WITH_CONTENT: ReadChars = { text: CONTENT_CHARS, html: CONTENT_CHARS, content: 0 };

const invalid = (field: string, message: string, code: 'conflict' | 'too_long'): AppError =>
  new AppError('validation_failed', message, { details: { field, code } });

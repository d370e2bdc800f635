/** Tries an expression on a stored email or on one in the request. Nothing is stored or sent. */
import { z } from 'zod';

import { parseMail } from '../../adapters/mime/parse.ts';
import type { TokenIdentity } from '../../core/account/token.ts';
import { describeSchema, EXAMPLE } from '../../core/api-reference.ts';
import { AppError } from '../../core/app-error.ts';
import { cutWarnings, variablesOf } from '../../core/expression/variables.ts';
import type { ExpressionFacts } from '../../core/expression/variables.ts';
import { authorOf } from '../../core/mail/author.ts';
import { NOT_CHECKED } from '../../core/mail/spam.ts';
import { cutPayload } from '../../core/webhook/email-view.ts';
import { buildPayload } from '../../core/webhook/payload.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { exactlyOneOf } from '../http/input/exactly-one.ts';
import { compiledField, ExpressionText } from '../http/input/expression-field.ts';
import { type Connection, type Places, STREAM_BYTES } from '../http/limits/places.ts';
import { RecordId } from '../http/input/record-id.ts';
import { createStoredEmail, readPayload, type StoredEmails } from './stored-email.ts';

const EMAIL_MAX_BYTES = 256 * 1024;
/** Room for Base64 and for the rest of the body. */
const BODY_MAX_BYTES = 384 * 1024;

const NOT_AUTHENTICATED =
  'The sender of a posted email is not authenticated: the results are none, and the score is 0';
const ENVELOPE_TAKEN = 'The envelope of a posted email is taken from its From and To headers';

const ExpressionTest = z.object({
  result: z
    .boolean()
    .nullable()
    .describe('value of the expression; null when it failed at run time'),
  error: z
    .object({
      message: z.string(),
      position: z.int().describe('place in the expression, in characters from 0'),
    })
    .nullable()
    .describe('why it failed, for example because a header is missing; null when it did not'),
  warnings: z
    .array(z.string())
    .describe('what differs from a received email, and what expressions do not see of this one'),
});
describeSchema(ExpressionTest, 'ExpressionTest', { result: true, error: null, warnings: [] });

type Source = { event_id?: string; email?: string; email_base64?: string };

export function expressionEndpoint(parts: StoredEmails & { downloads: Places }): Endpoint {
  const stored = createStoredEmail(parts);

  async function factsOf(
    { event_id, email, email_base64 }: Source,
    caller: TokenIdentity,
    connection: Connection,
    now: Date,
  ): Promise<{ facts: ExpressionFacts; warnings: string[] }> {
    if ([event_id, email, email_base64].filter((one) => one !== undefined).length !== 1)
      throw invalid('event_id', 'Send one of event_id, email and email_base64', 'conflict');
    if (event_id !== undefined) {
      const { payload } = await stored(caller, event_id);
      const download = parts.downloads.take(connection.source, connection, STREAM_BYTES);
      const chunks = cutPayload(payload.chunks, { text: 0, html: 0, content: 0 });
      return { facts: await readPayload(chunks, download), warnings: [] };
    }
    const raw =
      email === undefined ? Buffer.from(email_base64 ?? '', 'base64') : Buffer.from(email);
    if (raw.byteLength > EMAIL_MAX_BYTES)
      throw invalid(
        email === undefined ? 'email_base64' : 'email',
        `The email is larger than ${EMAIL_MAX_BYTES} bytes`,
        'too_long',
      );
    return { facts: postedFacts(raw, now), warnings: [NOT_AUTHENTICATED, ENVELOPE_TAKEN] };
  }

  return defineEndpoint({
    method: 'POST',
    path: '/expressions/test',
    operationId: 'testExpression',
    summary: 'Try an expression on a stored email, or on one in the request',
    permission: 'deliveries:read',
    example: {
      request: {
        when: 'from.domain == "sender.example" && subject.startsWith("Order")',
        event_id: EXAMPLE.event_id,
      },
    },
    errors: ['not_found'],
    bodyMaxBytes: BODY_MAX_BYTES,
    body: z
      .strictObject({
        when: ExpressionText.describe(
          'expression in CEL; docs/filters.md lists its variables and functions',
        ),
        event_id: RecordId.optional().describe('a delivery whose email is still stored'),
        email: z
          .string()
          .max(EMAIL_MAX_BYTES)
          .optional()
          .describe('or a raw email as text, of at most 256 KiB'),
        email_base64: z
          .base64()
          .optional()
          .describe('or a raw email in Base64, of at most 256 KiB before encoding'),
      })
      .meta(exactlyOneOf('event_id', 'email', 'email_base64')),
    response: ExpressionTest,
    handle: async ({ caller, body: { when, ...source }, connection, now }) => {
      const expression = compiledField('when', when);
      const { facts, warnings } = await factsOf(source, caller, connection, now);
      const { value, error } = expression.evaluate(variablesOf(facts));
      return { result: value, error, warnings: [...warnings, ...cutWarnings(facts)] };
    },
  });
}

const invalid = (field: string, message: string, code: 'conflict' | 'too_long'): AppError =>
  new AppError('validation_failed', message, { details: { field, code } });

const MAILBOX = /[^\s<>()[\]",;:@]{1,64}@[a-z0-9.-]{1,255}/gi;

/** As the gateway would see it, without what only an SMTP connection has. */
function postedFacts(raw: Buffer, now: Date): ExpressionFacts {
  const mail = parseMail(raw);
  return buildPayload({
    eventId: '',
    addressId: '',
    envelope: { mailFrom: authorOf(mail.headers).address, heloDomain: '', remoteIp: '' },
    rcptTo: mail.headers.to?.match(MAILBOX) ?? [],
    mail,
    sizeBytes: raw.byteLength,
    spam: NOT_CHECKED,
    receivedAt: now,
    now,
  });
}

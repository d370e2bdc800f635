/**
 * Email that a program submits by HTTP: its envelope in headers, and what became of each recipient
 * (docs/other-ways-in.md).
 */
import { isIP } from 'node:net';

import { z } from 'zod';

import { describeSchema, EXAMPLE } from '../resource/api-reference.ts';
import { AppError, type FieldRule, type SubmittedRecipient } from '../error/app-error.ts';
import { normaliseAddress } from '../mail/fields/email-address.ts';
import { noSuchAddress } from './smtp-reply.ts';
import { eventIn } from './stored-reply.ts';

const MAX_RECIPIENTS = 100;

/** The names are those of the payload's `envelope`. */
export const INTAKE_HEADERS = {
  mailFrom: 'Svc-Mail-From',
  rcptTo: 'Svc-Rcpt-To',
  remoteIp: 'Svc-Remote-Ip',
  heloDomain: 'Svc-Helo-Domain',
} as const;
type Header = (typeof INTAKE_HEADERS)[keyof typeof INTAKE_HEADERS];

/** A header is undefined when it is absent. Names are in lower case. */
type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

export type SubmittedEnvelope = {
  /** Empty for a bounce. */
  mailFrom: string;
  recipients: string[];
  remoteIp: string;
  heloDomain: string | undefined;
};

/**
 * @param source the client's own address, unless the headers name another one
 * @throws AppError `validation_failed` with the header that is wrong
 */
export function readEnvelope(headers: RequestHeaders, source: string): SubmittedEnvelope {
  const text = (name: Header): string => {
    const value = [headers[name.toLowerCase()] ?? []].flat().join(',');
    return Buffer.from(value, 'latin1').toString().trim(); // Node reads the bytes of a header as Latin-1
  };
  const mailFrom = withoutBrackets(text(INTAKE_HEADERS.mailFrom));
  const recipients = [...new Set(listed(text(INTAKE_HEADERS.rcptTo)).map(withoutBrackets))];
  const remoteIp = text(INTAKE_HEADERS.remoteIp) || source;
  const heloDomain = text(INTAKE_HEADERS.heloDomain) || undefined;
  if (mailFrom !== '' && !isPath(mailFrom))
    throw invalid(INTAKE_HEADERS.mailFrom, 'invalid_value', 'is not an email address');
  if (recipients.length === 0)
    throw invalid(INTAKE_HEADERS.rcptTo, 'required', 'names no recipient');
  if (recipients.length > MAX_RECIPIENTS)
    throw invalid(
      INTAKE_HEADERS.rcptTo,
      'too_long',
      `names more than ${MAX_RECIPIENTS} recipients`,
    );
  if (!recipients.every(isPath))
    throw invalid(INTAKE_HEADERS.rcptTo, 'invalid_value', 'is not a list of email addresses');
  if (isIP(remoteIp) === 0)
    throw invalid(INTAKE_HEADERS.remoteIp, 'invalid_value', 'is not an IP address');
  if (heloDomain !== undefined && !/^[\w.:[\]-]{1,255}$/.test(heloDomain))
    throw invalid(INTAKE_HEADERS.heloDomain, 'invalid_value', 'is not a host name');
  return { mailFrom, recipients, remoteIp, heloDomain };
}

const invalid = (field: Header, code: FieldRule, what: string) =>
  new AppError('validation_failed', `The header ${field} ${what}`, { details: { field, code } });

/** RFC 9110 §5.6.1; a comma within quotes is part of a local part. */
const listed = (text: string): string[] =>
  (text.match(/(?:"(?:[^"\\]|\\.)*"|[^",])+/g) ?? [])
    .map((one) => one.trim())
    .filter((one) => one !== '');

/** It becomes a path of a command, so nothing in it may end the path (RFC 5321 §4.1.2). */
const isPath = (address: string): boolean =>
  /^(?:"(?:[^"\\]|\\.)*"|[^\s<>"@]+)@[^\s<>"]+$/.test(address) &&
  normaliseAddress(address) !== undefined;

const withoutBrackets = (address: string): string => /^<(.*)>$/.exec(address)?.[1] ?? address;

export const RecipientResult = z.object({
  recipient: z.string().describe('as the request names it'),
  result: z
    .enum(['accepted', 'refused', 'try_again'])
    .describe(
      '`accepted`: stored; `refused`: never send it again; `try_again`: send it again later',
    ),
  reply: z.string().describe('the reply that SMTP would have given'),
  event_id: z.string().nullable().describe('null unless accepted'),
});
describeSchema(RecipientResult, 'RecipientResult', {
  recipient: 'orders@in.example.com',
  result: 'accepted',
  reply: `250 2.6.0 OK: stored as ${EXAMPLE.event_id}`,
  event_id: EXAMPLE.event_id,
});

/** @param reply one line, such as `250 2.6.0 OK: stored as evt_…` */
export function submittedRecipient(recipient: string, reply: string): SubmittedRecipient {
  const result = RESULTS[reply.charAt(0)] ?? 'try_again';
  return {
    recipient,
    result,
    reply,
    event_id: (result === 'accepted' ? eventIn(reply) : undefined) ?? null,
  };
}

const RESULTS: Partial<Record<string, SubmittedRecipient['result']>> = {
  2: 'accepted',
  5: 'refused',
};

/** The reply for addresses of other accounts, too. */
export const unknownRecipient = (recipient: string): SubmittedRecipient =>
  submittedRecipient(
    recipient,
    `${noSuchAddress.code} ${noSuchAddress.enhanced} ${noSuchAddress.text}`,
  );

/**
 * Whether the client must send the email again, although some recipients may have it: those fold if
 * the email has a Message-ID (D32).
 * @throws AppError `unavailable` if a recipient should be tried again, `validation_failed` if all
 * are refused; both with what became of each
 */
export function requireAccepted(recipients: readonly SubmittedRecipient[]): void {
  const undecided = recipients.find(({ result }) => result === 'try_again');
  if (undecided)
    throw new AppError('unavailable', `Send this email again later: ${undecided.reply}`, {
      retryAfterSeconds: SUBMIT_AGAIN_SECONDS,
      recipients,
    });
  if (recipients.some(({ result }) => result === 'accepted')) return;
  throw new AppError(
    'validation_failed',
    `Every recipient refuses this email: ${recipients[0]?.reply}`,
    {
      recipients,
    },
  );
}

const SUBMIT_AGAIN_SECONDS = 60;

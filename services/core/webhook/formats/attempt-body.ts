/** The body of one attempt, in the format of its receiver. */
import type { KeyObject } from 'node:crypto';

import type { WebhookFormat } from '../../receiver/webhook-format.ts';
import { hasOtherBody, type OtherBody } from '../../receiver/webhook-format-names.ts';
import { type AttemptFacts, piecesOfAttempt } from '../payload-bytes.ts';
import type { SigningKeys } from '../signature.ts';
import { type WrittenBody, type BodyPiece, slicesOfBody } from './body.ts';
import { cloudmailinBody } from './cloudmailin.ts';
import { mailgunBody } from './mailgun.ts';
import { postmarkBody } from './postmark.ts';
import { sendgridBody } from './sendgrid.ts';
import { oneLine } from './shown-headers.ts';
import { readStoredEmail, type StoredEmail } from './stored-payload.ts';

type Facts = {
  format?: WebhookFormat | undefined;
  attempt: AttemptFacts;
  /** The current one first. */
  keys: readonly SigningKeys[];
  /** Only for `raw`: of the payload; undefined when it does not say it. */
  recipient?: string | undefined;
  now: Date;
};

/**
 * @param stored the payload as it was stored, in pieces; for `raw`, the email
 * @throws when the pieces are not a payload
 */
export function attemptBody(
  stored: readonly Uint8Array[],
  { format, attempt, keys, recipient, now }: Facts,
): WrittenBody {
  if (format === 'raw')
    return { contentType: 'message/rfc822', pieces: rawPieces(stored, recipient) };
  if (hasOtherBody(format)) return WRITE[format](readStoredEmail(stored), keys, now);
  return { contentType: 'application/json', pieces: piecesOfAttempt(stored, attempt) };
}

type Write = (email: StoredEmail, keys: readonly SigningKeys[], now: Date) => WrittenBody;

const WRITE: Record<OtherBody, Write> = {
  postmark: postmarkBody,
  sendgrid: sendgridBody,
  mailgun: (email, keys, now) => mailgunBody(email, secretOf(keys), now),
  cloudmailin: cloudmailinBody,
};

const secretOf = (keys: readonly SigningKeys[]): KeyObject | undefined =>
  keys.flatMap((key) => ('whole' in key ? [key.whole] : []))[0];

/**
 * The email below a header X-Original-To: a program that has only the email must know for which
 * address it is. A header above the email breaks no signature.
 */
const rawPieces = (email: readonly Uint8Array[], recipient: string | undefined): BodyPiece[] =>
  recipient === undefined
    ? [...email]
    : [Buffer.from(`X-Original-To: ${oneLine(recipient)}\r\n`), ...email];

/** The bytes of a body that is at hand. */
export const bodyBytes = ({ pieces }: WrittenBody): Buffer =>
  Buffer.concat([...slicesOfBody(pieces, Infinity)]);

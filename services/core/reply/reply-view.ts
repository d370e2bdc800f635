/** What a payload says about the reply address to which an email was sent (D57). */
import { z } from 'zod';

import { describeSchema } from '../resource/api-reference.ts';
import type { Authentication } from '../mail/authentication.ts';
import { authorOf } from '../mail/author.ts';
import { Timestamp, timestamp } from '../time/timestamp.ts';
import { type CheckedTag, isBoundTo } from './reply-address.ts';

export const ReplyView = z.object({
  status: z
    .enum(['valid', 'expired', 'invalid', 'none'])
    .describe(
      'valid, expired: signed with the key of the address; invalid: not, or changed on its way; ' +
        'none: the recipient is not a reply address',
    ),
  reference: z
    .string()
    .nullable()
    .describe('what the reply address was made for; null unless it is valid or expired'),
  expires_at: Timestamp.nullable().describe('null unless it is valid or expired'),
  sender: z
    .enum(['bound', 'other', 'unbound'])
    .nullable()
    .describe(
      'bound: the email is of the sender for whom the reply address was made, and DMARC proves it; ' +
        'other: this is not proven; unbound: it was made for nobody in particular; null unless it ' +
        'is valid or expired',
    ),
});
export type ReplyView = z.infer<typeof ReplyView>;
describeSchema(ReplyView, 'Reply', {
  status: 'valid',
  reference: 'ticket-42',
  expires_at: '2026-12-21T08:00:00Z',
  sender: 'bound',
});

/** The author of an email, and what authenticates it. */
type ReplyAuthor = {
  headers: Parameters<typeof authorOf>[0];
  authentication: Authentication | undefined;
};

/** @param receivedAt it may have expired since RCPT */
export function replyView(tag: CheckedTag, author: ReplyAuthor, receivedAt: Date): ReplyView {
  if (!('reference' in tag))
    return { status: tag.status, reference: null, expires_at: null, sender: null };
  return {
    status: tag.expiresAt > receivedAt ? 'valid' : 'expired',
    reference: tag.reference,
    expires_at: timestamp(tag.expiresAt),
    sender: senderOf(tag, author),
  };
}

function senderOf(
  { bound }: Extract<CheckedTag, { reference: string }>,
  { headers, authentication }: ReplyAuthor,
): 'bound' | 'other' | 'unbound' {
  if (bound === undefined) return 'unbound';
  const { address, domain } = authorOf(headers);
  const dmarc = authentication?.dmarc;
  const isProven = dmarc?.result === 'pass' && dmarc.domain === domain;
  return address !== '' && isProven && isBoundTo(bound, address) ? 'bound' : 'other';
}

/** What decided that an email is refused, and what was known of the email by then. */
import { z } from 'zod';

import { describeSchema } from '../resource/api-reference.ts';
import type { Recipient } from '../address/recipient.ts';
import type { Authentication } from '../mail/authentication.ts';

export const DecidedBy = z.object({
  kind: z
    .enum(['field', 'rule', 'hook'])
    .describe('field: a setting of the address, or of its account, by its name'),
  name: z.string().describe('of the field or the rule; hook for a deciding hook'),
  scope: z.enum(['account', 'address']).nullable().describe('whose it is; null for a hook'),
});
export type DecidedBy = z.infer<typeof DecidedBy>;
describeSchema(DecidedBy, 'DecidedBy', {
  kind: 'field',
  name: 'allowed_senders',
  scope: 'address',
});

/** An email whose DATA was read. */
export type RefusedContent = {
  from: string | null;
  subject: string | null;
  messageId: string | null;
  /** Undefined when authentication is switched off. */
  authentication: Authentication | undefined;
};

/** Its name is a label in metrics and logs; `enhanced` is a status code of RFC 3463. */
export type RefusalReply = { name: string; code: number; enhanced: string; text: string };

/** The address that a refused email is for. Its `redact` also applies to the log. */
export type RefusedRecipient = Pick<
  Recipient,
  'id' | 'account_id' | 'environment' | 'address' | 'redact'
>;

/** What one address decided at the end of DATA. */
export type RecipientRefusal = {
  addressId: string;
  reply: RefusalReply;
  decidedBy?: DecidedBy | undefined;
  content?: RefusedContent | undefined;
};

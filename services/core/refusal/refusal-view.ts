/** A refusal in the API. */
import { z } from 'zod';

import { describeSchema, EXAMPLE } from '../resource/api-reference.ts';
import { Environment } from '../resource/environment.ts';
import { AuthenticationWords } from '../mail/authentication.ts';
import { Timestamp } from '../time/timestamp.ts';
import { DecidedBy } from './decided-by.ts';

export const RefusalView = z.object({
  id: z.string(),
  environment: Environment,
  first_at: Timestamp.describe('of the first refusal of this record'),
  last_at: Timestamp.describe('of the last one'),
  count: z.int().describe('refusals of one hour with the same mailbox, sender and reason'),
  mailbox: z
    .string()
    .describe('recipient that the client named; for the reason further, the address or the domain'),
  address_id: z
    .string()
    .nullable()
    .describe('null for a mailbox of a domain of the account that is no address'),
  mail_from: z.string().describe('envelope sender; empty for a bounce, and when redacted'),
  reason: z.string().describe('name of the reply: docs/refusals.md'),
  command: z
    .enum(['rcpt', 'data'])
    .describe(
      'where it was refused: before the email was sent, or at its end. Nothing of it is kept',
    ),
  reply: z.object({
    code: z.int(),
    enhanced_code: z.string(),
    text: z.string().describe('of the reply; a deciding hook may have sent another one'),
  }),
  from: z.string().nullable().describe('From; null before DATA, when redacted, and when not read'),
  subject: z.string().nullable().describe('null in the same cases'),
  message_id: z.string().nullable().describe('null in the same cases, and without one'),
  remote_ip: z.string().describe('IP address of the client'),
  helo_domain: z.string().describe('name that the client gave'),
  remote_name: z
    .string()
    .nullable()
    .describe('name of the IP address that resolves back to it; null when it was not looked up'),
  authentication: AuthenticationWords.nullable().describe('null when it was not checked'),
  decided_by: DecidedBy.nullable().describe('null where the reason says it all'),
});
export type RefusalView = z.infer<typeof RefusalView>;
describeSchema(RefusalView, 'Refusal', {
  id: EXAMPLE.refusal_id,
  environment: 'live',
  first_at: EXAMPLE.now,
  last_at: EXAMPLE.now,
  count: 1,
  mailbox: 'orders@in.example.com',
  address_id: EXAMPLE.address_id,
  mail_from: 'ann@sender.example',
  reason: 'sender_not_allowed',
  command: 'data',
  reply: {
    code: 550,
    enhanced_code: '5.7.1',
    text: 'Message rejected by the policy of the recipient',
  },
  from: 'Ann <ann@sender.example>',
  subject: 'Order 7',
  message_id: '<7@sender.example>',
  remote_ip: '192.0.2.7',
  helo_domain: 'mx.sender.example',
  remote_name: 'mx.sender.example',
  authentication: { spf: 'pass', dkim: 'pass', dmarc: 'pass' },
  decided_by: { kind: 'field', name: 'allowed_senders', scope: 'address' },
});

/** What consumers of a pull receiver get and say (docs/pulling-emails.md). */
import { z } from 'zod';

import { describeSchema, EXAMPLE } from '../resource/api-reference.ts';
import { Timestamp } from '../time/timestamp.ts';
import { EXAMPLE_PAYLOAD } from '../webhook/example.ts';
import { WebhookPayload } from '../webhook/payload.ts';

export const LeasedEmail = z.object({
  lease_id: z.string().describe('names the lease in ack, nack and renew'),
  leased_until: Timestamp.describe(
    'acknowledge or renew it before: else the attempt has failed, and the email comes again',
  ),
  event_id: z.string().describe('the same on every attempt: drop repeats by it'),
  retry_count: z.int().describe('number of attempts before this one'),
  payload_bytes: z.int().describe('length of the payload'),
  payload: WebhookPayload.nullable().describe(
    'null for one that is larger than a response may be: get it with GET /deliveries/{event_id}/payload',
  ),
});
export type LeasedEmail = z.infer<typeof LeasedEmail>;
describeSchema(LeasedEmail, 'LeasedEmail', {
  lease_id: `${EXAMPLE.event_id}.5n8q2w4y6a9c1e3g`,
  leased_until: EXAMPLE.now,
  event_id: EXAMPLE.event_id,
  retry_count: 0,
  payload_bytes: 1890,
  payload: EXAMPLE_PAYLOAD,
});

export const LeasedEmails = z.object({
  data: z.array(LeasedEmail).describe('oldest first; empty when none came in time'),
});
describeSchema(LeasedEmails, 'LeasedEmails');

/** The response to ack, nack and renew. */
export const LeaseResult = z.object({
  count: z.int().describe('leases for which this was done'),
  lost: z
    .array(z.string())
    .describe('leases that had ended, or whose email a request had canceled: nothing was done'),
});
export type LeaseResult = z.infer<typeof LeaseResult>;
describeSchema(LeaseResult, 'LeaseResult', { count: 2, lost: [] });

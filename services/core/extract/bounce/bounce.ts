/** What a bounce says: about which email, which recipients, and why. */
import { z } from 'zod';

import { describeSchema } from '../../resource/api-reference.ts';
import { BouncedRecipient } from './bounced-recipient.ts';

export const Bounce = z.object({
  recipients: z.array(BouncedRecipient).describe('at least one'),
  recipients_left_out: z.int().describe('recipients beyond the first 100, which are left out'),
  original_message_id: z
    .string()
    .nullable()
    .describe('Message-ID of the earlier email, with angle brackets; null when it is not returned'),
  original_recipient: z
    .string()
    .nullable()
    .describe(
      'address that the earlier email was sent to, where it was redirected from; null when the ' +
        'bounce does not say it',
    ),
});
export type Bounce = z.infer<typeof Bounce>;
describeSchema(Bounce, 'ExtractedBounce', {
  recipients: [
    {
      address: 'bob@example.net',
      action: 'failed',
      status: '5.1.1',
      diagnostic: '550 5.1.1 <bob@example.net>: Recipient address rejected: User unknown',
      is_permanent: true,
    },
  ],
  recipients_left_out: 0,
  original_message_id: '<20261120093000.4711@example.com>',
  original_recipient: 'bob@example.net',
});

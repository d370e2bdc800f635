/** What a receiver gets for an email: which body, and which headers in addition to Standard Webhooks. */
import { z } from 'zod';

import { describeSchema } from '../resource/api-reference.ts';
import { WEBHOOK_FORMATS } from './webhook-format-names.ts';

export const WebhookFormat = z
  .enum(WEBHOOK_FORMATS)
  .describe(
    'body of its webhooks: JSON of Inlet (inlet), the same with the headers of a CloudEvent ' +
      '(cloudevents), what the inbound webhook of another service posts (postmark, sendgrid, ' +
      'mailgun, cloudmailin), or the email itself (raw)',
  );
export type WebhookFormat = z.infer<typeof WebhookFormat>;
describeSchema(WebhookFormat, 'WebhookFormat');

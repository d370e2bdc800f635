/** What the headers of a webhook follow besides Standard Webhooks. */
import { z } from 'zod';

import { describeSchema } from '../api-reference.ts';

export const WebhookFormat = z
  .enum(['inlet', 'cloudevents'])
  .describe('cloudevents adds the headers of a CloudEvent to each webhook');
export type WebhookFormat = z.infer<typeof WebhookFormat>;
describeSchema(WebhookFormat, 'WebhookFormat');

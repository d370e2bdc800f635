/** The schema of an AccountNotification resource. */
import { z } from 'zod';

import { DESCRIPTION_MAX_CHARS } from '../../address/address.ts';
import { NotificationType } from '../../notification/notification.ts';
import {
  AccountRef,
  commonStatus,
  immutable,
  ResourceEnvironment,
  rules,
  SecretGeneration,
  SecretName,
  WebhookUrl,
} from './spec-fields.ts';

export const AccountNotificationSpec = z
  .object({
    accountRef: AccountRef,
    environment: ResourceEnvironment,
    url: WebhookUrl.describe('HTTPS URL that receives the events; it must be publicly reachable'),
    types: z.array(NotificationType).min(1).optional().meta({
      description: 'types of events to send; when absent, all, also future ones',
      'x-kubernetes-list-type': 'set',
    }),
    enabled: z.boolean().default(true).describe('false: no new events are sent'),
    description: z
      .string()
      .max(DESCRIPTION_MAX_CHARS)
      .optional()
      .describe('free text, which the API shows'),
    secretName: SecretName.optional().describe(
      'name of the Secret that the operator creates with webhook_secret and url; default: the ' +
        'name of this resource followed by -notification',
    ),
    secretGeneration: SecretGeneration,
  })
  .meta(rules(...immutable('secretName')));
export type AccountNotificationSpec = z.infer<typeof AccountNotificationSpec>;

export const AccountNotificationStatus = z.object({
  ...commonStatus,
  id: z.string().optional().describe('id of the notification in the API'),
  secretName: z.string().optional().describe('name of the Secret that the operator created'),
});
export type AccountNotificationStatus = z.infer<typeof AccountNotificationStatus>;

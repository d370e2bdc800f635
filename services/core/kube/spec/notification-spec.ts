/** The schema of an AccountNotification resource. */
import { z } from 'zod';

import { NOTIFICATION } from '../../notification/notification.ts';
import { specShape } from '../../resource/spec.ts';
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
    ...specShape(NOTIFICATION.fields),
    url: WebhookUrl.describe('HTTPS URL that receives the events; it must be publicly reachable'),
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

/**
 * A further receiver of an address: one more webhook URL for its email, with its own secret. The
 * first receiver is the address itself.
 */
import { z } from 'zod';

import { PayloadSettings } from '../address/payload-settings.ts';
import { ManagedBy } from '../managed-by.ts';
import { Environment } from '../environment.ts';
import {
  type WebhookChange,
  WebhookSettings,
  type WithOpenedAuth,
} from '../address/webhook-settings.ts';
import type { WebhookSigning } from '../address/webhook-signing.ts';

/** For one address, besides its own. */
export const RECEIVERS_MAX = 10;

/** How long a deleted receiver is stored for the deliveries that still need it (D8). */
export const DELETED_RECEIVER_SECONDS = 90 * 86_400;

/** A receiver without its secret, which is stored encrypted. */
export const ReceiverRecord = z.object({
  id: z.string(),
  account_id: z.string(),
  environment: Environment,
  address_id: z.string(),
  url: z.string().nullable().describe('null only with the mode pull'),
  description: z.string().nullable(),
  is_enabled: z.boolean(),
  payload: PayloadSettings,
  ...WebhookSettings.shape,
  failing_since: z
    .date()
    .optional()
    .describe('first failed attempt since the last accepted one; absent when there is none'),
  failing_noticed_at: z.date().optional().describe('when Inlet noticed that: see failing.ts'),
  pulled_at: z
    .date()
    .optional()
    .describe('when a consumer asked for its emails, to a minute; absent for never'),
  former_secrets: z
    .array(z.object({ valid_until: z.date() }))
    .optional()
    .describe('each signs in addition until its time (D17); absent before the first rotation'),
  managed_by: ManagedBy.optional().describe('absent for one created through the API'),
  secret_generation: z.int().optional().describe('secretGeneration of the owning resource'),
  created_at: z.date(),
  updated_at: z.date(),
  deleted_at: z.date().nullable().describe('its waiting deliveries continue (D8)'),
});
export type ReceiverRecord = z.infer<typeof ReceiverRecord>;

/** A receiver with its secret, or its private key, in clear text, only in memory. */
export type Receiver = ReceiverRecord & { webhook_secret: string };

/** With its authentication in clear text. */
export type ManagedReceiver = Receiver & WithOpenedAuth;

export type ReceiverChange = Partial<Pick<ReceiverRecord, 'url' | 'description' | 'is_enabled'>> &
  WebhookChange & {
    /** Another one also rotates the secret. */
    signing?: WebhookSigning;
  };

export type NewReceiver = Pick<ReceiverRecord, 'url'> &
  ReceiverChange &
  Pick<ReceiverRecord, 'managed_by' | 'secret_generation'>;

/** Whether this is the id of a further receiver, and not of an address or a notification. */
export const isFurtherReceiver = (id: string): boolean => id.startsWith('rcv_');

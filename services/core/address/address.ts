/**
 * An inbound address: the record, and the fields of requests (spec 4.1). address-view.ts has its form
 * in the API.
 */
import { z } from 'zod';

import { CredentialsChange, FailingReason } from '../receiver/failing-reason.ts';
import { ManagedBy } from '../resource/managed-by.ts';
import { Environment } from '../resource/environment.ts';
import { type Shape, shapeOf } from '../resource/field.ts';
import { ADDRESS_FIELDS } from './address-fields.ts';
import type { ClusterService, ReceiverAuth } from '../receiver/receiver-auth.ts';
import type { ExpectationState } from './expectation.ts';
import type { WebhookFormat } from '../receiver/webhook-format.ts';
import type { WebhookMode } from '../receiver/webhook-mode.ts';
import {
  type WebhookChange,
  WebhookSettings,
  type WithOpenedAuth,
} from '../receiver/webhook-settings.ts';
import type { WebhookSigning } from '../receiver/webhook-signing.ts';
import { optional, orNull } from '../resource/described.ts';

/** An address without its secret, which is stored encrypted: see {@link Address}. */
export const AddressRecord = z.object({
  id: z.string(),
  account_id: z.string(),
  environment: Environment,
  address: z.string().describe('normalized: see email-address.ts'),
  webhook_url: z
    .string()
    .nullable()
    .describe('of its first receiver; null for an address whose email is only read'),
  webhook_enabled: z
    .boolean()
    .default(true)
    .describe('false: no new email is sent to the first receiver'),
  ...WebhookSettings.shape,
  is_enabled: z.boolean(),
  is_permanent: z.boolean(),
  expires_at: z.date().nullable().describe('null for permanent addresses'),
  email_count: z.int(),
  created_at: z.date(),
  updated_at: z.date(),
  domain_id: optional(z.string(), "id of the account's own domain; absent on the shared domain"),
  deleted_at: orNull(
    z.date(),
    'set on deletion: the address refuses mail and is hidden, but accepted mail is still delivered (D8)',
  ),
  reply_key_generation: z
    .int()
    .optional()
    .describe('of the key that signs reply addresses; absent before the first rotation'),
  former_reply_keys: z
    .array(z.object({ generation: z.int(), valid_until: z.date() }))
    .optional()
    .describe('each is accepted until its time; absent before the first rotation'),
  ...shapeOf(ADDRESS_FIELDS, 'record'),
  failing_since: optional(
    z.date(),
    'time of the first failed attempt since the last accepted one; absent when there is none',
  ),
  managed_by: ManagedBy.optional().describe('absent for an address created through the API'),
  secret_generation: z
    .int()
    .optional()
    .describe('secretGeneration of the owning resource for this secret; absent without a resource'),
  failing_noticed_at: z
    .date()
    .optional()
    .describe('when Inlet noticed that the address is failing: see failing.ts'),
  failing_reason: FailingReason.optional(),
  gone_at: z.date().optional().describe('first 410 since the last accepted attempt'),
  credentials_changed: CredentialsChange.optional().describe('absent before the first change'),
  pulled_at: z
    .date()
    .optional()
    .describe('when a consumer asked for its emails, to a minute; absent for never'),
  former_secrets: z
    .array(z.object({ valid_until: z.date() }))
    .optional()
    .describe('each signs in addition until its time (D17); absent before the first rotation'),
});
export type AddressRecord = z.infer<typeof AddressRecord>;

/** An address with its secret in clear text, only in memory. */
export type Address = AddressRecord & { webhook_secret: string };

/** With the authentication to its first receiver in clear text. */
export type ManagedAddress = Address & WithOpenedAuth;

/** The webhook target of a receiver and its secrets. Deleted addresses have one, too (D8). */
export type WebhookTarget = Pick<
  Address,
  'id' | 'account_id' | 'environment' | 'address' | 'webhook_secret'
> & {
  /** null: no webhook is sent. */
  webhook_url: string | null;
  /** Former secrets; each signs in addition to the current one until its time (D17). */
  former_secrets: { secret: string; valid_until: Date }[];
  /** The account's number of retries after a failed first attempt (D12). */
  webhook_retry_attempts: number;
  /** Absent for `push`. */
  mode?: WebhookMode;
  /** Absent for `inlet`. */
  format?: WebhookFormat;
  /** Absent without authentication to the receiver. */
  auth?: ReceiverAuth;
  /** Absent unless the receiver is a Service of the cluster. */
  service?: ClusterService;
  /** Hours that content is stored after the delivery; absent without a limit of the customer. */
  retention_hours?: number;
};

/** Limit of former secrets: each adds a signature to every webhook. */
export const FORMER_SECRETS_MAX = 4;

/** The secrets that sign a webhook now, the current one first (D17). */
export const signingSecrets = (
  { webhook_secret, former_secrets }: WebhookTarget,
  now: Date,
): string[] => [
  webhook_secret,
  ...former_secrets.filter(({ valid_until }) => valid_until > now).map(({ secret }) => secret),
];

/** Filters of a list (spec 4.1). */
export type AddressFilter = {
  /** Part of the address or of its description, without case. */
  search?: string | undefined;
  is_enabled?: boolean | undefined;
  is_permanent?: boolean | undefined;
  is_failing?: boolean | undefined;
  /** Whether the last attempt failed: see `failing_since`. */
  has_failed?: boolean | undefined;
  /** Only addresses with these ids. */
  ids?: readonly string[] | undefined;
  /** Only this address, such as `orders@in.example.com`. */
  address?: string | undefined;
  /** Only addresses with all these labels, each `key=value`. */
  labels?: readonly string[] | undefined;
};

/** What PATCH may change (spec 4.1, D29, D33). */
export type AddressChange = Partial<
  Pick<
    AddressRecord,
    | 'webhook_url'
    | 'webhook_enabled'
    | 'is_enabled'
    | 'is_permanent'
    | 'expires_at'
    | keyof Shape<typeof ADDRESS_FIELDS, 'change'>
  >
> &
  WebhookChange &
  ExpectationState & {
    /** Another one also rotates the secret. */
    signing?: WebhookSigning;
  };

/** Fields of a request about reply addresses (D57). */
type Replies = { reply_addresses?: boolean | undefined; reply_only?: boolean | undefined };

export const repliesContradict = ({ reply_addresses, reply_only }: Replies): boolean =>
  reply_addresses === false && reply_only === true;

/** `reply_only` turns reply addresses on, and goes off with them. */
export function repliesChange({
  reply_addresses,
  reply_only,
}: Replies): Pick<AddressChange, 'reply_addresses' | 'reply_only'> {
  if (reply_only === true) return { reply_addresses: true, reply_only };
  if (reply_addresses === false) return { reply_addresses, reply_only: false };
  return {
    ...(reply_addresses !== undefined && { reply_addresses }),
    ...(reply_only !== undefined && { reply_only }),
  };
}

/** Changes that reset the failing state: the receiver may be another one, or repaired. */
export const restartsOf = ({
  webhook_url,
  mode,
  webhook_enabled,
  is_enabled,
}: Pick<AddressChange, 'webhook_url' | 'mode' | 'webhook_enabled' | 'is_enabled'>) => ({
  ...(webhook_url !== undefined && { webhook_url }),
  ...(mode !== undefined && { mode }),
  ...(webhook_enabled === true && { webhook_enabled }),
  ...(is_enabled === true && { is_enabled }),
});

export const TTL_MAX_HOURS = 8760; // D6

const HOUR_MS = 3_600_000;

/** How long the API still shows an expired address (D7). */
export const EXPIRED_SHOWN_HOURS = 30 * 24;

/** The fields of an address that a list needs. */
export const ListedAddress = AddressRecord.pick({
  id: true,
  address: true,
  webhook_url: true,
  is_enabled: true,
  is_permanent: true,
  expires_at: true,
  email_count: true,
  created_at: true,
  description: true,
  mode: true,
});
export type ListedAddress = z.infer<typeof ListedAddress>;

/** Whether the address has expired (D7). */
export function isExpired(address: Pick<AddressRecord, 'expires_at'>, now: Date): boolean {
  return address.expires_at !== null && address.expires_at <= now;
}

/** The API no longer shows addresses that expired before this time (D7). */
export const goneSince = (now: Date): Date =>
  new Date(now.getTime() - EXPIRED_SHOWN_HOURS * HOUR_MS);

/** Whether a change is refused for an expired address (D33). */
export const needsUnexpired = ({ is_enabled, expires_at }: AddressChange): boolean =>
  is_enabled === true || expires_at !== undefined;

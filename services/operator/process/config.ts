/** Settings of the operator. */
import { z } from 'zod';

import { AddressConfig } from '../../platform/settings/addresses.ts';
import { CommonConfig } from '../../adapters/process/config.ts';
import { DnsConfig } from '../../adapters/dns/resolver.ts';
import { MongoConfig } from '../../adapters/mongo/database/connection.ts';
import { NatsConfig } from '../../adapters/stream/connection/connection.ts';
import { PlanConfig } from '../../platform/settings/plans.ts';
import { SecretsConfig } from '../../adapters/mongo/database/secrets.ts';
import { LinkConfig } from '../../platform/settings/links.ts';
import { WebhookConfig } from '../../platform/settings/webhooks.ts';
import { ReplyConfig } from '../../platform/settings/replies.ts';
import { MtaStsConfig } from './mta-sts-config.ts';

/** Names separated by commas. */
const Names = z
  .string()
  .default('')
  .transform((text) => [
    ...new Set(
      text
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
    ),
  ]);
/** RFC 1123, as Kubernetes requires. A name is part of a field selector, which commas separate. */
const SECRET_NAME = /^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/;
/** Each name costs one connection to the API server per namespace. */
const MAX_SECRET_NAMES = 100;

export const OperatorConfig = z.object({
  ...CommonConfig,
  ...MongoConfig,
  ...NatsConfig,
  ...SecretsConfig,
  ...PlanConfig,
  ...AddressConfig,
  ...DnsConfig,
  WEBHOOK_ALLOWED_NETWORKS: WebhookConfig.WEBHOOK_ALLOWED_NETWORKS,
  ...ReplyConfig,
  ...MtaStsConfig,
  PUBLIC_API_URL: LinkConfig.PUBLIC_API_URL,
  KUBECONFIG: z
    .string()
    .optional()
    .describe("kubeconfig file of the cluster; default: the pod's service account"),
  WATCH_NAMESPACES: Names.describe('namespaces to watch, separated by commas; all when empty'),
  SECRET_NAMES: Names.pipe(z.array(z.string().regex(SECRET_NAME)).max(MAX_SECRET_NAMES)).describe(
    'the only Secrets that the operator reads and writes, separated by commas; ' +
      `at most ${MAX_SECRET_NAMES}, with a watch for each; all when empty`,
  ),
  LEASE_NAME: z
    .string()
    .default('inlet-operator')
    .describe("name of the Lease for leader election, in the pod's own namespace"),
});
export type OperatorConfig = z.output<typeof OperatorConfig>;

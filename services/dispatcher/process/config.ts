/** Settings of the dispatcher. */
import { z } from 'zod';

import { AccountLabelsConfig } from '../../adapters/process/account-labels.ts';
import { CommonConfig, WholeNumber } from '../../adapters/process/config.ts';
import { TracingConfig } from '../../adapters/tracing/tracing.ts';
import { MongoConfig } from '../../adapters/mongo/database/connection.ts';
import { NatsConfig } from '../../adapters/stream/connection/connection.ts';
import { SecretsConfig } from '../../adapters/mongo/database/secrets.ts';
import { StreamsConfig } from '../../adapters/stream/events/streams.ts';
import { ReplayConfig } from '../../platform/settings/replay.ts';
import { WebhookConfig } from '../../platform/settings/webhooks.ts';
import { RetryConfig } from '../../platform/settings/retries.ts';
import { Duration } from '../../core/time/duration.ts';

export const DispatcherConfig = z.object({
  ...CommonConfig,
  ...NatsConfig,
  ...StreamsConfig,
  ...MongoConfig,
  ...SecretsConfig,
  ...WebhookConfig,
  ...AccountLabelsConfig,
  ...TracingConfig,
  ...RetryConfig,
  DELIVERY_LIFETIME: Duration.prefault('24h').describe(
    'an email that no attempt has delivered by then fails, attempted or not: from its receipt, replay or ' +
      'release on; at least one and a half times the sum of RETRY_SCHEDULE',
  ),
  RETRY_MAX_MAILS: WholeNumber.min(1)
    .default(1_000_000)
    .describe('emails that may wait in the RETRY lanes; further ones that must wait fail'),
  WEBHOOK_CONCURRENCY: WholeNumber.min(1)
    .default(10)
    .describe('largest number of attempts in flight for one address'),
  WEBHOOK_BYTES_IN_FLIGHT: WholeNumber.min(1)
    .default(134_217_728)
    .describe('largest sum of payload bytes in flight; a single larger payload is sent alone'),
  MAIL_SLOTS: WholeNumber.min(1)
    .default(256)
    .describe(
      'largest number of first attempts in progress in one dispatcher, over all partitions; half as many ' +
        'retries may be in progress, too',
    ),
  ...ReplayConfig,
});
export type DispatcherConfig = z.output<typeof DispatcherConfig>;

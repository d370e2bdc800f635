/** Settings of the dispatcher. */
import { z } from 'zod';

import { AccountLabelsConfig } from '../adapters/process/account-labels.ts';
import { CommonConfig } from '../adapters/process/config.ts';
import { MongoConfig } from '../adapters/mongo/connection.ts';
import { NatsConfig } from '../adapters/stream/connection.ts';
import { SecretsConfig } from '../adapters/mongo/secrets.ts';
import { StreamsConfig } from '../adapters/stream/streams.ts';
import { WebhookConfig } from '../platform/settings/webhooks.ts';
import { Duration, DurationList } from '../core/duration.ts';

export const DispatcherConfig = z.object({
  ...CommonConfig,
  ...NatsConfig,
  ...StreamsConfig,
  ...MongoConfig,
  ...SecretsConfig,
  ...WebhookConfig,
  ...AccountLabelsConfig,
  RETRY_SCHEDULE: DurationList.prefault('1s,1m,5m,30m,2h,8h').describe(
    'delays between the attempts of one delivery',
  ),
  WEBHOOK_CONCURRENCY: z.coerce
    .number()
    .int()
    .min(1)
    .default(10)
    .describe('attempts that may be under way at once for one address'),
  WEBHOOK_BYTES_IN_FLIGHT: z.coerce
    .number()
    .int()
    .min(1)
    .default(134_217_728)
    .describe(
      'bytes of payloads that may be under way at once; a single larger payload goes alone',
    ),
  MAIL_SLOTS: z.coerce
    .number()
    .int()
    .min(1)
    .default(256)
    .describe('first attempts that one dispatcher may have in hand at once, over all partitions'),
  RETRY_SLOTS: z.coerce
    .number()
    .int()
    .min(1)
    .default(128)
    .describe('retries that one dispatcher may have in hand at once, over all partitions'),
  REPLAY_RETENTION: Duration.prefault('72h').describe(
    'how long delivered mail is kept so that it can be replayed; 0s to keep none',
  ),
  ACK_WAIT: Duration.prefault('5s').describe(
    'time after which the mail in the hands of a dispatcher that died goes to another',
  ),
});
export type DispatcherConfig = z.output<typeof DispatcherConfig>;

/** Assembles what attempts need: POSTs, uploads, keys of receivers and of contents. */
import { createWebhooks } from '../../adapters/http/webhook.ts';
import type { Stores } from '../../adapters/mongo/stores.ts';
import type { Log } from '../../adapters/process/log.ts';
import { type Nats, natsOptions } from '../../adapters/stream/connection/connection.ts';
import { VERSION } from '../../core/version.ts';
import { createDirectory } from '../../platform/address-directory.ts';
import { createKeysToOpen } from '../../platform/content-keys.ts';
import { createReceiverCalls } from '../../platform/receiver/receiver-call.ts';
import type { Clock } from '../../platform/servers/clock.ts';
import { webhookOptions } from '../../platform/settings/webhooks.ts';
import type { DispatcherConfig } from '../process/config.ts';
import { createAttempt } from './attempt.ts';
import { createDeleteFiles, createStoreFiles } from './files/file-storage.ts';
import { createUploads } from './files/uploads.ts';
import { createLargePosts } from './large-posts.ts';
import { createKeysOf } from './target-keys.ts';

export const USER_AGENT = `Inlet/${VERSION}`;

type AttemptDependencies = {
  nats: Nats;
  stores: Pick<Stores, 'target' | 'accountKeys' | 'buckets'>;
  clock: Clock;
};

/** @param parts stops what this starts */
export async function assembleAttempts(
  config: DispatcherConfig,
  { nats, stores, clock: { now: clock, isUsable } }: AttemptDependencies,
  parts: AsyncDisposableStack,
  log: Log,
) {
  const settings = await webhookOptions(config);
  const webhooks = parts.use(createWebhooks(settings));
  const bodies = natsOptions(config, 'inlet-dispatcher-bodies');
  const largePosts = parts.use(createLargePosts({ nats: bodies, webhooks: settings }, clock));
  const targets = createDirectory(nats, ({ id }) => id, stores.target, log);
  const buckets = createDirectory(nats, ({ address }) => address, stores.buckets.byKey, log);
  const files = natsOptions(config, 'inlet-dispatcher-files');
  const uploads = parts.use(createUploads({ nats: files, http: settings }));
  const contentKeyOf = createKeysToOpen(nats, stores.accountKeys, log);
  const attempt = createAttempt(
    {
      webhooks,
      largePosts,
      callReceiver: createReceiverCalls(webhooks, () => clock().getTime()),
      keysOf: createKeysOf(clock),
      contentKeyOf,
      storeFiles: createStoreFiles({ buckets, uploads }, clock),
      isClockWrong: () => !isUsable(),
    },
    USER_AGENT,
    clock,
  );
  return {
    attempt,
    targets,
    contentKeyOf,
    webhooks,
    deleteFiles: createDeleteFiles({ buckets, uploads }),
  };
}

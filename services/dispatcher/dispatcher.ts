/** Assembles the dispatcher: mail from the stream, signed webhooks out, outcomes to MongoDB. */
import type { Log } from '../adapters/process/log.ts';
import { ensureIndexes } from '../adapters/mongo/database/connection.ts';
import { createStoresWithSecrets, INDEXES } from '../adapters/mongo/stores.ts';
import { openBackends } from '../platform/servers/backends.ts';
import { readQueueFacts } from '../adapters/stream/facts.ts';
import { registerQueueGauges } from '../adapters/stream/gauges.ts';
import { createSecretBox } from '../adapters/mongo/database/secrets.ts';
import type { Service } from '../adapters/process/service-process.ts';
import { ensureStreams } from '../adapters/stream/events/streams.ts';
import { createSweeps } from '../adapters/process/sweeps.ts';
import { serveHookCalls } from '../adapters/messages/hook-calls.ts';
import { createAttemptLimits } from './pacing/attempt-limits.ts';
import type { DispatcherConfig } from './process/config.ts';
import { assembleDelivery } from './assembly.ts';
import { startConsuming } from './consume.ts';
import { startUpkeep } from './upkeep/upkeep.ts';
import { createDispatcherMetrics } from './process/metrics.ts';

/**
 * The mail of a dispatcher that died is redelivered to another after this time. A living one extends it,
 * so it only has to outlast a pause of the process.
 */
const ACK_WAIT_MS = 5_000;
/** Retries that may be in progress, as a share of first attempts. */
const RETRY_SHARE = 0.5;

export async function startDispatcher(
  config: DispatcherConfig,
  log: Log,
  ackWaitMs = ACK_WAIT_MS,
): Promise<Service> {
  await using parts = new AsyncDisposableStack();
  const secrets = createSecretBox(config.SECRET_KEYS);
  const backends = parts.use(await openBackends(config, 'dispatcher', log, { secrets }));
  const { nats, mongo, meter, serving, readiness } = backends;
  const clock = backends.clock.now;
  await ensureIndexes(
    mongo.db,
    [INDEXES.deliveries, INDEXES.notificationDeliveries, INDEXES.events, INDEXES.usage],
    { log },
  );
  const stores = createStoresWithSecrets(mongo.db, secrets);
  const { deliveries } = stores;
  const streams = await ensureStreams(nats, config, log);
  registerQueueGauges(meter, () => readQueueFacts(streams), config.REPLAY_RETENTION);
  const slots = { mail: config.MAIL_SLOTS, retry: Math.ceil(config.MAIL_SLOTS * RETRY_SHARE) };
  const limits = createAttemptLimits({
    perAddress: config.WEBHOOK_CONCURRENCY,
    slots: slots.mail + slots.retry,
    bytesInFlight: config.WEBHOOK_BYTES_IN_FLIGHT,
    now: () => clock().getTime(),
  });
  const metrics = createDispatcherMetrics(meter, {
    namedAccounts: config.METRICS_ACCOUNTS,
    inFlight: limits.inFlight,
  });

  const delivery = await assembleDelivery(
    config,
    { ...backends, stores, streams, limits, metrics },
    parts,
    log,
  );
  const { attempts, callHook, deliver, visibility, afterError, contents, giveUp } = delivery;
  parts.use(readiness.whileAble(() => serveHookCalls(nats, callHook, log)));
  const consuming = parts.use(
    await startConsuming(
      nats,
      streams,
      {
        deliver,
        slots,
        ackWaitMs,
        visibility,
        inProgress: metrics.inProgress,
        onNak: metrics.onNak,
        mayPull: readiness.canWork,
        afterError,
      },
      log,
    ),
  );
  const { contentKeyOf, deleteFiles } = attempts;
  const startSweep = createSweeps(meter, clock, log);
  startUpkeep(
    config,
    { deliveries, streams, contents, contentKeyOf, deleteFiles, startSweep, metrics },
    parts,
    log,
  );
  // A stop begins with this: pull no more mail, NAK what waits, and do not wait for MongoDB.
  parts.defer(async () => {
    visibility.stop();
    const stopped = consuming.stop();
    limits.close();
    giveUp.abort();
    await stopped;
  });
  parts.use(serving.begin());
  const running = parts.move();
  return {
    announce: { metrics_port: serving.port },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Assembles the dispatcher: mail from the stream, signed webhooks out, outcomes to MongoDB. */
import { createDirectory } from '../platform/address-directory.ts';
import { createTargetLookup } from '../adapters/mongo/address-lookup.ts';
import { createDeliveries, deliveryIndexes } from '../adapters/mongo/deliveries.ts';
import type { Log } from '../adapters/process/log.ts';
import { connectMongo, ensureIndexes } from '../adapters/mongo/connection.ts';
import { connectNats, natsOptions } from '../adapters/stream/connection.ts';
import { startTracing } from '../adapters/tracing/tracing.ts';
import { createAttemptTraces } from '../platform/attempt-trace.ts';
import { createRegistry, serveObservability } from '../adapters/process/observe.ts';
import { readQueueFacts } from '../adapters/stream/queue-facts.ts';
import { registerQueueGauges } from '../adapters/stream/queue-gauges.ts';
import { createSecretBox } from '../adapters/mongo/secrets.ts';
import type { Service } from '../adapters/process/service-process.ts';
import { ensureStreams } from '../adapters/stream/streams.ts';
import { createSweeps } from '../adapters/process/sweeps.ts';
import { readBacklog } from '../adapters/stream/backlog.ts';
import { createBodies } from '../adapters/stream/bodies.ts';
import { purgeMail } from '../adapters/stream/mail-purge.ts';
import { usageIndexes } from '../adapters/mongo/metering/counters.ts';
import { usageEventIndexes } from '../adapters/mongo/metering/events.ts';
import { createWebhooks } from '../adapters/http/webhook.ts';
import { webhookOptions } from '../platform/settings/webhooks.ts';
import { VERSION } from '../core/version.ts';
import { createBatching } from './batching.ts';
import type { DispatcherConfig } from './config.ts';
import { startConsuming } from './consume.ts';
import { createDeliver } from './deliver.ts';
import { startJanitor } from './janitor.ts';
import { createGates } from './gates.ts';
import { createLargePosts } from './large-posts.ts';
import { createDispatcherMetrics } from './metrics.ts';
import { asPending, createOutcomeRecorder } from './outcome-recorder.ts';
import { createVisibility } from './visibility.ts';

const clock = () => new Date();

export async function startDispatcher(config: DispatcherConfig, log: Log): Promise<Service> {
  await using parts = new AsyncDisposableStack();
  const nats = parts.use(await connectNats(natsOptions(config, 'inlet-dispatcher'), log));
  const mongo = parts.use(await connectMongo(config.MONGODB_URI, log));
  await ensureIndexes(mongo.db, [deliveryIndexes, usageEventIndexes, usageIndexes]);
  const streams = await ensureStreams(nats, config, log);
  const registry = createRegistry('dispatcher', {
    nats: nats.isConnected,
    mongodb: mongo.isConnected,
  });
  registerQueueGauges(registry, () => readQueueFacts(streams));
  const tracing = parts.use(await startTracing(config, 'dispatcher', registry, log));
  const beginTrace = createAttemptTraces(tracing);
  const metrics = createDispatcherMetrics(registry, { namedAccounts: config.METRICS_ACCOUNTS });
  const observability = parts.use(
    await serveObservability(
      {
        host: config.METRICS_HOST,
        port: config.METRICS_PORT,
        registry,
        isReady: () => nats.isConnected(),
      },
      log,
    ),
  );

  const webhookSettings = await webhookOptions(config);
  const webhooks = parts.use(createWebhooks(webhookSettings));
  const largePosts = parts.use(
    createLargePosts({
      nats: natsOptions(config, 'inlet-dispatcher-bodies'),
      webhooks: webhookSettings,
    }),
  );
  const deliveries = createDeliveries(mongo.client, mongo.db);
  const stateOf = createBatching(
    async (ids: string[]) => {
      const found = await deliveries.states(ids);
      return ids.map((id) => found.get(id));
    },
    { maxItems: 200, lingerMs: 2 },
  );
  const targets = createDirectory(
    nats,
    ({ id }) => id,
    createTargetLookup(mongo.db, createSecretBox(config.SECRET_KEYS)),
    log,
  );
  const gates = createGates({
    perAddress: config.WEBHOOK_CONCURRENCY,
    inAll: config.MAIL_SLOTS + config.RETRY_SLOTS,
    bytesInAll: config.WEBHOOK_BYTES_IN_FLIGHT,
    now: Date.now,
  });
  const giveUp = new AbortController();
  const record = createOutcomeRecorder(deliveries, clock, metrics.recorded, giveUp.signal, log);
  const deliver = createDeliver(
    { targets, webhooks, largePosts, gates, stateOf, record, beginTrace, metrics },
    {
      scheduleMs: config.RETRY_SCHEDULE,
      userAgent: `Inlet/${VERSION}`,
      clock,
      random: Math.random,
    },
    log,
  );
  const visibility = parts.use(
    createVisibility(
      {
        showPending: (mail) => record(asPending(mail)),
        readBacklog: (partition, show) => readBacklog(streams, partition, show),
      },
      log,
    ),
  );
  const consuming = parts.use(
    await startConsuming(
      nats,
      streams,
      {
        deliver,
        slots: { mail: config.MAIL_SLOTS, retry: config.RETRY_SLOTS },
        ackWaitMs: config.ACK_WAIT,
        visibility,
        inHand: metrics.inHand,
        handedBack: metrics.handedBack,
      },
      log,
    ),
  );
  parts.use(
    startJanitor(
      {
        purgeMail: (keepFrom) => purgeMail(streams, keepFrom),
        bodies: createBodies(streams.bodies),
        deliveries,
      },
      config.REPLAY_RETENTION,
      createSweeps(registry, clock, log),
      log,
    ),
  );
  // A stop runs this first: pull no more mail, NAK what waits, and do not wait for MongoDB.
  parts.defer(async () => {
    visibility.stop();
    const stopped = consuming.stop();
    gates.close();
    giveUp.abort();
    await stopped;
  });
  const running = parts.move();
  return {
    announce: { metrics_port: observability.port },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Assembles the dispatcher: mail from the stream, signed webhooks out, outcomes to MongoDB. */
import { createKeysToOpen } from '../platform/content-keys.ts';
import { createDirectory } from '../platform/address-directory.ts';
import type { Log } from '../adapters/process/log.ts';
import { ensureIndexes } from '../adapters/mongo/database/connection.ts';
import { createStoresWithSecrets, INDEXES } from '../adapters/mongo/stores.ts';
import { openBackends } from '../platform/servers/backends.ts';
import { natsOptions } from '../adapters/stream/connection/connection.ts';
import { startTracing } from '../adapters/tracing/tracing.ts';
import { createAttemptTraces } from '../platform/attempt-trace.ts';
import { readQueueFacts, waitingInRetryLanes } from '../adapters/stream/facts.ts';
import { registerQueueGauges } from '../adapters/stream/gauges.ts';
import { createSecretBox } from '../adapters/mongo/database/secrets.ts';
import type { Service } from '../adapters/process/service-process.ts';
import { ensureStreams } from '../adapters/stream/events/streams.ts';
import { createStorageRoom } from '../platform/servers/storage-room.ts';
import { createSweeps } from '../adapters/process/sweeps.ts';
import { readBacklog } from '../adapters/stream/events/headers.ts';
import { createObjects } from '../adapters/stream/objects/objects.ts';
import { createMailErasure } from '../adapters/stream/erase.ts';
import { serveHookCalls } from '../adapters/messages/hook-calls.ts';
import { purgeMail } from '../adapters/stream/purge.ts';
import { createReplayStore, createWaitsInLane } from '../adapters/stream/replay.ts';
import { createWebhooks } from '../adapters/http/webhook.ts';
import { createReceiverCalls } from '../platform/receiver/receiver-call.ts';
import { webhookOptions } from '../platform/settings/webhooks.ts';
import type { FailedEnd } from '../core/delivery/end.ts';
import type { MailEvent } from '../core/delivery/mail-event.ts';
import { lifetimeMs } from '../core/delivery/retry.ts';
import { VERSION } from '../core/version.ts';
import { createBatches } from '../adapters/async/batches.ts';
import { createAttempt } from './attempt.ts';
import { createAttemptLimits } from './attempt-limits.ts';
import { createBacklogLimit } from './backlog-limit.ts';
import { createObserve } from './attempt-observation.ts';
import type { DispatcherConfig } from './process/config.ts';
import { startConsuming } from './consume.ts';
import { createContentRemoval } from './content-removal.ts';
import { startErasedFiles } from './files/erased-files.ts';
import { createDeleteFiles, createStoreFiles } from './files/file-storage.ts';
import { createDeliver } from './deliver.ts';
import { createCallHook } from './hook-calls.ts';
import { startJanitor } from './janitor.ts';
import { startLostDeliveries } from './lost-deliveries.ts';
import { createLargePosts } from './large/large-posts.ts';
import { createDispatcherMetrics } from './process/metrics.ts';
import { createStepOfOffer } from './offer-step.ts';
import { asPending, createOutcomeRecorder } from './large/outcome-recorder.ts';
import { createSetAside } from './large/set-aside.ts';
import { createKeysOf } from './target-keys.ts';
import { createUploads } from './files/uploads.ts';
import { createVisibility } from './visibility.ts';

const USER_AGENT = `Inlet/${VERSION}`;
/**
 * The mail of a dispatcher that died is redelivered to another after this time. A living one extends it,
 * so it only has to outlast a pause of the process.
 */
const ACK_WAIT_MS = 5_000;
/** One account whose receivers fail leaves most of the RETRY lanes to others. */
const SHARE_OF_ACCOUNT = 0.25;

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
  const tracing = parts.use(await startTracing(config, 'dispatcher', meter, log));
  const beginTrace = createAttemptTraces(tracing);
  const limits = createAttemptLimits({
    perAddress: config.WEBHOOK_CONCURRENCY,
    slots: config.MAIL_SLOTS + config.RETRY_SLOTS,
    bytesInFlight: config.WEBHOOK_BYTES_IN_FLIGHT,
    now: () => clock().getTime(),
  });
  const metrics = createDispatcherMetrics(meter, {
    namedAccounts: config.METRICS_ACCOUNTS,
    inFlight: limits.inFlight,
  });

  const webhookSettings = await webhookOptions(config);
  const webhooks = parts.use(createWebhooks(webhookSettings));
  const largePosts = parts.use(
    createLargePosts(
      { nats: natsOptions(config, 'inlet-dispatcher-bodies'), webhooks: webhookSettings },
      clock,
    ),
  );
  const stateOf = createBatches(
    async (ids: readonly string[]) => {
      const found = await deliveries.states(ids);
      return ids.map((id) => found.get(id));
    },
    { max: 200, lingerMs: 2 },
  );
  const targets = createDirectory(nats, ({ id }) => id, stores.target, log);
  const keysOf = createKeysOf(clock);
  const contentKeyOf = createKeysToOpen(nats, stores.accountKeys, log);
  const buckets = createDirectory(nats, ({ address }) => address, stores.buckets.byKey, log);
  const uploads = parts.use(
    createUploads({
      nats: natsOptions(config, 'inlet-dispatcher-files'),
      http: webhookSettings,
    }),
  );
  const callHook = createCallHook({ targets, webhooks, keysOf, tracing }, USER_AGENT, clock);
  const giveUp = new AbortController();
  const record = createOutcomeRecorder(deliveries, clock, metrics, giveUp.signal, log);
  const contents = createMailErasure(streams);
  const removeContent = createContentRemoval(contents, deliveries, log);
  const isBacklogFull = createBacklogLimit(
    {
      waiting: () => waitingInRetryLanes(streams),
      waitingOf: (accountId, most) => deliveries.countWaiting(accountId, most),
    },
    { total: config.RETRY_MAX_MAILS, perAccount: config.RETRY_MAX_MAILS * SHARE_OF_ACCOUNT },
  );
  const gaveUp = ({ event }: { event: MailEvent }, as: FailedEnd): void => {
    metrics.gaveUp(as);
    log.warn('delivery.given_up', { event_id: event.event_id, reason: as });
  };
  const lifetime = lifetimeMs(config.DELIVERY_LIFETIME, config.RETRY_SCHEDULE);
  const deliver = createDeliver(
    {
      targets,
      limits,
      attempt: createAttempt(
        {
          webhooks,
          largePosts,
          callReceiver: createReceiverCalls(webhooks, () => clock().getTime()),
          keysOf,
          contentKeyOf,
          storeFiles: createStoreFiles({ buckets, uploads }, clock),
          isClockWrong: () => !backends.clock.isUsable(),
        },
        USER_AGENT,
        clock,
      ),
      observe: createObserve(metrics, beginTrace, clock, log),
      stateOf,
      record,
      stepOfOffer: createStepOfOffer(deliveries, clock),
      removeContent,
      delayed: metrics.delayed,
      isBacklogFull,
      gaveUp,
    },
    { scheduleMs: config.RETRY_SCHEDULE, lifetimeMs: lifetime, clock, random: Math.random },
  );
  const visibility = parts.use(
    createVisibility(
      {
        showPending: (mail) => record(asPending(mail)),
        readBacklog: (partition, show) => readBacklog(streams, partition, show),
      },
      log,
      clock,
    ),
  );
  parts.use(readiness.whileAble(() => serveHookCalls(nats, callHook, log)));
  const consuming = parts.use(
    await startConsuming(
      nats,
      streams,
      {
        deliver,
        slots: { mail: config.MAIL_SLOTS, retry: config.RETRY_SLOTS },
        ackWaitMs,
        visibility,
        inProgress: metrics.inProgress,
        onNak: metrics.onNak,
        mayPull: readiness.canWork,
        afterError: createSetAside(
          { stateOf, record, isBacklogFull, counted: metrics.setAside, gaveUp },
          { lifetimeMs: lifetime, clock },
          log,
        ),
      },
      log,
    ),
  );
  const startSweep = createSweeps(meter, clock, log);
  parts.use(
    startErasedFiles(
      { deliveries, deleteFiles: createDeleteFiles({ buckets, uploads }), startSweep },
      log,
    ),
  );
  parts.use(
    startLostDeliveries(
      {
        deliveries,
        store: createReplayStore(streams, contentKeyOf),
        beginLook: () => createWaitsInLane(streams),
        region: config.REGION,
        startSweep,
        metrics,
      },
      log,
    ),
  );
  parts.use(
    startJanitor(
      {
        purgeMail: (keepFrom) => purgeMail(streams, keepFrom),
        keepFree: () => createStorageRoom(streams, deliveries, log).keepFree(),
        bodies: createObjects(streams.bodies),
        contents,
        region: config.REGION,
        deliveries,
      },
      config.REPLAY_RETENTION,
      startSweep,
      log,
    ),
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

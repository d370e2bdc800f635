/** Assembles what decides about an email: its attempts, what is recorded, what follows an error. */
import { createBatches } from '../adapters/async/batches.ts';
import type { Stores } from '../adapters/mongo/stores.ts';
import type { Log } from '../adapters/process/log.ts';
import { createMailErasure } from '../adapters/stream/erase.ts';
import { readBacklog } from '../adapters/stream/events/headers.ts';
import type { EnsuredStreams } from '../adapters/stream/events/streams.ts';
import { waitingInRetryLanes } from '../adapters/stream/facts.ts';
import { startTracing } from '../adapters/tracing/tracing.ts';
import type { FailedEnd } from '../core/delivery/delivery-end.ts';
import type { MailEvent } from '../core/delivery/mail-event.ts';
import { lifetimeMs } from '../core/delivery/retry.ts';
import { questionKeys } from '../core/webhook/signature.ts';
import { createAttemptTraces } from '../platform/attempt-trace.ts';
import type { Backends } from '../platform/servers/backends.ts';
import { assembleAttempts, USER_AGENT } from './attempt/assembly.ts';
import { createObserve } from './attempt/attempt-observation.ts';
import { createKeysOf } from './attempt/target-keys.ts';
import { createDeliver } from './deliver.ts';
import { createCallHook } from './hook-calls.ts';
import { createEndings } from './outcome/endings.ts';
import { createOutcomeRecorder, seenBy } from './outcome/outcome-recorder.ts';
import { createUnprocessable } from './outcome/unprocessable.ts';
import type { AttemptLimits } from './pacing/attempt-limits.ts';
import { createBacklogLimit } from './pacing/backlog-limit.ts';
import { createVisibility } from './pacing/visibility.ts';
import type { DispatcherConfig } from './process/config.ts';
import type { DispatcherMetrics } from './process/metrics.ts';
import { createContentRemoval } from './upkeep/content-removal.ts';

/** One account whose receivers fail leaves most of the RETRY lanes to others. */
const SHARE_OF_ACCOUNT = 0.25;

type DeliveryDependencies = Pick<Backends, 'nats' | 'meter' | 'clock'> & {
  stores: Stores;
  streams: EnsuredStreams;
  limits: AttemptLimits;
  metrics: DispatcherMetrics;
};

/** @param parts stops what this starts */
export async function assembleDelivery(
  config: DispatcherConfig,
  { nats, meter, clock: ofServers, stores, streams, limits, metrics }: DeliveryDependencies,
  parts: AsyncDisposableStack,
  log: Log,
) {
  const { deliveries } = stores;
  const clock = ofServers.now;
  const tracing = parts.use(await startTracing(config, 'dispatcher', meter, log));
  const attempts = await assembleAttempts(config, { nats, stores, clock: ofServers }, parts, log);
  const { targets, webhooks } = attempts;
  const hooks = { targets, webhooks, keysOf: createKeysOf(clock, questionKeys), tracing };
  const callHook = createCallHook(hooks, USER_AGENT, clock);
  const stateOf = createBatches(
    async (ids: readonly string[]) => {
      const found = await deliveries.states(ids);
      return ids.map((id) => found.get(id));
    },
    { max: 200, lingerMs: 2 },
  );
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
  const ending = { clock, keptMs: config.FAILED_RETENTION };
  const endings = createEndings({ record, removeContent, gaveUp }, ending);
  const lifetime = lifetimeMs(config.DELIVERY_LIFETIME, config.RETRY_SCHEDULE);
  const deliver = createDeliver(
    {
      targets,
      limits,
      attempt: attempts.attempt,
      observe: createObserve(metrics, createAttemptTraces(tracing), clock, log),
      stateOf,
      record,
      removeContent,
      delayed: metrics.delayed,
      isBacklogFull,
    },
    endings,
    { scheduleMs: config.RETRY_SCHEDULE, lifetimeMs: lifetime, clock, random: Math.random },
  );
  const visibility = parts.use(
    createVisibility(
      {
        showPending: (mail) => record({ ...seenBy(mail, undefined), kind: 'stored' }),
        readBacklog: (partition, show) => readBacklog(streams, partition, show),
      },
      log,
      clock,
    ),
  );
  const afterError = createUnprocessable(
    {
      stateOf,
      record,
      isBacklogFull,
      counted: metrics.setAside,
      expired: (mail, found) => endings.failed(mail, found, 'expired'),
    },
    { lifetimeMs: lifetime, clock },
    log,
  );
  return { attempts, callHook, deliver, visibility, afterError, contents, giveUp };
}

/** The operator's assembly: an election, and the work of the operator that wins it. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

import { accountIndexes, createAccounts } from '../adapters/mongo/accounts/accounts.ts';
import { createAddresses } from '../adapters/mongo/addresses/addresses.ts';
import { addressIndexes } from '../adapters/mongo/documents/address-documents.ts';
import { createDns } from '../adapters/dns/resolver.ts';
import { createDomainLookup } from '../adapters/dns/domain-records.ts';
import { createDomains } from '../adapters/mongo/addresses/domains.ts';
import { domainIndexes } from '../adapters/mongo/documents/domain-documents.ts';
import { connectKube, type Verb } from '../adapters/kube/client.ts';
import type { Log } from '../adapters/process/log.ts';
import { openMongo, ensureIndexes } from '../adapters/mongo/connection.ts';
import { createNamedAddresses } from '../adapters/mongo/addresses/address-claims.ts';
import { connectNats, natsOptions } from '../adapters/stream/connection.ts';
import { createRegistry, serveObservability } from '../adapters/process/observe.ts';
import { readPlans } from '../platform/settings/plans.ts';
import { createRequestSlots } from '../adapters/kube/request-rate.ts';
import { createSecretBox } from '../adapters/mongo/secrets.ts';
import type { Service } from '../adapters/process/service-process.ts';
import { createNotifications } from '../adapters/mongo/notifications/notifications.ts';
import { createTokens, tokenIndexes } from '../adapters/mongo/accounts/tokens.ts';
import { createUsageEvents, usageEventIndexes } from '../adapters/mongo/audit/events.ts';
import type { OperatorConfig } from './config.ts';
import { type Election, startElection } from './election.ts';
import { type Leadership, startLeadership } from './leadership.ts';
import { gated } from './lease-guard.ts';
import { createOperatorMetrics } from './metrics.ts';
import { createReconcilers } from './reconcilers/assembly.ts';

const INDEXES = [accountIndexes, addressIndexes, domainIndexes, tokenIndexes, usageEventIndexes];

const clock = () => new Date();
const REQUEST_TIMEOUT_MS = 10_000;
/**
 * Of the lease duration: a request for the lease must leave time for others before the lease ends.
 */
const LEASE_TIMEOUT_SHARE = 0.2;
/** An election loop that has not run for this many lease durations is stuck. */
const STUCK_DURATIONS = 6;

export async function startOperator(config: OperatorConfig, log: Log): Promise<Service> {
  await using parts = new AsyncDisposableStack();
  const mongo = parts.use(await openMongo(config, log));
  const nats = parts.use(await connectNats(natsOptions(config, 'inlet-operator'), log));
  let leadership: Leadership | undefined;
  /** undefined during the start. */
  let election: Election | undefined;
  const isStuck = (sinceMs = -Infinity) =>
    performance.now() - sinceMs > config.LEASE_DURATION * STUCK_DURATIONS;
  const reachesKubernetes = (): boolean => !isStuck(election?.lastResponseMs());
  const registry = createRegistry('operator', {
    nats: nats.isConnected,
    mongodb: mongo.isConnected,
    kubernetes: reachesKubernetes,
  });
  const metrics = createOperatorMetrics(registry, () => leadership?.facts());
  const observability = parts.use(
    await serveObservability(
      {
        host: config.METRICS_HOST,
        port: config.METRICS_PORT,
        registry,
        isReady: () =>
          reachesKubernetes() && (leadership?.isSynced() ?? true) && nats.isConnected(),
        illness: () =>
          election !== undefined && isStuck(election.lastRunMs())
            ? 'the election loop is stuck'
            : leadership?.stuck(),
      },
      log,
    ),
  );
  await ensureIndexes(mongo.db, INDEXES, { log });

  const plans = Object.keys((await readPlans(config)).plans);
  const dns = parts.use(
    createDns({ servers: config.DNS_SERVERS, timeoutMs: config.DNS_TIMEOUT, cacheTtlMs: 0 }),
  );
  const secrets = createSecretBox(config.SECRET_KEYS);
  const addresses = createAddresses(mongo.db, secrets);

  const onRequest = (verb: Verb, resource: string) => metrics.requests.inc({ verb, resource });
  const requestSlot = createRequestSlots({
    perSecond: config.KUBE_REQUESTS_PER_SECOND,
    burst: 2 * config.KUBE_REQUESTS_PER_SECOND,
  });
  const kube = parts.use(
    connectKube({ kubeconfig: config.KUBECONFIG, timeoutMs: REQUEST_TIMEOUT_MS, onRequest }),
  );
  const leaseKube = parts.use(
    connectKube({
      kubeconfig: config.KUBECONFIG,
      timeoutMs: config.LEASE_DURATION * LEASE_TIMEOUT_SHARE,
      onRequest,
    }),
  );
  const identity = `${hostname()}_${randomBytes(4).toString('hex')}`;
  const reconcilers = createReconcilers(
    {
      stores: {
        kube,
        accounts: createAccounts(mongo.db),
        addresses,
        named: createNamedAddresses(mongo.db, addresses),
        domains: createDomains(mongo.db),
        tokens: createTokens(mongo.db),
        notifications: createNotifications(mongo.db, secrets),
        events: createUsageEvents(mongo.db),
      },
      holdsLease: () => election?.holds() ?? false,
      requestSlot,
      nats,
      lookUpDomain: createDomainLookup(dns),
      clock,
      log,
    },
    {
      identity,
      plans,
      secretNames: config.SECRET_NAMES,
      inboundDomain: config.INBOUND_DOMAIN,
      mxHosts: config.MX_HOSTS ?? [config.INBOUND_DOMAIN],
      rotationOverlapMs: config.SECRET_ROTATION_OVERLAP,
      allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS,
      offersFiles: config.PUBLIC_API_URL !== undefined,
    },
  );

  const lead = (): AsyncDisposable => {
    const started = startLeadership(
      {
        kube: {
          ...kube,
          ...gated(
            { list: (...query: Parameters<typeof kube.list>) => kube.list(...query) },
            requestSlot,
          ),
        },
        metrics,
        reconcilers,
        log,
      },
      {
        namespaces: config.WATCH_NAMESPACES,
        secretNames: config.SECRET_NAMES,
        watchMs: config.WATCH_TIMEOUT,
        resyncMs: config.RESYNC_INTERVAL,
        concurrency: config.RECONCILE_CONCURRENCY,
      },
    );
    leadership = started;
    metrics.isLeader.set(1);
    return {
      [Symbol.asyncDispose]: async () => {
        leadership = undefined;
        metrics.isLeader.set(0);
        await started[Symbol.asyncDispose]();
      },
    };
  };
  const lease = { namespace: config.LEASE_NAMESPACE ?? kube.namespace, name: config.LEASE_NAME };
  election = parts.use(
    startElection(
      { kube: leaseKube, lease, identity, durationMs: config.LEASE_DURATION, lead, clock },
      log,
    ),
  );
  const running = parts.move();
  return {
    announce: { metrics_port: observability.port },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** The operator's assembly: an election, and the work of the operator that wins it. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

import { createDns } from '../adapters/dns/resolver.ts';
import { createDomainLookup } from '../adapters/dns/domain-records.ts';
import { createReadMxCertificate } from '../adapters/tls/mx-certificate.ts';
import { connectKube, type Verb } from '../adapters/kube/client.ts';
import type { Log } from '../adapters/process/log.ts';
import { ensureIndexes } from '../adapters/mongo/database/connection.ts';
import { createStoresWithSecrets } from '../adapters/mongo/stores.ts';
import { RECONCILED_INDEXES } from './reconcilers/indexes.ts';
import { openBackends } from '../platform/servers/backends.ts';
import { createReadAccountQuota, createReadQuota } from '../platform/account/quotas.ts';
import { readPlans } from '../platform/settings/plans.ts';
import { createRequestSlots } from '../adapters/kube/request-rate.ts';
import { createSecretBox } from '../adapters/mongo/database/secrets.ts';
import type { Service } from '../adapters/process/service-process.ts';
import type { OperatorConfig } from './process/config.ts';
import { OPERATOR_CONSTANTS, type OperatorConstants } from './process/constants.ts';
import { type Election, startElection } from './election.ts';
import { type Leadership, startLeadership } from './leadership.ts';
import { guarded } from './cluster/lease-guard.ts';
import { createOperatorMetrics } from './process/metrics.ts';
import { mtaStsRouting } from './process/mta-sts-config.ts';
import { createReconcilers } from './assembly.ts';

const REQUEST_TIMEOUT_MS = 10_000;
/**
 * Timeout of a request for the lease, as a share of its duration: others must fit before it ends.
 */
const LEASE_TIMEOUT_SHARE = 0.2;
/** An election loop that has not run for this many lease durations is stuck. */
const STUCK_DURATIONS = 6;

export async function startOperator(
  config: OperatorConfig,
  log: Log,
  constants: OperatorConstants = OPERATOR_CONSTANTS,
): Promise<Service> {
  await using parts = new AsyncDisposableStack();
  let leadership: Leadership | undefined;
  /** undefined during the start. */
  let election: Election | undefined;
  const isStuck = (sinceMs = -Infinity) =>
    performance.now() - sinceMs > constants.leaseMs * STUCK_DURATIONS;
  const reachesKubernetes = (): boolean => !isStuck(election?.lastResponseMs());
  const secrets = createSecretBox(config.SECRET_KEYS);
  const backends = await openBackends(config, 'operator', log, {
    secrets,
    isReady: ({ nats }) =>
      reachesKubernetes() && (leadership?.isSynced() ?? true) && nats.isConnected(),
    illness: () =>
      election !== undefined && isStuck(election.lastRunMs())
        ? 'the election loop is stuck'
        : leadership?.stuck(),
    others: { kubernetes: reachesKubernetes },
  });
  const { nats, mongo, meter, serving } = parts.use(backends);
  const clock = backends.clock.now;
  const metrics = createOperatorMetrics(meter, () => leadership?.facts());
  await ensureIndexes(mongo.db, RECONCILED_INDEXES, { log });

  const plans = await readPlans(config);
  const dns = parts.use(
    createDns({ servers: config.DNS_SERVERS, timeoutMs: constants.dnsMs, cacheTtlMs: 0 }),
  );

  const onRequest = (verb: Verb, resource: string) => metrics.requests.inc({ verb, resource });
  const requestSlot = createRequestSlots({
    perSecond: constants.kubeRequestsPerSecond,
    burst: 2 * constants.kubeRequestsPerSecond,
  });
  const kube = parts.use(
    connectKube({ kubeconfig: config.KUBECONFIG, timeoutMs: REQUEST_TIMEOUT_MS, onRequest }),
  );
  const leaseKube = parts.use(
    connectKube({
      kubeconfig: config.KUBECONFIG,
      timeoutMs: constants.leaseMs * LEASE_TIMEOUT_SHARE,
      onRequest,
    }),
  );
  const identity = `${hostname()}_${randomBytes(4).toString('hex')}`;
  const stores = createStoresWithSecrets(mongo.db, secrets);
  const { subscriptions, countUsage } = stores;
  const reconcilers = createReconcilers(
    {
      stores: { kube, ...stores },
      readQuota: createReadAccountQuota(subscriptions, createReadQuota(countUsage, plans), clock),
      holdsLease: () => election?.holds() ?? false,
      requestSlot,
      nats,
      lookUpDomain: createDomainLookup(dns),
      readMxCertificate: createReadMxCertificate(config.MX_TLS_CERT_FILE),
      clock,
      log,
    },
    {
      identity,
      plans,
      secretNames: config.SECRET_NAMES,
      inboundDomain: config.INBOUND_DOMAIN,
      mxHosts: config.MX_HOSTS ?? [config.INBOUND_DOMAIN],
      allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS,
      offersFiles: config.PUBLIC_API_URL !== undefined,
      replyKeys: config.REPLY_KEYS ?? [],
      mtaStsRouting: mtaStsRouting(config, kube.namespace),
    },
  );

  const lead = (): AsyncDisposable => {
    const started = startLeadership(
      {
        kube: {
          ...kube,
          ...guarded(
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
        watchMs: constants.watchMs,
        resyncMs: constants.resyncMs,
        concurrency: constants.concurrency,
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
  const lease = { namespace: kube.namespace, name: config.LEASE_NAME };
  election = parts.use(
    startElection(
      { kube: leaseKube, lease, identity, durationMs: constants.leaseMs, lead, clock },
      log,
    ),
  );
  parts.use(serving.begin());
  const running = parts.move();
  return {
    announce: { metrics_port: serving.port },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

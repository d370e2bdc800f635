/** The operator's assembly: an election, and the work of the one that wins it. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

import { accountIndexes, createAccounts } from '../adapters/mongo/accounts.ts';
import { createAddressAnnouncer } from '../platform/address-directory.ts';
import { createAddressOperations } from '../platform/address-operations.ts';
import { addressIndexes, createAddresses } from '../adapters/mongo/addresses.ts';
import { createAudit } from '../platform/audit.ts';
import { createDns } from '../adapters/dns/resolver.ts';
import { createDomainLookup } from '../adapters/dns/domain-records.ts';
import { createDomainOperations } from '../platform/domain-operations.ts';
import { createDomains, domainIndexes } from '../adapters/mongo/domains.ts';
import { connectKube, type Verb } from '../adapters/kube/client.ts';
import type { Log } from '../adapters/process/log.ts';
import { connectMongo, ensureIndexes } from '../adapters/mongo/connection.ts';
import { createNamedAddresses } from '../adapters/mongo/named-addresses.ts';
import { connectNats, natsOptions } from '../adapters/stream/connection.ts';
import { createRegistry, serveObservability } from '../adapters/process/observe.ts';
import { readPlans } from '../platform/settings/plans.ts';
import { createTurns } from '../adapters/kube/request-rate.ts';
import { createSecretBox } from '../adapters/mongo/secrets.ts';
import type { Service } from '../adapters/process/service-process.ts';
import { createTokens, tokenIndexes } from '../adapters/mongo/tokens.ts';
import { createUsageEvents, usageEventIndexes } from '../adapters/mongo/metering/events.ts';
import type { KindName } from '../core/kube/custom-resource.ts';
import type { ManagedBy } from '../core/account/managed-by.ts';
import { createAccountReconciler } from './reconcilers/account-reconciler.ts';
import { createAddressReconciler } from './reconcilers/address-reconciler.ts';
import { createDomainReconciler } from './reconcilers/domain-reconciler.ts';
import type { OperatorConfig } from './config.ts';
import { startElection } from './election.ts';
import { createRecordEvent } from './event-recorder.ts';
import { type Cluster, type Leadership, startLeadership } from './leadership.ts';
import { createOperatorMetrics } from './metrics.ts';
import { RESOURCES } from './permissions.ts';
import { createReconcile, type Reconcile, type Reconciler } from './reconcilers/reconcile.ts';
import { accountNameOf, ownerOf } from './resource.ts';
import { createSecretKeeper } from './secret-keeper.ts';
import { createTokenReconciler } from './reconcilers/token-reconciler.ts';

const clock = () => new Date();
const REQUEST_TIMEOUT_MS = 10_000;
/** A request for the lease must not outlast a good part of its duration. */
const LEASE_TIMEOUT_SHARE = 0.2;
/** An election that has not looked for so many durations never will. */
const STUCK_DURATIONS = 6;

export async function startOperator(config: OperatorConfig, log: Log): Promise<Service> {
  await using parts = new AsyncDisposableStack();
  const mongo = parts.use(await connectMongo(config.MONGODB_URI, log));
  await ensureIndexes(mongo.db, [
    accountIndexes,
    addressIndexes,
    domainIndexes,
    tokenIndexes,
    usageEventIndexes,
  ]);
  const nats = parts.use(await connectNats(natsOptions(config, 'inlet-operator'), log));
  let leadership: Leadership | undefined;
  const isStuck = (sinceMs: number) =>
    performance.now() - sinceMs > config.LEASE_DURATION * STUCK_DURATIONS;
  const hearsKubernetes = (): boolean => !isStuck(election.lastAnswerMs());
  const registry = createRegistry('operator', {
    nats: nats.isConnected,
    mongodb: mongo.isConnected,
    kubernetes: hearsKubernetes,
  });
  const metrics = createOperatorMetrics(registry, () => leadership?.facts());

  /** Whoever leads no more without knowing it, stopped for a while by its machine for one, asks the cluster for nothing and acts on nothing that it found. */
  const whileLeading = <A extends unknown[], T>(work: (...args: A) => Promise<T>) =>
    async function workOfLeader(...args: A): Promise<T> {
      const done = await work(...args);
      if (!election.holds()) throw new Error("the lease may be another's by now");
      return done;
    };
  const foundWhileLeading = <T, R extends { findManaged: (owner: ManagedBy) => Promise<T> }>(
    records: R,
  ): R => ({ ...records, findManaged: whileLeading(records.findManaged) });

  const accounts = foundWhileLeading(createAccounts(mongo.db));
  const addresses = foundWhileLeading(
    createAddresses(mongo.db, createSecretBox(config.SECRET_KEYS)),
  );
  const tokens = foundWhileLeading(createTokens(mongo.db));
  const audit = createAudit(createUsageEvents(mongo.db), log);
  const plans = Object.keys((await readPlans(config)).plans);
  const domains = foundWhileLeading(createDomains(mongo.client, mongo.db));
  const dns = parts.use(
    createDns({ servers: config.DNS_SERVERS, timeoutMs: config.DNS_TIMEOUT, cacheTtlMs: 0 }),
  );
  const domainOperations = createDomainOperations({
    domains,
    look: createDomainLookup(dns),
    audit,
    inboundDomain: config.INBOUND_DOMAIN,
  });
  const operations = createAddressOperations(
    {
      accounts,
      addresses,
      domains,
      named: createNamedAddresses(mongo.client, mongo.db, addresses),
      nats,
      announce: createAddressAnnouncer(nats),
      inboundDomain: config.INBOUND_DOMAIN,
      rotationOverlapMs: config.SECRET_ROTATION_OVERLAP,
    },
    log,
  );

  const onRequest = (verb: Verb, resource: string) => metrics.requests.inc({ verb, resource });
  const turn = whileLeading(
    createTurns({
      perSecond: config.KUBE_REQUESTS_PER_SECOND,
      burst: 2 * config.KUBE_REQUESTS_PER_SECOND,
    }),
  );
  const kube = parts.use(
    connectKube({ kubeconfig: config.KUBECONFIG, timeoutMs: REQUEST_TIMEOUT_MS, turn, onRequest }),
  );
  const leaseKube = parts.use(
    connectKube({
      kubeconfig: config.KUBECONFIG,
      timeoutMs: config.LEASE_DURATION * LEASE_TIMEOUT_SHARE,
      onRequest,
    }),
  );
  const identity = `${hostname()}_${randomBytes(4).toString('hex')}`;
  const recordEvent = createRecordEvent(kube, identity, clock, log);

  const reconcilers = (cluster: Cluster): Record<KindName, Reconcile> => {
    const secrets = createSecretKeeper(kube, cluster.secrets);
    // Not by its status: whoever may write that could name the account of others.
    const accountId = async (namespace: string, name: string) => {
      const resource = cluster.get('Account', namespace, name);
      return resource && (await accounts.findManaged(ownerOf('Account', resource)))?.id;
    };
    const dependentsOf = (namespace: string, name: string) =>
      (['InboundAddress', 'InboundDomain', 'ApiToken'] as const).flatMap((kind) =>
        [...cluster.values(kind)]
          .filter(
            (object) => object.metadata.namespace === namespace && accountNameOf(object) === name,
          )
          .map(({ metadata }) => `${kind} ${metadata.name}`),
      );
    const of = (kind: KindName, reconciler: Reconciler) =>
      createReconcile({
        kind,
        resource: RESOURCES[kind],
        kube,
        cache: cluster.cache(kind),
        reconciler,
        recordEvent,
        clock,
        log,
      });
    return {
      Account: of('Account', createAccountReconciler({ accounts, plans, dependentsOf, clock })),
      InboundAddress: of(
        'InboundAddress',
        createAddressReconciler({
          addresses,
          operations,
          secrets,
          audit,
          accountId,
          allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS,
          offersFiles: config.PUBLIC_API_URL !== undefined,
          clock,
        }),
      ),
      InboundDomain: of(
        'InboundDomain',
        createDomainReconciler({
          domains,
          operations: domainOperations,
          accountId,
          mxHosts: config.MX_HOSTS ?? [config.INBOUND_DOMAIN],
          clock,
        }),
      ),
      ApiToken: of('ApiToken', createTokenReconciler({ tokens, secrets, audit, accountId, clock })),
    };
  };

  const lead = (): AsyncDisposable => {
    const begun = startLeadership(
      { kube, metrics, reconcilers, log },
      {
        namespaces: config.WATCH_NAMESPACES,
        watchMs: config.WATCH_TIMEOUT,
        resyncMs: config.RESYNC_INTERVAL,
        concurrency: config.RECONCILE_CONCURRENCY,
      },
    );
    leadership = begun;
    metrics.isLeader.set(1);
    return {
      [Symbol.asyncDispose]: async () => {
        leadership = undefined;
        metrics.isLeader.set(0);
        await begun[Symbol.asyncDispose]();
      },
    };
  };
  const lease = { namespace: config.LEASE_NAMESPACE ?? kube.namespace, name: config.LEASE_NAME };
  const election = parts.use(
    startElection(
      { kube: leaseKube, lease, identity, durationMs: config.LEASE_DURATION, lead, clock },
      log,
    ),
  );

  const observability = parts.use(
    await serveObservability(
      {
        host: config.METRICS_HOST,
        port: config.METRICS_PORT,
        registry,
        isReady: () => hearsKubernetes() && (leadership?.isSynced() ?? true) && nats.isConnected(),
        illness: () =>
          isStuck(election.lastTurnMs()) ? 'the election stands still' : leadership?.stuck(),
      },
      log,
    ),
  );
  const running = parts.move();
  return {
    announce: { metrics_port: observability.port },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/**
 * Operators for tests: the reconcilers of the product over a Kubernetes API in memory, a real
 * MongoDB and a real NATS. Each operator is like a process of its own, and may end between two
 * writes. Its caches are as current as the cluster, or as old as a test wants.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';

import {
  connectMongo,
  ensureIndexes,
  type Mongo,
} from '../../services/adapters/mongo/database/connection.ts';
import { createSecretBox } from '../../services/adapters/mongo/database/secrets.ts';
import { createStoresWithSecrets } from '../../services/adapters/mongo/stores.ts';
import { RECONCILED_INDEXES } from '../../services/operator/reconcilers/indexes.ts';
import { PlanCatalogue } from '../../services/core/billing/billing.ts';
import { createReadAccountQuota, createReadQuota } from '../../services/platform/account/quotas.ts';
import { connectKube } from '../../services/adapters/kube/client.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { connectNats } from '../../services/adapters/stream/connection/connection.ts';
import type { DnsFacts } from '../../services/core/domain/findings.ts';
import type { MxCertificate } from '../../services/core/deliverability/mx-certificate.ts';
import type { MtaStsRouting } from '../../services/core/kube/mta-sts/objects.ts';
import { type KindName, KIND_NAMES } from '../../services/core/kube/custom-resource.ts';
import type { Cluster } from '../../services/operator/leadership.ts';
import { createReconcilers, type Stores } from '../../services/operator/assembly.ts';
import type { Result } from '../../services/operator/reconcilers/reconcile.ts';
import { type CustomResource, factsOf } from '../../services/operator/cluster/resource.ts';
import { SECRET_LABEL, type Secret } from '../../services/operator/cluster/secret-keeper.ts';
import { definitionOf } from '../support/kube-api/definitions.ts';
import type { Stored } from '../support/kube-api/objects.ts';
import { type KubeApi, startKubeApi } from '../support/kube-api/server.ts';
import { createLifetime, type Lifetime } from '../support/lifetime.ts';
import { startMongoProxy } from '../support/mongo-proxy.ts';
import { startTestNats, testMongo } from '../support/servers.ts';

const log = createLog('silent');

export const PLANS = PlanCatalogue.parse({
  currency: 'EUR',
  plans: {
    free: { base_cost: 0, emails_included: 5, over_quota: 'refuse' },
    pro: { base_cost: 900, emails_included: 5, over_quota: 'bill' },
  },
});

export type Operator = AsyncDisposable & {
  reconcile(kind: KindName, namespace: string, name: string, how?: How): Promise<Result>;
  /** Lets its caches see what the cluster has now. */
  look(): void;
  /** Aborts what it left open in MongoDB, once it has ended. */
  abortTransactions(): Promise<void>;
};
type How = {
  /** How often it has failed before. */
  failures?: number;
  /** `before`: the caches know nothing that happened since the last reconciliation. */
  sees?: 'now' | 'before';
};

export type Settings = {
  plans: PlanCatalogue;
  secretNames: string[];
  allowedNetworks: string[];
  offersFiles: boolean;
  mtaStsRouting: MtaStsRouting | undefined;
};

type Options = {
  /** Its connections end with it. */
  lifetime?: Lifetime;
  /** Always, by default. */
  holdsLease?: () => boolean;
  /** Puts something around each store. */
  around?: (store: string, calls: Calls) => Calls;
  settings?: Partial<Settings>;
  /** The certificate of the MX hosts; none by default. */
  mxCertificate?: () => MxCertificate | undefined;
};
export type Calls = Record<string, (...args: unknown[]) => unknown>;

export type OperatorBed = AsyncDisposable & {
  kube: KubeApi;
  mongo: Mongo;
  /** As an operator sees them. */
  stores: Pick<Stores, 'addresses' | 'buckets' | 'notifications' | 'receivers' | 'tokens'>;
  /** What the DNS says of a domain; it does not respond for others. */
  dns: Map<string, DnsFacts>;
  /** Moves the clock of all operators. */
  passMs(ms: number): void;
  start(options?: Options): Promise<Operator>;
};

/** A bed and an operator for all tests of a file. */
export function useOperator(): { bed: OperatorBed; operator: Operator } {
  const shared = {} as { bed: OperatorBed; operator: Operator };
  const parts = new AsyncDisposableStack();
  beforeAll(async () => {
    shared.bed = parts.use(await startOperatorBed());
    shared.operator = parts.use(await shared.bed.start());
  });
  afterAll(() => parts.disposeAsync());
  return shared;
}

/** @param mongoUri of another system whose database they share; default: one of their own */
export async function startOperatorBed(mongoUri?: string): Promise<OperatorBed> {
  await using parts = new AsyncDisposableStack();
  const [database, natsServer, kube] = await Promise.all([
    mongoUri === undefined ? testMongo() : undefined,
    startTestNats(),
    startKubeApi(),
  ]);
  for (const part of [database, natsServer, kube]) parts.use(part);
  const uri = database?.uri ?? mongoUri ?? '';
  const mongo = parts.use(await connectMongo(uri, log));
  const nats = parts.use(await connectNats({ url: natsServer.url, name: 'test' }, log));
  await ensureIndexes(mongo.db, RECONCILED_INDEXES);
  const secrets = createSecretBox([randomBytes(32)]);
  const dns: OperatorBed['dns'] = new Map();
  let passedMs = 0;
  const clock = () => new Date(Date.now() + passedMs);

  async function start({
    lifetime,
    holdsLease = () => true,
    around = (_, calls) => calls,
    settings = {},
    mxCertificate = () => undefined,
  }: Options = {}): Promise<Operator> {
    await using own = new AsyncDisposableStack();
    const proxy = lifetime && own.use(await startMongoProxy(uri, lifetime));
    const { db } = proxy ? own.use(await connectMongo(proxy.uri, log)) : mongo;
    const kubeconfig = await kube.kubeconfig(lifetime ?? createLifetime());
    const mongoStores = createStoresWithSecrets(db, secrets);
    const { subscriptions, countUsage } = mongoStores;
    const { plans = PLANS } = settings;
    const stores: Stores = {
      kube: own.use(connectKube({ kubeconfig, timeoutMs: 10_000 })),
      ...mongoStores,
    };
    const { cluster, look } = createCaches(kube);
    const reconcilers = createReconcilers(
      {
        stores: Object.fromEntries(
          Object.entries(stores).map(([name, calls]) => [name, around(name, calls as Calls)]),
        ) as Stores,
        holdsLease,
        requestSlot: () => Promise.resolve(),
        nats,
        readQuota: createReadAccountQuota(subscriptions, createReadQuota(countUsage, plans), clock),
        lookUpDomain: async (domain) => dns.get(domain) ?? { txt: undefined, mx: undefined },
        readMxCertificate: () => Promise.resolve(mxCertificate()),
        clock,
        log,
      },
      {
        identity: 'test',
        plans,
        secretNames: [],
        inboundDomain: 'in.example',
        mxHosts: ['mx.in.example'],
        allowedNetworks: [],
        replyKeys: [Buffer.alloc(32, 7)],
        offersFiles: false,
        mtaStsRouting: undefined,
        ...settings,
      },
    )(cluster);
    const running = own.move();
    return {
      reconcile: async (kind, namespace, name, { failures = 0, sees = 'now' } = {}) => {
        if (sees === 'now') look();
        const object = cluster.get(kind, namespace, name);
        if (object === undefined) throw new Error(`no ${kind} ${namespace}/${name}`);
        return reconcilers[kind](object, failures);
      },
      look,
      abortTransactions: async () => proxy?.abortTransactions(),
      [Symbol.asyncDispose]: () => running.disposeAsync(),
    };
  }

  const running = parts.move();
  return {
    kube,
    mongo,
    stores: createStoresWithSecrets(mongo.db, secrets),
    dns,
    passMs: (ms) => {
      passedMs += ms;
    },
    start,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

const keyOf = (kind: string, namespace: string, name: string) => `${kind} ${namespace}/${name}`;
const isLabelled = ({ metadata: { labels = {} } }: Stored) =>
  Object.entries(SECRET_LABEL).every(([name, value]) => labels[name] === value);

/** An operator's caches: what it last saw of the cluster, and what it wrote itself since. */
function createCaches(kube: KubeApi): { cluster: Cluster; look: () => void } {
  let seen = new Map<string, Stored>();
  const put = (kind: string) => (object: Stored) => {
    const { namespace, name, resourceVersion } = object.metadata;
    const known = seen.get(keyOf(kind, namespace, name));
    if (known && Number(known.metadata.resourceVersion) > Number(resourceVersion)) return;
    seen.set(keyOf(kind, namespace, name), object);
  };
  const cache = <T>(kind: string) => ({
    get: (namespace: string, name: string) =>
      seen.get(keyOf(kind, namespace, name)) as T | undefined,
    put: put(kind) as (object: T) => void,
  });
  return {
    look: () => {
      seen = new Map();
      for (const kind of KIND_NAMES) kube.objects.all(definitionOf(kind)).forEach(put(kind));
      kube.objects.all(definitionOf('Secret')).filter(isLabelled).forEach(put('Secret'));
    },
    cluster: {
      get: (kind, namespace, name) => cache<CustomResource>(kind).get(namespace, name),
      facts: function* facts() {
        for (const [key, object] of seen) {
          const kind = KIND_NAMES.find((one) => key.startsWith(`${one} `));
          if (kind) yield factsOf(kind, object);
        }
      },
      cache: (kind) => cache<CustomResource>(kind),
      secrets: cache<Secret>('Secret'),
    },
  };
}

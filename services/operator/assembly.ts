/**
 * The reconcilers of all kinds, wired to their stores. Every call to a store or to the Kubernetes
 * API checks the lease first.
 */
import type { LookUpDomain } from '../adapters/dns/domain-records.ts';
import type { ReadMxCertificate } from '../adapters/tls/mx-certificate.ts';
import type { Kube } from '../adapters/kube/client.ts';
import type { Stores as MongoStores } from '../adapters/mongo/stores.ts';
import type { Log } from '../adapters/process/log.ts';
import type { Nats } from '../adapters/stream/connection/connection.ts';
import { wholeAccount } from '../core/address/scope.ts';
import type { PlanCatalogue } from '../core/billing/billing.ts';
import { managerName } from '../core/resource/managed-by.ts';
import type { KindName } from '../core/kube/custom-resource.ts';
import type { MtaStsRouting } from '../core/kube/mta-sts/objects.ts';
import { createAddressAnnouncer, createAnnouncements } from '../platform/address-directory.ts';
import { createAccountOperations } from '../platform/account/account-operations.ts';
import type { ReadAccountQuota } from '../platform/account/quotas.ts';
import { createAddressOperations } from '../platform/address/address-operations.ts';
import { createAudit } from '../platform/audit.ts';
import { createDomainOperations } from '../platform/domain/domain-operations.ts';
import { createTokenOperations } from '../platform/token/token-operations.ts';
import { createRecordEvent } from './cluster/event-recorder.ts';
import { createLeaseCheck, guarded } from './cluster/lease-guard.ts';
import type { Cluster } from './leadership.ts';
import { createMtaStsRoutes } from './cluster/mta-sts-routes.ts';
import { RESOURCES } from './cluster/permissions.ts';
import { createReadSecrets } from './cluster/referenced-secrets.ts';
import { factsOf, ownerOf } from './cluster/resource.ts';
import { createSecretKeeper } from './cluster/secret-keeper.ts';
import { createAccountReconciler } from './reconcilers/account-reconciler.ts';
import { createAddressReconciler } from './reconcilers/address-reconciler.ts';
import { createDomainReconciler } from './reconcilers/domain-reconciler.ts';
import { createOwnedReconcilers } from './reconcilers/owned-kinds.ts';
import { createReconcile, type Reconcile } from './reconcilers/reconcile.ts';
import type { AccountOf, AddressOf, CauseOf, Reconciler } from './reconcilers/reconciler.ts';
import { createTokenReconciler } from './reconcilers/token-reconciler.ts';

/** Where the operator writes. */
export type Stores = Pick<
  MongoStores,
  | 'accounts'
  | 'addresses'
  | 'buckets'
  | 'deliveries'
  | 'nameClaims'
  | 'domains'
  | 'members'
  | 'notifications'
  | 'receivers'
  | 'senderLists'
  | 'tokens'
> & {
  kube: Pick<Kube, 'get' | 'create' | 'update' | 'apply' | 'merge' | 'delete'>;
  events: Pick<MongoStores['events'], 'add'>;
};

type ReconcilerDependencies = {
  stores: Stores;
  /** Whether no other operator can lead yet. */
  holdsLease: () => boolean;
  /** Resolves when the next request to the Kubernetes API may be sent. */
  requestSlot: () => Promise<void>;
  nats: Nats;
  readQuota: ReadAccountQuota;
  lookUpDomain: LookUpDomain;
  readMxCertificate: ReadMxCertificate;
  clock: () => Date;
  log: Log;
};

type Settings = {
  identity: string;
  plans: PlanCatalogue;
  secretNames: readonly string[];
  inboundDomain: string;
  mxHosts: readonly string[];
  allowedNetworks: readonly string[];
  offersFiles: boolean;
  replyKeys: readonly Uint8Array[];
  /** undefined when the operator makes no routes for MTA-STS policies. */
  mtaStsRouting: MtaStsRouting | undefined;
};

export function createReconcilers(
  {
    stores,
    holdsLease,
    requestSlot,
    nats,
    readQuota,
    lookUpDomain,
    readMxCertificate,
    clock,
    log,
  }: ReconcilerDependencies,
  settings: Settings,
): (cluster: Cluster) => Record<KindName, Reconcile> {
  const checkLease = createLeaseCheck(holdsLease);
  const kube = guarded(stores.kube, async () => {
    await requestSlot();
    await checkLease(); // after the wait, which may be long
  });
  const accounts = guarded(stores.accounts, checkLease);
  const addresses = guarded(stores.addresses, checkLease);
  const buckets = guarded(stores.buckets, checkLease);
  const nameClaims = guarded(stores.nameClaims, checkLease);
  const domains = guarded(stores.domains, checkLease);
  const members = guarded(stores.members, checkLease);
  const tokens = guarded(stores.tokens, checkLease);
  const notifications = guarded(stores.notifications, checkLease);
  const receivers = guarded(stores.receivers, checkLease);
  const deliveries = guarded(stores.deliveries, checkLease);
  const senderLists = guarded(stores.senderLists, checkLease);
  // Without the check: an audit event records a change that this process has made, and is true even
  // when the lease is lost.
  const audit = createAudit(stores.events, log);
  const { inboundDomain } = settings;
  const announce = createAddressAnnouncer(nats);
  const announcements = createAnnouncements(nats, announce);
  const domainOperations = createDomainOperations({
    domains,
    look: lookUpDomain,
    mxHosts: settings.mxHosts,
    readMxCertificate,
    audit,
    inboundDomain,
  });
  const operations = createAddressOperations(
    {
      accounts,
      addresses,
      domains,
      receivers,
      deliveries,
      nameClaims,
      audit,
      nats,
      announce,
      inboundDomain,
    },
    log,
  );
  const accountOperations = createAccountOperations({ accounts, audit });
  const causeOf: CauseOf = (owner, scope) => ({
    caller: wholeAccount(scope),
    now: clock(),
    resource: managerName(owner),
  });
  const recordEvent = createRecordEvent(kube, settings.identity, clock, log);

  return function reconcilersOf(cluster) {
    const secrets = createSecretKeeper(kube, cluster.secrets, settings.secretNames);
    /**
     * By the owner in the record, not by the status: a user who may write the status could name
     * another account.
     */
    const accountOf: AccountOf = async ({ namespace }, { accountRef }) => {
      const resource = cluster.get('Account', namespace, accountRef.name);
      return resource && (await accounts.findManaged(ownerOf('Account', resource)))?.id;
    };
    /** Only an address of the named account: an earlier resource may have left one of another. */
    const addressOf: AddressOf = async (owner, { addressRef }) => {
      const resource = cluster.get('InboundAddress', owner.namespace, addressRef.name);
      if (resource === undefined) return undefined;
      const { account = '' } = factsOf('InboundAddress', resource);
      const accountId = await accountOf(owner, { accountRef: { name: account } });
      const address = await addresses.findManaged(ownerOf('InboundAddress', resource));
      return address?.account_id === accountId ? address : undefined;
    };
    const reconcileBy = <K extends KindName>(kind: K, reconciler: Reconciler<K>) =>
      createReconcile({
        kind,
        resource: RESOURCES[kind],
        kube,
        cache: cluster.cache(kind),
        reconciler,
        secrets,
        recordEvent,
        clock,
        log,
      });
    const readSecrets = createReadSecrets(kube);
    const shared = { ...settings, secrets, accountOf, causeOf, audit, clock };
    const resources = () => cluster.facts();
    const owned = createOwnedReconcilers({
      ...shared,
      stores: { addresses, buckets, deliveries, notifications, receivers, senderLists },
      announcements,
      addressOf,
      readSecrets,
    });
    return {
      Account: reconcileBy(
        'Account',
        createAccountReconciler({
          ...shared,
          accounts,
          readQuota,
          operations: accountOperations,
          members,
          resources,
        }),
      ),
      InboundAddress: reconcileBy(
        'InboundAddress',
        createAddressReconciler({ ...shared, addresses, operations, readSecrets }),
      ),
      InboundReceiver: reconcileBy('InboundReceiver', owned.InboundReceiver),
      InboundDomain: reconcileBy(
        'InboundDomain',
        createDomainReconciler({
          ...shared,
          domains,
          operations: domainOperations,
          routes: settings.mtaStsRouting && createMtaStsRoutes(kube, settings.mtaStsRouting),
          readMxCertificate,
        }),
      ),
      AccountNotification: reconcileBy('AccountNotification', owned.AccountNotification),
      SenderList: reconcileBy('SenderList', owned.SenderList),
      AccountBucket: reconcileBy('AccountBucket', owned.AccountBucket),
      ApiToken: reconcileBy(
        'ApiToken',
        createTokenReconciler({
          ...shared,
          tokens,
          operations: createTokenOperations({ tokens, audit }),
        }),
      ),
    };
  };
}

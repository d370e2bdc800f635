/** The calls on notifications, and the jobs that make them of events. */
import type { Stores } from '../../adapters/mongo/stores.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { StartSweep } from '../../adapters/process/sweeps.ts';
import type { Nats } from '../../adapters/stream/connection/connection.ts';
import { createStoreMail, type StoreMail } from '../../adapters/stream/store.ts';
import type { MailStreams } from '../../adapters/stream/replay.ts';
import type { ApiStore } from '../content/store-for-api.ts';
import { existingPartitions } from '../../adapters/stream/events/streams.ts';
import type { PlanCatalogue } from '../../core/billing/billing.ts';
import { type ChangedAddress, createAnnouncements } from '../../platform/address-directory.ts';
import { createKeyToSeal } from '../../platform/content-keys.ts';
import type { Audit } from '../../platform/audit.ts';
import { createNotificationOperations } from '../../platform/notification/notification-operations.ts';
import type { TestWebhook } from '../receiver/webhook-tests.ts';
import { startCertificateSweep } from './certificate-sweep.ts';
import { notificationEndpoints } from './notification-endpoints.ts';
import { startPublisher } from './publisher.ts';
import { startQuotaSweep } from './quota-sweep.ts';

type NotificationDependencies = {
  stores: Pick<
    Stores,
    | 'accountKeys'
    | 'countUsage'
    | 'deliveries'
    | 'events'
    | 'mailedAccounts'
    | 'notifications'
    | 'expiringCertificates'
    | 'outbox'
    | 'subscriptions'
    | 'target'
  >;
  nats: Nats;
  streams: MailStreams;
  store: Pick<ApiStore, 'payload'>;
  announce: (change: ChangedAddress) => void;
  audit: Audit;
  plans: PlanCatalogue;
  testWebhook: TestWebhook;
};

type Settings = {
  WEBHOOK_ALLOWED_NETWORKS: readonly string[];
  EVENTS_RETENTION: number;
  ENCRYPT_CONTENT: boolean;
};

const HOUR_MS = 3_600_000;

export function assembleNotifications(
  { stores, nats, streams, store, announce, audit, plans, testWebhook }: NotificationDependencies,
  settings: Settings,
  log: Log,
) {
  const { deliveries, notifications, outbox, target } = stores;
  const operations = createNotificationOperations({
    notifications,
    announcements: createAnnouncements(nats, announce),
    audit,
  });
  const keyToSeal = settings.ENCRYPT_CONTENT
    ? createKeyToSeal(nats, stores.accountKeys, log)
    : undefined;
  /** The gateways' partitions, which an API process has no setting for. */
  const openStore = async (): Promise<StoreMail> => {
    const partitions = (await existingPartitions(streams.manager)).length;
    if (partitions === 0) throw new Error('no gateway or dispatcher has created the streams yet');
    const storeMail = createStoreMail({ ...streams, partitions }, nats.isConnected);
    return async (facts, payload, digest) =>
      storeMail(facts, payload, digest, await keyToSeal?.(facts.account_id));
  };
  return {
    endpoints: notificationEndpoints({
      deliveries,
      store,
      target,
      testWebhook,
      operations,
      notifications,
      audit,
      allowedNetworks: settings.WEBHOOK_ALLOWED_NETWORKS,
    }),
    /** @returns the jobs, to be stopped */
    start: (startSweep: StartSweep): AsyncDisposable[] => [
      startQuotaSweep({ ...stores, plans, startSweep }),
      startCertificateSweep({ ...stores, startSweep }),
      startPublisher({ outbox, region: nats.region, openStore, startSweep }, log),
      startSweep('old_notifications', HOUR_MS, (now) =>
        outbox.removeDeliveriesBefore(new Date(now.getTime() - settings.EVENTS_RETENTION)),
      ),
    ],
  };
}

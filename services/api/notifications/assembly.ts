/** The calls on notifications, and the jobs that make them of events. */
import type { Mongo } from '../../adapters/mongo/connection.ts';
import type { SecretBox } from '../../adapters/mongo/secrets.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { StartSweep } from '../../adapters/process/sweeps.ts';
import { type CountUsage, createMailedAccounts } from '../../adapters/mongo/usage/counters.ts';
import type { UsageEvents } from '../../adapters/mongo/audit/events.ts';
import type { Subscriptions } from '../../adapters/mongo/accounts/subscriptions.ts';
import { createNotifications } from '../../adapters/mongo/notifications/notifications.ts';
import { createOutbox } from '../../adapters/mongo/notifications/outbox.ts';
import type { Deliveries } from '../../adapters/mongo/deliveries/deliveries.ts';
import type { Nats } from '../../adapters/stream/connection.ts';
import { createStoreMail } from '../../adapters/stream/store.ts';
import type { ReplayStore, MailStreams } from '../../adapters/stream/replay.ts';
import { existingPartitions } from '../../adapters/stream/streams.ts';
import type { WebhookTarget } from '../../core/address/address.ts';
import type { PlanCatalogue } from '../../core/billing/billing.ts';
import type { ChangedAddress } from '../../platform/address-directory.ts';
import type { Audit } from '../../platform/audit.ts';
import { createNotificationOperations } from '../../platform/notification-operations.ts';
import type { TestWebhook } from '../addresses/webhook-tests.ts';
import { notificationEndpoints } from './notification-endpoints.ts';
import { startPublisher } from './publisher.ts';
import { startQuotaSweep } from './quota-sweep.ts';

type Needs = {
  mongo: Pick<Mongo, 'db'>;
  secrets: SecretBox;
  nats: Nats;
  streams: MailStreams;
  announce: (change: ChangedAddress) => void;
  audit: Audit;
  events: UsageEvents;
  billing: { subscriptions: Subscriptions; countUsage: CountUsage; plans: PlanCatalogue };
  deliveries: Pick<Deliveries, 'notificationPage' | 'find'>;
  store: Pick<ReplayStore, 'payload'>;
  target: (id: string) => Promise<WebhookTarget | undefined>;
  testWebhook: TestWebhook;
};

type Settings = {
  SECRET_ROTATION_OVERLAP: number;
  WEBHOOK_ALLOWED_NETWORKS: readonly string[];
  EVENTS_RETENTION: number;
};

const HOUR_MS = 3_600_000;

export function assembleNotifications(
  { mongo: { db }, secrets, nats, streams, announce, audit, events, billing, ...shared }: Needs,
  settings: Settings,
  log: Log,
) {
  const notifications = createNotifications(db, secrets);
  const outbox = createOutbox(db, notifications);
  const operations = createNotificationOperations({
    notifications,
    nats,
    announce,
    audit,
    rotationOverlapMs: settings.SECRET_ROTATION_OVERLAP,
  });
  /** The gateways' partitions, which an API process has no setting for. */
  const openStore = async () => {
    const partitions = (await existingPartitions(streams.manager)).length;
    if (partitions === 0) throw new Error('no gateway or dispatcher has created the streams yet');
    return createStoreMail({ ...streams, partitions }, nats.isConnected);
  };
  return {
    endpoints: notificationEndpoints({
      ...shared,
      operations,
      notifications,
      audit,
      allowedNetworks: settings.WEBHOOK_ALLOWED_NETWORKS,
    }),
    /** @returns the jobs, to be stopped */
    start: (startSweep: StartSweep): AsyncDisposable[] => [
      startQuotaSweep({ ...billing, mailedAccounts: createMailedAccounts(db), events, startSweep }),
      startPublisher({ outbox, openStore, startSweep }, log),
      startSweep('old_notifications', HOUR_MS, (now) =>
        outbox.removeDeliveriesBefore(new Date(now.getTime() - settings.EVENTS_RETENTION)),
      ),
    ],
  };
}

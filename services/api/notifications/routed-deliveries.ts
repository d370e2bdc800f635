/**
 * The deliveries of emails and of notifications. The calls on one delivery take the `event_id` of
 * either. Lists and bulk replays are of emails only.
 */
import type { Mongo } from '../../adapters/mongo/connection.ts';
import { EMAILS, type Ledger } from '../../adapters/mongo/documents/delivery-documents.ts';
import {
  createDeliveryRecords,
  type DeliveryRecords,
} from '../../adapters/mongo/deliveries/read.ts';
import { createDeliveryContents } from '../../adapters/mongo/deliveries/contents.ts';
import { createDeliverySchedule } from '../../adapters/mongo/deliveries/schedule.ts';
import { NOTIFICATION_LEDGER } from '../../adapters/mongo/documents/notification-documents.ts';
import type { ReplayStore } from '../../adapters/stream/replay.ts';
import { isNotification } from '../../core/delivery/mail-event.ts';
import { createReplays, type Replays } from '../deliveries/replays.ts';

type Needs = {
  mongo: Pick<Mongo, 'db'>;
  store: Pick<ReplayStore, 'replay' | 'wake'>;
  /** Deliveries per second that a bulk replay makes due. */
  rate: number;
  clock: () => Date;
};

export function createRoutedDeliveries({ mongo: { db }, ...shared }: Needs) {
  const ofLedger = (ledger: Ledger) => {
    const records = createDeliveryRecords(db, ledger);
    const schedule = createDeliverySchedule(db, ledger);
    return { records, schedule, replays: createReplays({ ...shared, records, schedule }) };
  };
  const emails = ofLedger(EMAILS);
  const notifications = ofLedger(NOTIFICATION_LEDGER);
  const ledgerOf = (eventId: string) => (isNotification(eventId) ? notifications : emails);
  const records: Pick<DeliveryRecords, 'page' | 'due' | 'search' | 'find'> = {
    page: (...query) => emails.records.page(...query),
    due: (...query) => emails.records.due(...query),
    search: (...query) => emails.records.search(...query),
    find: (scope, eventId) => ledgerOf(eventId).records.find(scope, eventId),
  };
  const replays: Replays = {
    many: (...query) => emails.replays.many(...query),
    one: (scope, eventId) => ledgerOf(eventId).replays.one(scope, eventId),
    retryNow: (scope, eventId) => ledgerOf(eventId).replays.retryNow(scope, eventId),
    cancel: (scope, eventId, by) => ledgerOf(eventId).replays.cancel(scope, eventId, by),
  };
  return {
    records,
    replays,
    emails: emails.records,
    notifications: notifications.records,
    erasure: {
      records: emails.records,
      schedule: emails.schedule,
      contents: createDeliveryContents(db),
    },
  };
}

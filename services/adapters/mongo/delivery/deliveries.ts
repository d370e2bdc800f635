/** Deliveries of emails and of notifications. Calls on one delivery take the `event_id` of either. */
import type { Db } from 'mongodb';

import { createDeliveryContents, type DeliveryContents } from './contents.ts';
import { createEmailPlaces, type EmailPlaces } from './email-place.ts';
import { createEmailMarks, type EmailMarks } from './marks.ts';
import { createDeliveryOffers, type DeliveryOffers } from './offers.ts';
import { createOverdueDeliveries, type OverdueDeliveries } from './overdue-deliveries.ts';
import { createDeliveryReads, type DeliveryReads } from './read.ts';
import { createDeliverySchedule, type DeliverySchedule } from './schedule.ts';
import { createDeliveryWrites, type DeliveryWrites } from './write.ts';

export type Deliveries = DeliveryWrites &
  DeliveryReads &
  DeliverySchedule &
  DeliveryContents &
  OverdueDeliveries &
  DeliveryOffers &
  EmailMarks &
  EmailPlaces;

export const createDeliveries = (db: Db): Deliveries => ({
  ...createDeliveryWrites(db),
  ...createDeliveryReads(db),
  ...createDeliverySchedule(db),
  ...createDeliveryContents(db),
  ...createOverdueDeliveries(db),
  ...createDeliveryOffers(db),
  ...createEmailMarks(db),
  ...createEmailPlaces(db),
});

/** The deliveries of one email: to its address, and to the further receivers of the address. */
import type { Deliveries } from '../../adapters/mongo/deliveries/deliveries.ts';
import type { Receivers } from '../../adapters/mongo/receivers/receivers.ts';
import type { AddressScope } from '../../core/address/scope.ts';
import { AppError } from '../../core/app-error.ts';
import type { Delivery } from '../../core/delivery/delivery.ts';
import { emailOf, receiverEventId } from '../../core/delivery/mail-event.ts';

/**
 * The recorded deliveries of the email of this delivery, that of its address first. `mayMiss`: it is
 * so new that deliveries to receivers may not be recorded yet.
 */
export type EmailDeliveries = (
  scope: AddressScope,
  delivery: Delivery,
) => Promise<{ deliveries: Delivery[]; mayMiss: boolean }>;

/** For a request that must reach all of them. @throws AppError `conflict` when some may be missing */
export function requireAll({
  deliveries,
  mayMiss,
}: Awaited<ReturnType<EmailDeliveries>>): readonly Delivery[] {
  if (mayMiss)
    throw new AppError(
      'conflict',
      'The deliveries of this email to other receivers may not be recorded yet. Try again in ten ' +
        'seconds',
    );
  return deliveries;
}

type Parts = { deliveries: Pick<Deliveries, 'findAll'>; receivers: Pick<Receivers, 'idsOf'> };

/** Each delivery is recorded two seconds after the 250 at the latest, if a dispatcher runs. */
const RECORDED_WITHIN_MS = 10_000;

export const createEmailDeliveries = (
  { deliveries, receivers }: Parts,
  clock: () => Date,
): EmailDeliveries =>
  async function emailDeliveries(scope, delivery) {
    const email = emailOf(delivery);
    const further = await receivers.idsOf(scope, email.address_id);
    if (further.length === 0) return { deliveries: [delivery], mayMiss: false };
    const ids = further.map((id) => receiverEventId(email.event_id, id));
    const found = await deliveries.findAll(scope, [email.event_id, ...ids]);
    const isNew = clock().getTime() - delivery.received_at.getTime() < RECORDED_WITHIN_MS;
    return { deliveries: found, mayMiss: isNew && found.length <= further.length };
  };

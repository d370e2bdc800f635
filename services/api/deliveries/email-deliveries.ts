/** The deliveries of one email: to its address, and to the further receivers of the address. */
import type { Deliveries } from '../../adapters/mongo/deliveries/deliveries.ts';
import type { Receivers } from '../../adapters/mongo/receivers/receivers.ts';
import type { AddressScope } from '../../core/address/address.ts';
import type { Delivery } from '../../core/delivery/delivery.ts';
import { emailOf, receiverEventId } from '../../core/delivery/mail-event.ts';

/** The recorded deliveries of the email of this delivery, that of its address first. */
export type EmailDeliveries = (scope: AddressScope, delivery: Delivery) => Promise<Delivery[]>;

type Needs = { deliveries: Pick<Deliveries, 'findAll'>; receivers: Pick<Receivers, 'idsOf'> };

export const createEmailDeliveries = ({ deliveries, receivers }: Needs): EmailDeliveries =>
  async function emailDeliveries(scope, delivery) {
    const email = emailOf(delivery);
    const further = await receivers.idsOf(scope, email.address_id);
    if (further.length === 0) return [delivery];
    const ids = further.map((id) => receiverEventId(email.event_id, id));
    return deliveries.findAll(scope, [email.event_id, ...ids]);
  };

/** The deliveries of one email: to its address, and to the further receivers of the address. */
import type { Deliveries } from '../../adapters/mongo/delivery/deliveries.ts';
import type { EmailDecision } from '../../adapters/mongo/delivery/marks.ts';
import type { Receivers } from '../../adapters/mongo/receiver/receivers.ts';
import { type AddressScope, ownedBy } from '../../core/address/scope.ts';
import type { Delivery } from '../../core/delivery/delivery.ts';
import type { EventOrigin } from '../../core/event/usage-event.ts';
import { emailOf, receiverEventId } from '../../core/delivery/mail-event.ts';

export type EmailDeliveries = {
  /** The recorded deliveries of the email of this delivery, that of its address first. */
  recorded(scope: AddressScope, delivery: Delivery): Promise<Delivery[]>;
  /**
   * Does something to all deliveries of the email, also to those that are recorded meanwhile. For those
   * that are recorded later, it leaves a mark that dispatchers find (D168).
   */
  forAll(
    scope: AddressScope,
    delivery: Delivery,
    decision: EmailDecision,
    work: (deliveries: readonly Delivery[]) => Promise<void>,
    by: EventOrigin,
    now: Date,
  ): Promise<void>;
};

type EmailDeliveryDependencies = {
  deliveries: Pick<Deliveries, 'findAll' | 'markEmail'>;
  receivers: Pick<Receivers, 'idsOf'>;
};

export function createEmailDeliveries({
  deliveries,
  receivers,
}: EmailDeliveryDependencies): EmailDeliveries {
  const find = async (scope: AddressScope, delivery: Delivery) => {
    const { address_id, event_id } = emailOf(delivery);
    const further = await receivers.idsOf(scope, address_id);
    if (further.length === 0 && delivery.event_id === event_id)
      return { found: [delivery], isComplete: true };
    const ids = [event_id, ...further.map((id) => receiverEventId(event_id, id))];
    const found = await deliveries.findAll(scope, ids);
    return { found, isComplete: found.length === ids.length };
  };

  return {
    recorded: async (scope, delivery) => (await find(scope, delivery)).found,
    forAll: async function forAllDeliveries(scope, delivery, decision, work, by, now) {
      const { found, isComplete } = await find(scope, delivery);
      await work(found);
      if (isComplete) return;
      await deliveries.markEmail(ownedBy(scope), emailOf(delivery).event_id, decision, by, now);
      // a dispatcher that has recorded one before it could see the mark
      const known = new Set(found.map(({ event_id }) => event_id));
      const { found: later } = await find(scope, delivery);
      const missed = later.filter(({ event_id }) => !known.has(event_id));
      if (missed.length > 0) await work(missed);
    },
  };
}

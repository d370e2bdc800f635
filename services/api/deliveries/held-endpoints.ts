/**
 * Emails that rules hold or drop: a request releases them, which is a replay, or drops those that are
 * held (D55). Both are for all receivers of the email.
 */
import type { Deliveries } from '../../adapters/mongo/deliveries/deliveries.ts';
import { exampleOf } from '../../core/api-reference.ts';
import type { AddressScope } from '../../core/address/scope.ts';
import { AppError, notFound } from '../../core/app-error.ts';
import type { Delivery } from '../../core/delivery/delivery.ts';
import { DeliveryView, deliveryView } from '../../core/delivery/delivery-view.ts';
import { emailOf } from '../../core/delivery/mail-event.ts';
import type { Audit, Cause } from '../../platform/audit.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { type EmailDeliveries, requireAll } from './email-deliveries.ts';
import type { Replays } from './replays.ts';

type Parts = {
  deliveries: Pick<Deliveries, 'findEmail' | 'dropHeld'>;
  emailDeliveries: EmailDeliveries;
  replays: Pick<Replays, 'one' | 'existing'>;
  audit: Audit;
};

type CallerCause = Cause & { caller: AddressScope };

export function heldEndpoints({ deliveries, emailDeliveries, replays, audit }: Parts): Endpoint[] {
  /** The deliveries of an email with one of these statuses. @throws AppError `conflict` for none */
  const ofEmail = async (
    { caller }: CallerCause,
    eventId: string,
    statuses: readonly Delivery['status'][],
    otherwise: string,
  ): Promise<Delivery[]> => {
    const asked = await deliveries.findEmail(caller, eventId);
    if (asked === undefined) throw notFound('delivery');
    const all = await emailDeliveries(caller, asked);
    const found = all.deliveries.filter(({ status }) => statuses.includes(status));
    if (found.length === 0) throw new AppError('conflict', otherwise);
    requireAll(all); // one that is recorded later would stay as it is
    return found;
  };

  const recorded = async (
    cause: Cause,
    type: 'delivery.released' | 'delivery.dropped',
    [first]: readonly Delivery[],
  ) => {
    if (first === undefined) return;
    const { address_id, event_id } = emailOf(first);
    await audit(cause, { type, address_id, data: { event_id } });
  };

  const view = async ({ caller }: CallerCause, eventId: string) =>
    deliveryView(await replays.existing(caller, eventId));

  return [
    defineEndpoint({
      method: 'POST',
      path: '/deliveries/{event_id}/release',
      operationId: 'releaseDelivery',
      summary: 'Deliver an email that rules held or dropped, to all its receivers',
      permission: 'deliveries:write',
      reach: 'limited',
      errors: ['conflict'],
      response: DeliveryView,
      handle: async ({ params: { event_id }, ...cause }) => {
        const held = await ofEmail(
          cause,
          event_id,
          ['held', 'dropped'],
          'This email is neither held nor dropped',
        );
        for (const delivery of held) await replays.one(cause.caller, delivery.event_id);
        await recorded(cause, 'delivery.released', held);
        return view(cause, event_id);
      },
      repeat: ({ params: { event_id }, ...cause }) => view(cause, event_id),
    }),
    defineEndpoint({
      method: 'POST',
      path: '/deliveries/{event_id}/drop',
      operationId: 'dropDelivery',
      summary: 'Drop a held email: none of its receivers gets it, unless it is released later',
      permission: 'deliveries:write',
      reach: 'limited',
      errors: ['conflict'],
      example: { response: { ...exampleOf(DeliveryView), status: 'dropped', outcome: null } },
      response: DeliveryView,
      handle: async ({ params: { event_id }, ...cause }) => {
        const held = await ofEmail(cause, event_id, ['held'], 'This email is not held');
        await deliveries.dropHeld(
          cause.caller,
          held.map((delivery) => delivery.event_id),
          cause.now,
        );
        await recorded(cause, 'delivery.dropped', held);
        return view(cause, event_id);
      },
      repeat: ({ params: { event_id }, ...cause }) => view(cause, event_id),
    }),
  ];
}

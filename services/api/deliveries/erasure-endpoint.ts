/**
 * Erases the content of an email on request (D44). The record is changed first: from then on the API
 * offers nothing more and dispatchers discard every copy, so a crash leaves only work for the janitor.
 */
import { EXAMPLE, exampleOf } from '../../core/api-reference.ts';
import type { Deliveries } from '../../adapters/mongo/deliveries/deliveries.ts';
import type { ReplayStore } from '../../adapters/stream/replay.ts';
import { AppError, notFound } from '../../core/app-error.ts';
import { DeliveryView, deliveryView } from '../../core/delivery/delivery-view.ts';
import { type Audit, originOf } from '../../platform/audit.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';

type Parts = {
  deliveries: Pick<Deliveries, 'findEmail' | 'markErased' | 'cancel'>;
  store: Pick<ReplayStore, 'erase'>;
  audit: Audit;
};

const delivered = exampleOf(DeliveryView);

export const erasureEndpoint = ({ deliveries, store, audit }: Parts): Endpoint =>
  defineEndpoint({
    method: 'DELETE',
    path: '/deliveries/{event_id}/content',
    operationId: 'eraseDeliveryContent',
    summary:
      'Erase the content of an email everywhere; a delivery that waits for a later attempt is ' +
      'canceled first',
    permission: 'deliveries:write',
    errors: ['conflict'],
    example: {
      response: {
        ...delivered,
        mail_from: '',
        from: null,
        subject: null,
        content_erased_at: EXAMPLE.now,
        attempts: delivered.attempts.map((attempt) => ({ ...attempt, excerpt: null })),
      },
    },
    response: DeliveryView,
    handle: async ({ caller, params: { event_id }, ...cause }) => {
      const found = await deliveries.findEmail(caller, event_id);
      if (found === undefined) throw notFound('delivery');
      if (found.status === 'pending' || found.status === 'retrying')
        await deliveries.cancel(caller, event_id, originOf({ caller, ...cause }), cause.now);
      const erased = await deliveries.markErased(caller, event_id, cause.now);
      if (erased === undefined)
        throw new AppError(
          'conflict',
          'The next attempt of this delivery is due or in flight. Its content can be erased when ' +
            'the attempt has ended',
        );
      await store.erase(erased);
      if (found.content_erased_at === undefined)
        await audit(
          { caller, ...cause },
          { type: 'delivery.erased', address_id: erased.address_id, data: { event_id } },
        );
      return deliveryView(erased);
    },
  });

/**
 * Erases the content of an email on request (D44). The record is changed first: from then on the API
 * offers nothing more and dispatchers discard every copy, so a crash leaves only work for the janitor.
 */
import { EXAMPLE, exampleOf } from '../../core/resource/api-reference.ts';
import type { Deliveries } from '../../adapters/mongo/delivery/deliveries.ts';
import type { KnownAuthors } from '../../adapters/mongo/address/known-authors.ts';
import type { ReplayStore } from '../../adapters/stream/replay.ts';
import { AppError, notFound, orNotFound } from '../../core/error/app-error.ts';
import type { AddressScope } from '../../core/address/scope.ts';
import { recordedAuthor } from '../../core/decision/known-author.ts';
import type { Delivery } from '../../core/delivery/delivery.ts';
import { DeliveryView, deliveryView } from '../../core/delivery/delivery-view.ts';
import { addressIdOfEvent, furtherReceiverFields } from '../../core/delivery/mail-event.ts';
import { type Audit, type Cause, originOf } from '../../platform/audit.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import type { EmailDeliveries } from './email-deliveries.ts';

type ErasureEndpointDependencies = {
  deliveries: Pick<Deliveries, 'findEmail' | 'markErased' | 'cancel'>;
  emailDeliveries: EmailDeliveries;
  knownAuthors: Pick<KnownAuthors, 'remove'>;
  store: Pick<ReplayStore, 'erase'>;
  audit: Audit;
};

const delivered = exampleOf(DeliveryView);

export function erasureEndpoint({
  deliveries,
  emailDeliveries,
  knownAuthors,
  store,
  audit,
}: ErasureEndpointDependencies): Endpoint {
  /** @throws AppError `conflict` while an attempt is due or in flight */
  const erase = async (
    cause: Cause & { caller: AddressScope },
    found: Delivery,
  ): Promise<Delivery> => {
    const { event_id } = found;
    const author = recordedAuthor(found); // afterwards, the record does not name it
    if (author) await knownAuthors.remove(author.key);
    if (found.status === 'pending' || found.status === 'retrying')
      await deliveries.cancel(cause.caller, event_id, originOf(cause), cause.now);
    const erased = await deliveries.markErased(cause.caller, event_id, cause.now);
    if (erased === undefined)
      throw new AppError(
        'conflict',
        'The next attempt of this delivery is due or in flight. Its content can be erased when ' +
          'the attempt has ended',
      );
    await store.erase(erased);
    if (found.content_erased_at === undefined)
      await audit(cause, {
        type: 'delivery.erased',
        address_id: addressIdOfEvent(erased),
        data: { event_id, ...furtherReceiverFields(erased) },
      });
    return erased;
  };

  return defineEndpoint({
    call: 'DELETE /deliveries/{event_id}/content',
    operationId: 'eraseDeliveryContent',
    summary:
      'Erase the content of an email everywhere, for all receivers; a delivery that waits for a later ' +
      'attempt is canceled first',
    permission: 'deliveries:erase',
    reach: 'limited',
    errors: ['conflict'],
    example: {
      response: {
        ...delivered,
        mail_from: '',
        from: null,
        subject: null,
        content_erased_at: EXAMPLE.now,
        attempts: delivered.attempts.map((attempt) => ({
          ...attempt,
          excerpt: null,
          location: null,
        })),
      },
    },
    response: DeliveryView,
    handle: async ({ caller, params: { event_id }, ...cause }) => {
      const requested = orNotFound(await deliveries.findEmail(caller, event_id), 'delivery');
      let result: Delivery | undefined;
      const eraseThose = async (all: readonly Delivery[]) => {
        for (const found of all) {
          const erased = await erase({ caller, ...cause }, found);
          if (found.event_id === event_id) result = erased;
        }
      };
      await emailDeliveries.forAll(
        caller,
        requested,
        'erased',
        eraseThose,
        originOf({ caller, ...cause }),
        cause.now,
      );
      if (result === undefined) throw notFound('delivery');
      return deliveryView(result);
    },
  });
}

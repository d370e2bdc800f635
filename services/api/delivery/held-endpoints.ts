/**
 * Emails that rules hold or drop: a request releases them, which is a replay, or drops those that are
 * held (D55). Both are for all receivers of the email.
 */
import type { Deliveries } from '../../adapters/mongo/delivery/deliveries.ts';
import type { KnownAuthors } from '../../adapters/mongo/address/known-authors.ts';
import { exampleOf } from '../../core/resource/api-reference.ts';
import type { AddressScope } from '../../core/address/scope.ts';
import { AppError, orNotFound } from '../../core/error/app-error.ts';
import { releasedAuthor } from '../../core/decision/known-author.ts';
import type { Delivery } from '../../core/delivery/delivery.ts';
import { DeliveryView, deliveryView } from '../../core/delivery/delivery-view.ts';
import { emailOf } from '../../core/delivery/mail-event.ts';
import { type Audit, type Cause, originOf } from '../../platform/audit.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import type { EmailDeliveries } from '../email/email-deliveries.ts';
import type { Replays } from './replays.ts';

type HeldEndpointDependencies = {
  deliveries: Pick<Deliveries, 'findEmail' | 'dropHeld'>;
  emailDeliveries: EmailDeliveries;
  replays: Pick<Replays, 'one' | 'existing'>;
  knownAuthors: Pick<KnownAuthors, 'add'>;
  audit: Audit;
};

type CallerCause = Cause & { caller: AddressScope };

export function heldEndpoints({
  deliveries,
  emailDeliveries,
  replays,
  knownAuthors,
  audit,
}: HeldEndpointDependencies): Endpoint[] {
  /**
   * Does something to the deliveries of an email that have one of these statuses.
   * @throws AppError `conflict` when none has
   */
  const decide = async (
    cause: CallerCause,
    eventId: string,
    decision: 'released' | 'dropped',
    { statuses, refusal }: { statuses: readonly Delivery['status'][]; refusal: string },
    work: (held: readonly Delivery[]) => Promise<void>,
  ): Promise<Delivery[]> => {
    const { caller, now } = cause;
    const requested = orNotFound(await deliveries.findEmail(caller, eventId), 'delivery');
    const done: Delivery[] = [];
    const workOn = async (all: readonly Delivery[]) => {
      const held = all.filter(({ status }) => statuses.includes(status));
      if (held.length === 0 && done.length === 0) throw new AppError('conflict', refusal);
      await work(held);
      done.push(...held);
    };
    await emailDeliveries.forAll(caller, requested, decision, workOn, originOf(cause), now);
    return done;
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
      call: 'POST /deliveries/{event_id}/release',
      operationId: 'releaseDelivery',
      summary: 'Deliver an email that rules held or dropped, to all its receivers',
      permission: 'deliveries:decide',
      reach: 'limited',
      errors: ['conflict'],
      response: DeliveryView,
      handle: async ({ params: { event_id }, ...cause }) => {
        const statuses = ['held', 'dropped'] as const;
        const refusal = 'This email is neither held nor dropped';
        const held = await decide(
          cause,
          event_id,
          'released',
          { statuses, refusal },
          async (all) => {
            for (const delivery of all)
              await replays.one(cause.caller, delivery.event_id, originOf(cause));
          },
        );
        const [author] = held.flatMap((delivery) => releasedAuthor(delivery) ?? []);
        if (author) await knownAuthors.add(author, cause.now);
        await recorded(cause, 'delivery.released', held);
        return view(cause, event_id);
      },
      repeat: ({ params: { event_id }, ...cause }) => view(cause, event_id),
    }),
    defineEndpoint({
      call: 'POST /deliveries/{event_id}/drop',
      operationId: 'dropDelivery',
      summary: 'Drop a held email: none of its receivers gets it, unless it is released later',
      permission: 'deliveries:decide',
      reach: 'limited',
      errors: ['conflict'],
      example: { response: { ...exampleOf(DeliveryView), status: 'dropped', outcome: null } },
      response: DeliveryView,
      handle: async ({ params: { event_id }, ...cause }) => {
        const only = { statuses: ['held'] as const, refusal: 'This email is not held' };
        const held = await decide(cause, event_id, 'dropped', only, (all) => {
          const ids = all.map((delivery) => delivery.event_id);
          return deliveries.dropHeld(cause.caller, ids, cause.now, originOf(cause));
        });
        await recorded(cause, 'delivery.dropped', held);
        return view(cause, event_id);
      },
      repeat: ({ params: { event_id }, ...cause }) => view(cause, event_id),
    }),
  ];
}

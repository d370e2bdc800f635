/**
 * Reports each fold as an `email.repeated` event that names the first email, so that users see why
 * an email arrived once (D32).
 */
import type { Deliveries } from '../../adapters/mongo/delivery/deliveries.ts';
import type { MailErasure } from '../../adapters/stream/erase.ts';
import type { Audit } from '../../platform/audit.ts';
import type { Receive, Repeat } from './received-mail.ts';

type RepeatIO = {
  audit: Audit;
  deliveries: Pick<Deliveries, 'eventAt'>;
  contents: Pick<MailErasure, 'remove'>;
};

/** The reply waits for the event, so that a crash in between makes the sender repeat again. */
export function reportRepeats(
  receive: Receive,
  { audit, deliveries, contents }: RepeatIO,
): Receive {
  /** An email that is no longer on the stream was delivered, so it has a record. */
  const firstId = async ({ event, first }: Repeat): Promise<string | undefined> =>
    first.eventId ?? (await deliveries.eventAt(event, first.storedAt).catch(() => undefined));

  const report = async (repeat: Repeat): Promise<void> => {
    const { event_id, account_id, environment, address_id, received_at_ms } = repeat.event;
    const first = await firstId(repeat);
    if (first === event_id) return; // stored by an earlier run of the same transaction
    // Nothing refers to the objects that were stored before its event was folded (D44).
    if (first !== undefined)
      await contents
        .remove({ ...repeat.event, stored_at: repeat.first.storedAt })
        .catch(() => undefined);
    if (repeat.event.email !== undefined) return; // reported for its address
    await audit(
      { caller: { account_id, environment }, now: new Date(received_at_ms) },
      {
        type: 'email.repeated',
        address_id,
        data: { ...(first !== undefined && { event_id: first }) },
      },
    );
  };

  return async function receiveAndReport(received, client) {
    const stored = await receive(received, client);
    await Promise.all(stored.repeats.map(report));
    return stored;
  };
}

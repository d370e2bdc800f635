/**
 * Stored mail for the API: every failure of NATS becomes `unavailable`, immediately while
 * disconnected (D5).
 */
import type { MailStore } from '../../adapters/stream/mail-store.ts';
import type { Nats } from '../../adapters/stream/connection.ts';
import { unavailable } from '../../core/app-error.ts';

export function createReachableStore(store: MailStore, nats: Pick<Nats, 'isConnected'>): MailStore {
  const reaching = async <T>(work: () => Promise<T>): Promise<T> => {
    if (!nats.isConnected()) throw unavailable(new Error('NATS is not connected'));
    try {
      return await work();
    } catch (cause) {
      throw unavailable(cause);
    }
  };
  return {
    payload: (delivery) => reaching(() => store.payload(delivery)),
    raw: (eventId) => reaching(() => store.raw(eventId)),
    attachments: (eventId) => reaching(() => store.attachments(eventId)),
    wake: (delivery, dueAt) => reaching(() => store.wake(delivery, dueAt)),
    replay: (delivery, dueAt) => reaching(() => store.replay(delivery, dueAt)),
  };
}

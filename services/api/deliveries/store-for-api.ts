/**
 * Stored mail for the API: every failure of NATS becomes `unavailable`, immediately while
 * disconnected (D5). Content whose retention has ended is not offered, although its removal may
 * take two more minutes (D44).
 */
import type { ReplayStore } from '../../adapters/stream/replay.ts';
import type { Nats } from '../../adapters/stream/connection.ts';
import { unavailable } from '../../core/app-error.ts';
import { contentIsOffered } from '../../core/delivery/retention.ts';

export function storeForApi(
  store: ReplayStore,
  nats: Pick<Nats, 'isConnected'>,
  clock: () => Date,
): ReplayStore {
  const reaching = async <T>(work: () => Promise<T>): Promise<T> => {
    if (!nats.isConnected()) throw unavailable(new Error('NATS is not connected'));
    try {
      return await work();
    } catch (cause) {
      throw unavailable(cause);
    }
  };
  return {
    payload: async (delivery) =>
      contentIsOffered(delivery, clock()) ? reaching(() => store.payload(delivery)) : undefined,
    raw: (eventId) => reaching(() => store.raw(eventId)),
    attachments: (eventId) => reaching(() => store.attachments(eventId)),
    wake: (delivery, dueAt) => reaching(() => store.wake(delivery, dueAt)),
    replay: async (delivery, dueAt) =>
      contentIsOffered(delivery, clock()) ? reaching(() => store.replay(delivery, dueAt)) : 'gone',
    erase: (delivery) => reaching(() => store.erase(delivery)),
    keptFrom: () => reaching(() => store.keptFrom()),
  };
}

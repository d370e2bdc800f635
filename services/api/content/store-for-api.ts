/**
 * Stored mail for the API: reading content demands a View (D312). Every failure of NATS becomes
 * `unavailable`, immediately while disconnected (D5). Content whose retention has ended is not
 * offered, although its removal may take two more minutes (D44). An email of another region is not
 * stored here: its own dispatchers find in its record that it was canceled or erased (D87).
 */
import type { ReplayStore, StoredDelivery } from '../../adapters/stream/replay.ts';
import type { Nats } from '../../adapters/stream/connection/connection.ts';
import { unavailable } from '../../core/error/app-error.ts';
import { contentIsOffered } from '../../core/delivery/retention.ts';
import type { View } from '../http/view.ts';

/** A `ReplayStore` whose functions that return content demand a View. */
export type ApiStore = {
  [Name in keyof ReplayStore]: Name extends 'payload' | 'raw' | 'attachments'
    ? (of: Parameters<ReplayStore[Name]>[0], view: View) => ReturnType<ReplayStore[Name]>
    : ReplayStore[Name];
};

export function storeForApi(
  store: ReplayStore,
  nats: Pick<Nats, 'isConnected'>,
  clock: () => Date,
): ApiStore {
  const reaching = async <T>(work: () => Promise<T>): Promise<T> => {
    if (!nats.isConnected()) throw unavailable(new Error('NATS is not connected'));
    try {
      return await work();
    } catch (cause) {
      throw unavailable(cause);
    }
  };
  const isHere: ReplayStore['isHere'] = (delivery) => store.isHere(delivery);
  const isOffered = (delivery: StoredDelivery) =>
    isHere(delivery) && contentIsOffered(delivery, clock());
  return {
    isHere,
    payload: async (delivery) =>
      isOffered(delivery) ? reaching(() => store.payload(delivery)) : undefined,
    raw: (eventId) => reaching(() => store.raw(eventId)),
    attachments: (eventId) => reaching(() => store.attachments(eventId)),
    copyOf: async (delivery) =>
      isOffered(delivery) ? reaching(() => store.copyOf(delivery)) : undefined,
    enqueue: (delivery, copy, dueAt) => reaching(() => store.enqueue(delivery, copy, dueAt)),
    wake: async (delivery, dueAt) =>
      isHere(delivery) ? reaching(() => store.wake(delivery, dueAt)) : 'absent',
    removeFailed: (delivery) => reaching(() => store.removeFailed(delivery)),
    erase: async (delivery) => {
      if (isHere(delivery)) await reaching(() => store.erase(delivery));
    },
    keptFrom: () => reaching(() => store.keptFrom()),
  };
}

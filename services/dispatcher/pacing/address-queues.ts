/** The claim of each address, and the emails to it that wait in memory. */
import { type Claim, MEMORY_WAIT_MS, newClaim } from '../../core/delivery/claim.ts';
import type { Arrival, Entry } from './arrival.ts';

type Waiter = { arrival: Arrival; resolve: (entry: Entry) => void; timer: NodeJS.Timeout };
export type AddressQueue = { claim: Claim; waiting: Waiter[] };

/** Limit of idle addresses that are remembered. */
const MAX_IDLE = 10_000;

/** @param perAddress limit of attempts in flight for one address */
export function createAddressQueues(perAddress: number) {
  const queues = new Map<string, AddressQueue>(); // in the order of last use
  const withWaiting = new Set<AddressQueue>(); // the longest wait first

  const leave = (queue: AddressQueue, waiter: Waiter): void => {
    clearTimeout(waiter.timer);
    queue.waiting.splice(queue.waiting.indexOf(waiter), 1);
    if (queue.waiting.length === 0) withWaiting.delete(queue);
  };

  return {
    withWaiting: withWaiting as ReadonlySet<AddressQueue>,

    of: (addressId: string): AddressQueue => {
      const queue = queues.get(addressId) ?? { claim: newClaim(perAddress), waiting: [] };
      queues.delete(addressId); // moves it to the end
      queues.set(addressId, queue);
      return queue;
    },

    /** @param tooLate what the email gets when it has waited for too long */
    wait: (queue: AddressQueue, arrival: Arrival, tooLate: () => Entry): Promise<Entry> =>
      new Promise((resolve) => {
        const timer = setTimeout(() => {
          leave(queue, waiter);
          resolve(tooLate());
        }, MEMORY_WAIT_MS);
        const waiter: Waiter = { arrival, resolve, timer };
        queue.waiting.push(waiter);
        withWaiting.add(queue);
      }),

    /** Admits the emails that have waited longest, while `enter` has something for them. */
    admit: (queue: AddressQueue, enter: (arrival: Arrival) => Entry | undefined): void => {
      for (let waiter = queue.waiting[0]; waiter; waiter = queue.waiting[0]) {
        const entry = enter(waiter.arrival);
        if (entry === undefined) return;
        leave(queue, waiter);
        waiter.resolve(entry);
      }
    },

    /** Forgets the least recently used address that is idle, once there are too many. */
    forgetIdle: (): void => {
      if (queues.size <= MAX_IDLE) return;
      for (const [id, { claim, waiting }] of queues) {
        if (claim.held > 0 || waiting.length > 0) continue;
        queues.delete(id);
        return;
      }
    },
  };
}

/**
 * Makes room in JetStream: the bodies and files of delivered emails go, the oldest first, before
 * new email is refused, and before smaller emails lose their replay window (D163).
 */
import type { Log } from '../../adapters/process/log.ts';
import {
  type AskRoom,
  excessBytes,
  oldestObjects,
  type StoredObject,
} from '../../adapters/stream/objects/make-room.ts';
import { noteKeptFrom } from '../../adapters/stream/purge.ts';
import {
  BODIES_BUCKET,
  LINKED_BUCKET,
  type Streams,
} from '../../adapters/stream/events/streams.ts';
import type { Deliveries } from '../../adapters/mongo/delivery/deliveries.ts';
import { makesRoom } from '../../core/delivery/retention.ts';

type StorageRoom = {
  /** Frees at least these bytes, if delivered emails store so many. Calls at the same time share it. */
  make: AskRoom;
  /** Frees what the account stores above the share of its limit at which room is made. */
  keepFree(): Promise<number>;
};

/** A share of the account's limit. The alert for a nearly full account has a higher threshold. */
const NEARLY_FULL = 0.8;
/** For headers, records of the bucket, and the email itself. */
const OVERHEAD_BYTES = 256 * 1024;
const BATCH = 50;
/** Looking further would take longer than senders wait. */
const WITHIN_MS = 6_000;

export function createStorageRoom(
  { manager }: Pick<Streams, 'manager'>,
  deliveries: Pick<Deliveries, 'states' | 'bodiesRemoved'>,
  log: Log,
): StorageRoom {
  const freeBatch = async (batch: readonly StoredObject[], wanted: number) => {
    const states = await deliveries.states(batch.map(({ eventId }) => eventId));
    const removed: StoredObject[] = [];
    let freed = 0;
    for (const object of batch) {
      if (freed >= wanted) break;
      if (!makesRoom(states.get(object.eventId))) continue;
      await object.remove();
      removed.push(object);
      freed += object.bytes;
    }
    return { removed, freed };
  };

  const freeFrom = async (bucket: string, wanted: number, until: number): Promise<number> => {
    let freed = 0;
    let batch: StoredObject[] = [];
    const flush = async () => {
      const { removed, freed: more } = await freeBatch(batch, wanted - freed);
      batch = [];
      freed += more;
      const last = removed.at(-1);
      if (last === undefined) return;
      if (bucket === BODIES_BUCKET)
        await deliveries.bodiesRemoved(removed.map(({ eventId }) => eventId));
      await noteKeptFrom(manager, bucket, last.storedAt);
    };
    for await (const object of oldestObjects(manager, bucket)) {
      batch.push(object);
      if (batch.length === BATCH) await flush();
      if (freed >= wanted || performance.now() > until) break;
    }
    await flush();
    return freed;
  };

  const free = async (bytes: number): Promise<number> => {
    const until = performance.now() + WITHIN_MS;
    const bodies = await freeFrom(BODIES_BUCKET, bytes, until);
    const files = bodies < bytes ? await freeFrom(LINKED_BUCKET, bytes - bodies, until) : 0;
    if (bodies + files > 0) log.warn('storage.room_made', { wanted: bytes, bodies, files });
    return bodies + files;
  };

  let making: Promise<number> | undefined;
  const make: AskRoom = (bytes) =>
    (making ??= free(bytes + OVERHEAD_BYTES).finally(() => (making = undefined)));

  return {
    make,
    keepFree: async () => {
      const excess = await excessBytes(manager, BODIES_BUCKET, NEARLY_FULL);
      return excess > 0 ? make(excess) : 0;
    },
  };
}

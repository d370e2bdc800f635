/**
 * A cache of addresses for gateways and dispatchers: read from MongoDB, dropped when the API announces a change over
 * NATS. While MongoDB is unavailable, cached addresses still serve.
 */
import { LRUCache } from 'lru-cache';
import { z } from 'zod';

import type { Log } from '../adapters/process/log.ts';
import type { Nats } from '../adapters/stream/connection.ts';

/** An address that was created, changed or deleted. */
const ChangedAddress = z.object({ id: z.string(), address: z.string() });
export type ChangedAddress = z.infer<typeof ChangedAddress>;

const SUBJECT = 'inlet.addresses.changed';
const MAX_ENTRIES = 100_000;
/** An announcement can be missed; a stale answer then lives this long at most. */
const FRESH_MS = 30_000;
/** That a key is unknown is remembered this long, and no longer than until a change of it is announced. */
const UNKNOWN_MS = 5_000;
/** Anybody can name what is unknown, at length: that is bounded by its size. */
const UNKNOWN_MAX_BYTES = 16 * 1024 * 1024;
const UNKNOWN_ENTRY_BYTES = 200; // beside the key, roughly
/** After a failed read, what is known serves this long before MongoDB is asked again. */
const OUTAGE_MS = 1_000;

/** Tells every gateway and dispatcher that an address has changed. */
export const createAddressAnnouncer =
  (nats: Nats) =>
  (change: ChangedAddress): void => {
    nats.connection.publish(SUBJECT, JSON.stringify(change));
  };

export type Directory<T> = {
  /** @throws what `load` throws, when nothing is known */
  get(key: string): Promise<T | undefined>;
  /** Whether nothing was known by this key when it was last asked for, and no change of it was announced since. */
  wasUnknown(key: string): boolean;
};

/**
 * @param keyOf which key a change is about: the address's id or the address itself
 * @param load reads from MongoDB
 */
export function createDirectory<T extends object>(
  nats: Nats,
  keyOf: (change: ChangedAddress) => string,
  load: (key: string) => Promise<T | undefined>,
  log: Log,
): Directory<T> {
  const known = new LRUCache<string, { value: T; freshUntil: number }>({ max: MAX_ENTRIES });
  /** Keys that nothing is known by; while announcements cannot be heard nobody is believed unknown. */
  const unknown = new LRUCache<string, { until: number }>({
    maxSize: UNKNOWN_MAX_BYTES,
    sizeCalculation: (_, key) => UNKNOWN_ENTRY_BYTES + 2 * key.length,
  });
  const loading = new Map<string, Promise<T | undefined>>();
  let generation = 0; // a read that a change overtook must not be remembered

  const forget = (key: string) => {
    generation++;
    loading.delete(key);
    known.delete(key);
    unknown.delete(key);
  };
  /** Everything is asked for again; until MongoDB answers, what is known serves. */
  const doubtAll = () => {
    generation++;
    loading.clear();
    unknown.clear();
    for (const entry of known.values()) entry.freshUntil = 0;
  };

  nats.connection.subscribe(SUBJECT, {
    callback: (error, message) => {
      if (error) return log.warn('address_changes.interrupted', { error });
      const change = readChange(message.string());
      if (change) forget(keyOf(change));
      else log.warn('address_change.unreadable', { bytes: message.data.byteLength });
    },
  });
  nats.onReconnect(doubtAll);

  const read = async (key: string): Promise<T | undefined> => {
    const startedAt = generation;
    const value = await load(key);
    if (startedAt === generation) {
      if (value) known.set(key, { value, freshUntil: Date.now() + FRESH_MS });
      else {
        known.delete(key);
        unknown.set(key, { until: Date.now() + UNKNOWN_MS });
      }
    }
    return value;
  };

  return {
    get: async (key) => {
      const entry = known.get(key);
      if (entry && entry.freshUntil > Date.now()) return entry.value;
      if (nats.isConnected() && (unknown.get(key)?.until ?? 0) > Date.now()) return undefined;
      let reading = loading.get(key);
      if (!reading) {
        const started = read(key).finally(() => {
          if (loading.get(key) === started) loading.delete(key);
        });
        loading.set(key, started);
        reading = started;
      }
      try {
        return await reading;
      } catch (error) {
        if (!entry || known.peek(key) !== entry) throw error; // nothing known, or no longer true
        entry.freshUntil = Date.now() + OUTAGE_MS;
        log.warn('address_lookup.failed', { error });
        return entry.value;
      }
    },
    wasUnknown: (key) => unknown.has(key),
  };
}

/** Throwing here would cost the connection: the client takes it for a broken stream. */
function readChange(text: string): ChangedAddress | undefined {
  try {
    return ChangedAddress.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

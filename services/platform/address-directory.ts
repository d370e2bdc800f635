/**
 * The address cache of gateways and dispatchers. Entries are read from MongoDB and dropped when the
 * API announces a change over NATS. While MongoDB is down, cached addresses are still used.
 */
import { LRUCache } from 'lru-cache';
import { z } from 'zod';

import { unavailable } from '../core/app-error.ts';
import { withDeadline } from '../adapters/async/deadline.ts';
import { createInterruptionLog } from '../adapters/process/interruption-log.ts';
import type { Log } from '../adapters/process/log.ts';
import type { Nats } from '../adapters/stream/connection.ts';

/** An address that was created, changed or deleted. */
const ChangedAddress = z.object({ id: z.string(), address: z.string() });
export type ChangedAddress = z.infer<typeof ChangedAddress>;

const SUBJECT = 'inlet.addresses.changed';
const MAX_ENTRIES = 100_000;
/** Maximum age of a cached address, since an announcement can be missed. */
const FRESH_MS = 30_000;
/** How long an unknown key is cached, unless a change of it is announced earlier. */
const UNKNOWN_MS = 5_000;
/** Any client can name unknown addresses of any length, so that cache is limited by its size. */
const UNKNOWN_MAX_BYTES = 16 * 1024 * 1024;
const UNKNOWN_ENTRY_BYTES = 200; // without the key, roughly
/** After a failed read, the cached address serves this long before the next read. */
const OUTAGE_MS = 1_000;
const ANNOUNCE_TIMEOUT_MS = 2_000;

/** Announces to every gateway and dispatcher that an address has changed. */
export const createAddressAnnouncer =
  (nats: Nats) =>
  (change: ChangedAddress): void => {
    nats.connection.publish(SUBJECT, JSON.stringify(change));
  };

/** Changes that caches must follow. */
export type Announcements = {
  /** @throws AppError `unavailable`, D5: no change without NATS, since it could not be announced */
  require: () => void;
  /** Resolves once NATS has the announcement, so every cache drops its entry before the API responds (D8). */
  announced: (change: ChangedAddress) => Promise<void>;
};

export const createAnnouncements = (
  nats: Nats,
  announce: (change: ChangedAddress) => void,
): Announcements => ({
  require: () => {
    if (!nats.isConnected()) throw unavailable(new Error('NATS is not connected'));
  },
  announced: async (change) => {
    announce(change);
    await withDeadline(ANNOUNCE_TIMEOUT_MS, nats.connection.flush());
  },
});

/** For a caller that repeats its change: the repeat announces it again. */
export function announcementLost(cause: unknown): never {
  throw unavailable(new Error('announce a change', { cause }));
}

export type Directory<T> = {
  /** @throws what `load` throws, when nothing is cached */
  get(key: string): Promise<T | undefined>;
  /** Whether the last lookup of this key found nothing, and no change of it was announced since. */
  wasUnknown(key: string): boolean;
};

/**
 * @param keyOf the key of a change: the id of the address, or the address itself
 * @param load reads from MongoDB
 */
export function createDirectory<T extends object>(
  nats: Nats,
  keyOf: (change: ChangedAddress) => string,
  load: (key: string) => Promise<T | undefined>,
  log: Log,
): Directory<T> {
  const interruptions = createInterruptionLog(log);
  const known = new LRUCache<string, { value: T; freshUntil: number }>({ max: MAX_ENTRIES });
  /** Unknown keys. Not used while NATS is disconnected, since announcements do not arrive then. */
  const unknown = new LRUCache<string, { until: number }>({
    maxSize: UNKNOWN_MAX_BYTES,
    sizeCalculation: (_, key) => UNKNOWN_ENTRY_BYTES + 2 * key.length,
  });
  const loading = new Map<string, Promise<T | undefined>>();
  let generation = 0; // the result of a read that started before a change must not be cached

  const forget = (key: string) => {
    generation++;
    loading.delete(key);
    known.delete(key);
    unknown.delete(key);
  };
  /** Reads everything again. Until MongoDB responds, cached addresses serve. */
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
        if (!entry || known.peek(key) !== entry) throw error; // nothing cached, or outdated
        entry.freshUntil = Date.now() + OUTAGE_MS;
        interruptions.report('warn', 'address_lookup.failed', { error });
        return entry.value;
      }
    },
    wasUnknown: (key) => unknown.has(key),
  };
}

/** Never throws: the NATS client would close the connection. */
function readChange(text: string): ChangedAddress | undefined {
  try {
    return ChangedAddress.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/**
 * The address cache of gateways and dispatchers. Entries are read from MongoDB and dropped when the
 * API announces a change over NATS. While MongoDB is down, cached addresses are still used.
 */
import { z } from 'zod';

import { unavailable } from '../core/error/app-error.ts';
import { withDeadline } from '../adapters/async/deadline.ts';
import { createFreshCache } from '../adapters/async/fresh-cache.ts';
import { createInterruptionLog } from '../adapters/process/interruption-log.ts';
import type { Log } from '../adapters/process/log.ts';
import type { Nats } from '../adapters/stream/connection/connection.ts';

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
/** A cached address that cannot be read within this time serves as it is. */
const READ_MS = 250;
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

/** A caller that repeats its change announces it again. */
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
 * @param isKept whether a value is cached
 */
export function createDirectory<T extends object>(
  nats: Nats,
  keyOf: (change: ChangedAddress) => string,
  load: (key: string) => Promise<T | undefined>,
  log: Log,
  isKept: (value: T) => boolean = () => true,
): Directory<T> {
  const interruptions = createInterruptionLog(log);
  const cache = createFreshCache<T | undefined>({
    maxSize: MAX_ENTRIES,
    freshMs: (value) => (value && isKept(value) ? FRESH_MS : 0),
    // announcements do not arrive while NATS is disconnected
    unknown: { freshMs: UNKNOWN_MS, maxBytes: UNKNOWN_MAX_BYTES, isTrusted: nats.isConnected },
    onFailure: {
      waitMs: READ_MS,
      pauseMs: OUTAGE_MS,
      report: (error) => interruptions.report('warn', 'address_lookup.failed', { error }),
    },
  });

  nats.connection.subscribe(SUBJECT, {
    callback: (error, message) => {
      if (error) return log.warn('address_changes.interrupted', { error });
      const change = readChange(message.string());
      if (change) cache.forget(keyOf(change));
      else log.warn('address_change.unreadable', { bytes: message.data.byteLength });
    },
  });
  nats.onReconnect(cache.doubtAll);

  return { get: (key) => cache.get(key, () => load(key)), wasUnknown: cache.wasUnknown };
}

/** Never throws: the NATS client would close the connection. */
function readChange(text: string): ChangedAddress | undefined {
  try {
    return ChangedAddress.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

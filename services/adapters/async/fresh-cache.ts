/**
 * A cache of values that change elsewhere. Callers that need the same value at the same time share
 * one read. What a read finds that a change overtakes is outdated, and not shared with later callers.
 */
import { LRUCache } from 'lru-cache';

import { withDeadline } from './deadline.ts';

/** @template T undefined: the key has no value */
type FreshCache<T> = {
  /**
   * @param isTrusted false: a cached value does not serve this call
   * @throws what `load` throws, unless an outdated value may serve
   */
  get(key: string, load: () => Promise<T>, isTrusted?: boolean): Promise<T>;
  /** The cached value, however old it is. */
  peek: (key: string) => T | undefined;
  /** Whether the last read found no value, however long ago. */
  wasUnknown: (key: string) => boolean;
  /** This key has changed. */
  forget: (key: string) => void;
  /** Any key may have changed: each is read again. */
  doubtAll: () => void;
};

type Options<T> = {
  /** The sum of the sizes of all values, each 1 unless `sizeOf` says otherwise. */
  maxSize: number;
  sizeOf?: (value: T, key: string) => number;
  /** How long a value is used before it is read again. A value with 0 is not cached. */
  freshMs: (value: T) => number;
  /** Caches keys without a value. Anybody can ask for them, so they never evict values. */
  unknown?: { freshMs: number; maxBytes: number; isTrusted: () => boolean };
  /**
   * An outdated value that cannot be read within `waitMs` serves for `pauseMs` until the next read.
   * While reads fail, outdated values serve immediately, and are read in the background.
   */
  onFailure?: { waitMs: number; pauseMs: number; report: (error: unknown) => void };
  nowMs?: () => number;
};

/** Outdated: something may have changed since it began. */
type Read<T> = { value: Promise<T>; isOutdated: boolean };

const UNKNOWN_ENTRY_BYTES = 200; // without the key, roughly

export function createFreshCache<T extends object | undefined>({
  maxSize,
  sizeOf = () => 1,
  freshMs,
  unknown,
  onFailure,
  nowMs = () => performance.now(),
}: Options<T>): FreshCache<T> {
  const known = new LRUCache<string, { value: T; freshUntil: number }>({
    maxSize,
    sizeCalculation: ({ value }, key) => sizeOf(value, key),
  });
  const unknownUntil = new LRUCache<string, number>({
    maxSize: unknown?.maxBytes ?? 1,
    sizeCalculation: (_, key) => UNKNOWN_ENTRY_BYTES + 2 * key.length,
  });
  const reading = new Map<string, Read<T>>();
  let isFailing = false;

  const store = (key: string, value: T, isOutdated: boolean): void => {
    const now = nowMs();
    const ms = value && freshMs(value);
    if (ms) known.set(key, { value, freshUntil: isOutdated ? 0 : now + ms });
    else known.delete(key);
    if (value === undefined && unknown && !isOutdated) unknownUntil.set(key, now + unknown.freshMs);
  };

  const read = (key: string, load: () => Promise<T>): Read<T> => {
    const isLatest = () => reading.get(key) === begun;
    const value = load()
      .then((found) => {
        isFailing = false;
        if (isLatest()) store(key, found, begun.isOutdated);
        return found;
      })
      .finally(() => isLatest() && reading.delete(key));
    const begun = { value, isOutdated: false };
    reading.set(key, begun);
    return begun;
  };

  return {
    get: async (key, load, isTrusted = true) => {
      const now = nowMs();
      const cached = known.get(key);
      if (isTrusted && cached && cached.freshUntil > now) return cached.value;
      if (unknown?.isTrusted() && (unknownUntil.get(key) ?? 0) > now) return undefined as T;
      const begun = reading.get(key);
      const { value } = begun && !begun.isOutdated ? begun : read(key, load);
      if (!onFailure || !cached) return value;
      try {
        return await withDeadline(isFailing ? 0 : onFailure.waitMs, value, 'not read');
      } catch (error) {
        isFailing = true;
        const outdated = known.peek(key);
        if (!outdated) return value; // it has changed meanwhile
        outdated.freshUntil = nowMs() + onFailure.pauseMs;
        onFailure.report(error);
        return outdated.value;
      }
    },
    peek: (key) => known.peek(key)?.value,
    wasUnknown: (key) => unknownUntil.has(key),
    forget: (key) => {
      for (const cache of [reading, known, unknownUntil]) cache.delete(key);
    },
    doubtAll: () => {
      for (const begun of reading.values()) begun.isOutdated = true;
      unknownUntil.clear();
      for (const entry of known.values()) entry.freshUntil = 0;
    },
  };
}

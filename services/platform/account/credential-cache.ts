/**
 * Credentials that a process has recently found valid. A revoked credential is refused by the
 * process that revokes it immediately, and by every other within a second: NATS announces the
 * change, and a counter in MongoDB shows it to processes that no announcement reaches.
 */
import { createFreshCache } from '../../adapters/async/fresh-cache.ts';
import type { CredentialRevision } from '../../adapters/mongo/token/credential-revision.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { Nats } from '../../adapters/stream/connection/connection.ts';

export type CredentialCache<T> = Disposable & {
  /**
   * @param key a hash of the credential: the cache never contains the credential itself
   * @param load reads the credential; undefined when it is not valid
   */
  get(key: string, load: () => Promise<T | undefined>): Promise<T | undefined>;
  /** The credential when this process last used it; undefined when it was not valid then. */
  lastKnown: (key: string) => T | undefined;
  /** Credentials have changed: this process reads each again, and others are told to. */
  announceChange: () => void;
};

const SUBJECT = 'inlet.credentials.changed';
const MAX_ENTRIES = 10_000;
/** Bounds the effect of faults, such as a change made directly in MongoDB. */
const FRESH_MS = 30_000;
const CHECK_MS = 400;
/** Entries are used only this long after the start of the last successful check. */
const TRUSTED_MS = 900;
/** Without requests for this long, the checks pause. */
const IDLE_MS = 60_000;

export function createCredentialCache<T extends object>(
  nats: Nats,
  revision: Pick<CredentialRevision, 'read'>,
  log: Log,
): CredentialCache<T> {
  const cache = createFreshCache<T | undefined>({
    maxSize: MAX_ENTRIES,
    freshMs: () => FRESH_MS,
  });
  let seen: number | undefined;
  let trustedUntilMs = 0;
  let usedMs = 0;
  let timer: NodeJS.Timeout | undefined;
  let isChecking = false;

  const check = async (): Promise<void> => {
    const startedMs = performance.now();
    const found = await revision.read();
    if (found !== seen) cache.doubtAll();
    seen = found;
    trustedUntilMs = startedMs + TRUSTED_MS;
  };

  const checkRepeatedly = async (): Promise<void> => {
    isChecking = true;
    await check().catch((error: unknown) => log.debug('credential_check.failed', { error }));
    isChecking = performance.now() - usedMs < IDLE_MS;
    if (isChecking) timer = setTimeout(() => void checkRepeatedly(), CHECK_MS).unref();
  };

  const changes = nats.connection.subscribe(SUBJECT, { callback: cache.doubtAll });

  return {
    get: async function getCredential(key, load) {
      usedMs = performance.now();
      if (!isChecking) void checkRepeatedly();
      return cache.get(key, load, usedMs < trustedUntilMs);
    },
    lastKnown: cache.peek,
    announceChange: () => {
      cache.doubtAll();
      nats.connection.publish(SUBJECT);
    },
    [Symbol.dispose]: () => {
      usedMs = -Infinity; // a check in flight is the last one
      clearTimeout(timer);
      changes.unsubscribe();
    },
  };
}

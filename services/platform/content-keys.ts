/** The content keys that a process has in memory, as a directory has addresses. */
import type { AccountKeys } from '../adapters/mongo/account/account-keys.ts';
import type { Log } from '../adapters/process/log.ts';
import type { Nats } from '../adapters/stream/connection/connection.ts';
import type { KeyOf } from '../adapters/stream/objects/sealed-content.ts';
import type { ContentKey } from '../core/content-key.ts';
import { createDirectory } from './address-directory.ts';

/** No change of an address concerns them. A deleted key is forgotten within 30 seconds. */
const directoryOf = (
  nats: Nats,
  load: (accountId: string) => Promise<ContentKey | undefined>,
  log: Log,
) => createDirectory(nats, () => '', load, log);

/** The key of an account, to decrypt; undefined when it was deleted. */
export function createKeysToOpen(nats: Nats, keys: Pick<AccountKeys, 'find'>, log: Log): KeyOf {
  const directory = directoryOf(nats, (accountId) => keys.find(accountId), log);
  return (accountId) => directory.get(accountId);
}

/**
 * The key of an account, to encrypt. Keys that are in memory serve while MongoDB is away.
 * @throws when it was deleted, or cannot be read: nothing may be stored in clear instead
 */
export type KeyToSeal = (accountId: string) => Promise<ContentKey>;

export function createKeyToSeal(
  nats: Nats,
  keys: Pick<AccountKeys, 'ensure'>,
  log: Log,
): KeyToSeal {
  const directory = directoryOf(nats, (accountId) => keys.ensure(accountId), log);
  return async function keyToSeal(accountId) {
    const key = await directory.get(accountId);
    if (key === undefined) throw new Error(`the content key of ${accountId} was deleted`);
    return key;
  };
}

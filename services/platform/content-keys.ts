/** The content keys that a process has in memory, as a directory has addresses. */
import { withDeadline } from '../adapters/async/deadline.ts';
import type { AccountKeys, KeysOfAccount } from '../adapters/mongo/account/account-keys.ts';
import { createInterruptionLog } from '../adapters/process/interruption-log.ts';
import type { Log } from '../adapters/process/log.ts';
import type { Nats } from '../adapters/stream/connection/connection.ts';
import type { KeyOf } from '../adapters/stream/objects/sealed-content.ts';
import {
  type ContentKey,
  type ContentKeys,
  MissingContentKey,
} from '../core/secret/content-key.ts';
import { createDirectory } from './address-directory.ts';

/**
 * The keys of an account; undefined when they were deleted, which is noticed within 30 seconds. No change
 * of an address concerns them. Keys that are in memory serve while MongoDB is away, and not when MongoDB
 * says that they are missing.
 */
function createKeys(
  nats: Nats,
  load: (accountId: string) => Promise<KeysOfAccount>,
  log: Log,
): (accountId: string) => Promise<ContentKeys | undefined> {
  const interruptions = createInterruptionLog(log);
  const directory = createDirectory(
    nats,
    () => '',
    load,
    log,
    ({ kind }) => kind !== 'missing',
  );
  return async function keysOf(accountId) {
    const found = await directory.get(accountId);
    if (found?.kind === 'keys') return found.keys;
    if (found?.kind === 'deleted') return undefined;
    const error = new MissingContentKey(`account_keys lacks the content key of ${accountId}`);
    interruptions.report('error', 'content_key.missing', { account_id: accountId, error });
    throw error;
  };
}

/** Without a majority, MongoDB makes no key until it has one again. */
const MADE_WITHIN_MS = 10_000;

/** The keys of an account, to decrypt. @throws MissingContentKey */
export const createKeysToOpen = (nats: Nats, keys: Pick<AccountKeys, 'find'>, log: Log): KeyOf =>
  createKeys(nats, (accountId) => keys.find(accountId), log);

/**
 * The key of an account, to encrypt.
 * @throws when it was deleted, is missing, or cannot be read: nothing may be stored in clear instead
 */
export type KeyToSeal = (accountId: string) => Promise<ContentKey>;

export function createKeyToSeal(
  nats: Nats,
  keys: Pick<AccountKeys, 'ensure'>,
  log: Log,
): KeyToSeal {
  const keysOf = createKeys(nats, (accountId) => keys.ensure(accountId), log);
  return async function keyToSeal(accountId) {
    const found = await withDeadline(MADE_WITHIN_MS, keysOf(accountId), 'no content key');
    if (found === undefined) throw new Error(`the content key of ${accountId} was deleted`);
    return found[0];
  };
}

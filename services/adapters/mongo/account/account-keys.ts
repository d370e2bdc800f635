/**
 * The keys that encrypt what the emails of accounts contain (D283, D289), each encrypted with SECRET_KEYS.
 * Without its keys, nothing can read the content of an account: not in streams, nor in backups of them.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Db } from 'mongodb';

import {
  type ContentKey,
  type ContentKeys,
  type KeyedAccount,
  statusOfKeys,
} from '../../../core/secret/content-key.ts';
import { OwnFault, Unprocessable } from '../../../core/delivery/fault.ts';
import { isDuplicateKey } from '../database/errors.ts';
import type { SecretBox } from '../database/secrets.ts';
import { transaction } from '../database/transaction.ts';
import { ACCOUNTS, type StoredAccount } from '../documents/account-documents.ts';

export const ACCOUNT_KEYS = 'account_keys';

export type StoredAccountKey = {
  /** The account. */
  _id: string;
  /** The key that encrypts. null: all were deleted, and the account gets no other one. */
  sealed_key: string | null;
  /** Keys that only decrypt; absent for none. Releases before the ring do not know them. */
  further_keys?: string[];
  created_at: Date;
  erased_at?: Date;
};

/** `missing`: the account has keys, and their record is not there. */
export type KeysOfAccount =
  { kind: 'keys'; keys: ContentKeys } | { kind: 'deleted' } | { kind: 'missing' };

export type AccountKeys = {
  /** An account that never had a key is `missing` as well: nothing of it can be encrypted. */
  find(accountId: string): Promise<KeysOfAccount>;
  /**
   * The keys of the account. The first one is made when the account has none: of processes that do so at
   * the same time, all get the same one. It is returned when no failover can take it back.
   */
  ensure(accountId: string): Promise<KeysOfAccount>;
};

const KEY_BYTES = 32;

export function createAccountKeys(db: Db, secrets: SecretBox): AccountKeys {
  const keys = db.collection<StoredAccountKey>(ACCOUNT_KEYS);
  const accounts = db.collection<StoredAccount>(ACCOUNTS);
  const projection = { closed_at: 1, has_content_key: 1 };

  /** In this order: the record is there when the account says so. */
  const read = async (_id: string) => {
    const account: KeyedAccount = await accounts.findOne({ _id }, { projection });
    const record = await keys.findOne({ _id });
    return { account, record, status: statusOfKeys(account, record) };
  };

  const answer = ({ record, status }: Awaited<ReturnType<typeof read>>): KeysOfAccount => {
    if (status === 'present' && record) return { kind: 'keys', keys: openedKeys(record, secrets) };
    return { kind: status === 'deleted' ? 'deleted' : 'missing' };
  };

  const note = { $set: { has_content_key: true as const } };

  /** Does nothing when another process has made it, or the account was closed. */
  const make = (_id: string): Promise<void> =>
    transaction(db, async (session) => {
      const isNew = { _id, closed_at: null, has_content_key: { $exists: false } };
      const { matchedCount } = await accounts.updateOne(isNew, note, { session });
      if (matchedCount === 0) return;
      const sealed_key = secrets.seal(randomBytes(KEY_BYTES).toString('base64'), contextOf(_id));
      await keys.insertOne({ _id, sealed_key, created_at: new Date() }, { session });
    }).catch((error: unknown) => {
      if (!isDuplicateKey(error)) throw error; // a gateway of an earlier release has made it
    });

  return {
    find: async (accountId) => answer(await read(accountId)),
    ensure: async (accountId) => {
      const found = await read(accountId);
      if (found.status === 'none') {
        await make(accountId);
        return answer(await read(accountId));
      }
      if (found.status === 'present' && !found.account?.has_content_key)
        await accounts.updateOne({ _id: accountId }, note); // the key is of an earlier release
      return answer(found);
    },
  };
}

/** Deletes the keys of an account, and keeps another one from being made. It needs no other key. */
export async function eraseAccountKeys(db: Db, accountId: string, now: Date): Promise<void> {
  await db.collection<StoredAccountKey>(ACCOUNT_KEYS).updateOne(
    { _id: accountId },
    {
      $set: { sealed_key: null, erased_at: now },
      $unset: { further_keys: '' },
      $setOnInsert: { created_at: now },
    },
    { upsert: true },
  );
}

/** A key that was copied to another account cannot be decrypted. */
export const contextOf = (accountId: string): string => `content key of ${accountId}`;

/**
 * @throws OwnFault or Unprocessable when the key that encrypts cannot be decrypted. A further one is left
 * out: its emails miss it, the others do not
 */
export function openedKeys(
  { _id, sealed_key, further_keys = [] }: StoredAccountKey,
  secrets: Pick<SecretBox, 'open'>,
): ContentKeys {
  const further = further_keys.flatMap((sealed) => {
    try {
      return [openedKey(_id, sealed, secrets)];
    } catch (error) {
      if (isUndecryptable(error)) return [];
      throw error;
    }
  });
  return [openedKey(_id, sealed_key ?? '', secrets), ...further];
}

/** The id of an encrypted key. When SECRET_KEYS cannot decrypt the key, its encrypted text. */
export function sealedKeyId(
  accountId: string,
  sealed: string,
  secrets: Pick<SecretBox, 'open'>,
): string {
  try {
    return openedKey(accountId, sealed, secrets).id;
  } catch (error) {
    if (isUndecryptable(error)) return sealed;
    throw error;
  }
}

const isUndecryptable = (error: unknown): boolean =>
  error instanceof OwnFault || error instanceof Unprocessable;

const openedKey = (accountId: string, sealed: string, secrets: Pick<SecretBox, 'open'>) =>
  keyOf(accountId, Buffer.from(secrets.open(sealed, contextOf(accountId)), 'base64'));

function keyOf(accountId: string, bytes: Buffer): ContentKey {
  if (bytes.byteLength !== KEY_BYTES)
    throw new Unprocessable(
      'the key of its account is damaged',
      `the content key of ${accountId} has ${bytes.byteLength} bytes`,
    );
  const id = createHash('sha256').update('inlet content key\0').update(bytes).digest('hex');
  return { id: id.slice(0, 8), bytes: new Uint8Array(bytes) };
}

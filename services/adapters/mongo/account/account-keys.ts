/**
 * The keys that encrypt what the emails of accounts contain (D283), each encrypted with SECRET_KEYS.
 * Without its key, nothing can read the content of an account: not in streams, nor in backups of them.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Db } from 'mongodb';

import type { ContentKey } from '../../../core/content-key.ts';
import { Unprocessable } from '../../../core/delivery/fault.ts';
import { isDuplicateKey } from '../database/errors.ts';
import type { SecretBox } from '../database/secrets.ts';

export const ACCOUNT_KEYS = 'account_keys';

export type StoredAccountKey = {
  /** The account. */
  _id: string;
  /** null: it was deleted, and the account gets no other one. */
  sealed_key: string | null;
  created_at: Date;
  erased_at?: Date;
};

export type AccountKeys = {
  /** Undefined when the account has none, or it was deleted. */
  find(accountId: string): Promise<ContentKey | undefined>;
  /**
   * The key of the account, which is made when there is none: of processes that do so at the same
   * time, all get the same one. Undefined when it was deleted.
   */
  ensure(accountId: string): Promise<ContentKey | undefined>;
};

const KEY_BYTES = 32;

export function createAccountKeys(db: Db, secrets: SecretBox): AccountKeys {
  const keys = db.collection<StoredAccountKey>(ACCOUNT_KEYS);

  const opened = ({ _id, sealed_key }: StoredAccountKey): ContentKey | undefined =>
    sealed_key === null
      ? undefined
      : keyOf(_id, Buffer.from(secrets.open(sealed_key, contextOf(_id)), 'base64'));

  /** @returns undefined when another process has made it meanwhile */
  const insert = async (accountId: string): Promise<ContentKey | undefined> => {
    const bytes = randomBytes(KEY_BYTES);
    try {
      await keys.insertOne({
        _id: accountId,
        sealed_key: secrets.seal(bytes.toString('base64'), contextOf(accountId)),
        created_at: new Date(),
      });
      return keyOf(accountId, bytes);
    } catch (error) {
      if (isDuplicateKey(error)) return undefined;
      throw error;
    }
  };

  const find = async (accountId: string): Promise<ContentKey | undefined> => {
    const stored = await keys.findOne({ _id: accountId });
    return stored === null ? undefined : opened(stored);
  };

  return {
    find,
    ensure: async (accountId) => {
      const stored = await keys.findOne({ _id: accountId });
      if (stored !== null) return opened(stored);
      return (await insert(accountId)) ?? find(accountId);
    },
  };
}

/** Deletes the key of an account, and keeps another one from being made. It needs no other key. */
export async function eraseAccountKey(db: Db, accountId: string, now: Date): Promise<void> {
  await db
    .collection<StoredAccountKey>(ACCOUNT_KEYS)
    .updateOne(
      { _id: accountId },
      { $set: { sealed_key: null, erased_at: now }, $setOnInsert: { created_at: now } },
      { upsert: true },
    );
}

/** So that a key that was copied to another account cannot be decrypted. */
export const contextOf = (accountId: string): string => `content key of ${accountId}`;

function keyOf(accountId: string, bytes: Buffer): ContentKey {
  if (bytes.byteLength !== KEY_BYTES)
    throw new Unprocessable(
      'the key of its account is damaged',
      `the content key of ${accountId} has ${bytes.byteLength} bytes`,
    );
  const id = createHash('sha256').update('inlet content key\0').update(bytes).digest('hex');
  return { id: id.slice(0, 8), bytes: new Uint8Array(bytes) };
}

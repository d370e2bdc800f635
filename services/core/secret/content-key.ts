/**
 * The keys that encrypt what the emails of one account contain, where `ENCRYPT_CONTENT` is on (D289).
 * They are plain data: threads get them with the email.
 */
import { AppError, RETRY_AFTER_SECONDS } from '../error/app-error.ts';

export type ContentKey = {
  /** Says which key has encrypted something, and nothing about the key. Eight hexadecimal digits. */
  id: string;
  bytes: Uint8Array;
};

/** The keys of an account. The first encrypts, all decrypt: what is encrypted names the id of its key. */
export type ContentKeys = readonly [ContentKey, ...ContentKey[]];

/** What to tell when the keys were deleted. */
export const CONTENT_UNREADABLE =
  'the content of the email cannot be decrypted: the key of its account was deleted';

/** A key that exists cannot be found. This is a fault of the installation: the email waits. */
export class MissingContentKey extends AppError {
  constructor(detail: string) {
    super('unavailable', 'Temporarily unavailable. Try again soon', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      cause: new Error(detail),
    });
  }
}

/** What an account says about its keys; null without such an account. */
export type KeyedAccount = {
  closed_at?: Date | null;
  /** In the transaction that makes its first key. */
  has_content_key?: true;
} | null;

/**
 * Whether an account has keys. A record that is absent is neither a new account nor a closed one unless
 * the account says so.
 * @param record read after the account; null without one
 */
export function statusOfKeys(
  account: KeyedAccount,
  record: { sealed_key: string | null } | null,
): 'present' | 'deleted' | 'missing' | 'none' {
  if (record !== null) return record.sealed_key === null ? 'deleted' : 'present';
  if (account?.closed_at) return 'deleted';
  return account === null || account.has_content_key ? 'missing' : 'none';
}

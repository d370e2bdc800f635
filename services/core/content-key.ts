/**
 * The key that encrypts what the emails of one account contain, where `ENCRYPT_CONTENT` is on. It is
 * plain data: threads get it with the email.
 */
export type ContentKey = {
  /** Says which key has encrypted something, and nothing about the key. Eight hexadecimal digits. */
  id: string;
  bytes: Uint8Array;
};

/** What to tell when the key was deleted. */
export const CONTENT_UNREADABLE =
  'the content of the email cannot be decrypted: the key of its account was deleted';

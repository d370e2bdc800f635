/**
 * A backup whose bytes are encrypted, as it is stored in a bucket. AES-256-CTR with a key and a nonce that HKDF
 * derives from the first key of SECRET_KEYS and the salt of the file, so no pair is used twice. It keeps the content
 * from who can read the bucket. Changes are found by the HMAC inside (backup-file.ts).
 *
 *     magic, salt (32 bytes), check of the key (16 bytes), encrypted bytes
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { PassThrough, type Writable } from 'node:stream';

import { BackupFault } from './entry-file.ts';

const MAGIC = Buffer.from('inlet-backup-aes256ctr-1\n');
const SALT_BYTES = 32;
const CHECK_BYTES = 16;
const KEY_BYTES = 32;
const NONCE_BYTES = 16;
const HEAD_BYTES = MAGIC.byteLength + SALT_BYTES + CHECK_BYTES;
const ALGORITHM = 'aes-256-ctr';

type Keys = { key: Buffer; nonce: Buffer; check: Buffer };

function derived(secret: Buffer, salt: Buffer): Keys {
  const length = KEY_BYTES + NONCE_BYTES + CHECK_BYTES;
  const bytes = Buffer.from(hkdfSync('sha256', secret, salt, 'inlet backup encryption', length));
  const [key, rest] = [bytes.subarray(0, KEY_BYTES), bytes.subarray(KEY_BYTES)];
  return { key, nonce: rest.subarray(0, NONCE_BYTES), check: rest.subarray(NONCE_BYTES) };
}

async function* encrypted(
  content: AsyncIterable<Uint8Array>,
  secret: Buffer,
): AsyncGenerator<Uint8Array> {
  const salt = randomBytes(SALT_BYTES);
  const { key, nonce, check } = derived(secret, salt);
  yield Buffer.concat([MAGIC, salt, check]);
  const cipher = createCipheriv(ALGORITHM, key, nonce);
  for await (const piece of content) yield cipher.update(piece);
}

/**
 * What `write` writes, encrypted, and its result once the last byte was read. Both fail together.
 * @param secret the first of SECRET_KEYS encrypts
 */
export function encryptedOutput<T>(
  write: (output: Writable) => Promise<T>,
  [secret]: readonly Buffer[],
): { content: AsyncIterable<Uint8Array>; written: Promise<T> } {
  if (!secret) throw new BackupFault('set SECRET_KEYS');
  const output = new PassThrough();
  const written = write(output);
  written.then(
    () => output.end(),
    (error: Error) => output.destroy(error),
  );
  return { content: encrypted(output, secret), written };
}

/** Also yields a file that is not encrypted, as it is. @throws BackupFault when none of the keys is that of the file */
export async function* decrypted(
  content: AsyncIterable<Uint8Array>,
  secrets: readonly Buffer[],
): AsyncGenerator<Uint8Array> {
  let head = Buffer.alloc(0);
  let decipher: ReturnType<typeof createDecipheriv> | undefined;
  let isPlain = false;
  for await (const piece of content) {
    if (decipher) yield decipher.update(piece);
    else if (isPlain) yield piece;
    else {
      head = Buffer.concat([head, piece]);
      isPlain = !MAGIC.subarray(0, head.byteLength).equals(head.subarray(0, MAGIC.byteLength));
      if (isPlain) yield head;
      else if (head.byteLength >= HEAD_BYTES) {
        decipher = decipherOf(head, secrets);
        yield decipher.update(head.subarray(HEAD_BYTES));
      }
    }
  }
  if (!decipher && !isPlain) yield head; // too short for a backup, which its reader says
}

function decipherOf(head: Buffer, secrets: readonly Buffer[]) {
  const salt = head.subarray(MAGIC.byteLength, MAGIC.byteLength + SALT_BYTES);
  const check = head.subarray(MAGIC.byteLength + SALT_BYTES, HEAD_BYTES);
  const keys = secrets
    .map((secret) => derived(secret, salt))
    .find((one) => one.check.equals(check));
  if (keys) return createDecipheriv(ALGORITHM, keys.key, keys.nonce);
  throw new BackupFault(
    'the backup is encrypted with a key that SECRET_KEYS does not have. Restore the Secret with the keys first',
  );
}

/** The sizes that decide which path an email takes. */
import { splitMail } from './raw-mail.ts';

/**
 * A worker thread handles larger emails from start to finish. This thread handles the others: with
 * any content they take a few milliseconds.
 */
export const LARGE_FROM_BYTES = 256 * 1024;

/**
 * Headers cost up to a hundred times as much as bodies of their size; with more of them, an email
 * is large.
 */
const LARGE_HEAD_FROM_BYTES = 16 * 1024;

/** Reads no more of the email than needed: its head may be all of it. */
export const isLarge = (mail: Buffer): boolean =>
  mail.byteLength > LARGE_FROM_BYTES ||
  splitMail(mail.subarray(0, LARGE_HEAD_FROM_BYTES + 1)).head.byteLength > LARGE_HEAD_FROM_BYTES;

/** Larger payloads go to the object bucket. The event then names the object (claim check). */
export const INLINE_PAYLOAD_MAX_BYTES = 512 * 1024;

/** Reads a mail as far as all its payloads need it: parsed, encoded once, and with its digest. */
import { digestOfRaw } from '../core/mail-event.ts';
import { encodeMail, type MailEncoding } from '../core/payload-bytes.ts';
import { parseMail } from './mime.ts';

export type MailReading = MailEncoding & { /** Digest of the mail as it came. */ rawDigest: string };

/** @param kept the mail under our trace headers, @param rawBytes how many of its last bytes came so, @param nonce see {@link encodeMail} */
export async function readMail(kept: Buffer, rawBytes: number, nonce?: string): Promise<MailReading> {
  return { ...encodeMail(await parseMail(kept), nonce), rawDigest: digestOfRaw(asItCame(kept, rawBytes)) };
}

export const asItCame = (kept: Buffer, rawBytes: number): Buffer => kept.subarray(kept.byteLength - rawBytes);

/**
 * Links to files of an email and to invoices. Until a link expires, its signature replaces a token,
 * so that a browser can open it.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

import { AppError } from '../error/app-error.ts';

/** Attachments are numbered from 0, in the order of the payload. */
export type LinkedFile = 'raw' | `attachments/${number}`;

type SignedPath = {
  /** Below the root of the API. */
  path: string;
  /** In whole seconds, rounded down. */
  expires: Date;
};

/** The query of a link. */
export const SignedLink = z.strictObject({
  expires: z.int().min(0).describe('Unix time at which the link expires'),
  signature: z.string().describe('HMAC of the link, in hex'),
});

export const filePath = (eventId: string, file: LinkedFile) => `/files/${eventId}/${file}`;
export const invoicePath = (invoiceId: string) => `/invoice-files/${invoiceId}`;

export const INVOICE_LINK_MS = 24 * 3_600_000;

/** The key of links to invoices, made from a key of SECRET_KEYS, which every API process has. */
export const invoiceLinkKey = (secretKey: Uint8Array): Uint8Array =>
  createHmac('sha256', secretKey).update('inlet invoice links').digest();

/** @param baseUrl root of the API, without a slash at its end */
export function signedLink({
  baseUrl,
  key,
  ...signed
}: SignedPath & { baseUrl: string; key: Uint8Array }): string {
  const signature = signatureOf(signed, key).toString('hex');
  return `${baseUrl}${signed.path}?expires=${unixSeconds(signed.expires)}&signature=${signature}`;
}

/** @throws AppError `forbidden` unless one of the keys signed this path, and the link has not expired */
export function requireSignature(
  path: string,
  { expires, signature }: z.output<typeof SignedLink>,
  keys: readonly Uint8Array[],
  now: Date,
): void {
  const link = { path, expires: new Date(expires * 1000), signature, keys, now };
  if (!signatureHolds(link)) throw new AppError('forbidden', 'This link is invalid or has expired');
}

export function signatureHolds({
  signature,
  keys,
  now,
  ...signed
}: SignedPath & { signature: string; keys: readonly Uint8Array[]; now: Date }): boolean {
  if (!/^[0-9a-f]{64}$/.test(signature)) return false;
  const given = Buffer.from(signature, 'hex');
  const isSigned = keys
    .map((key) => timingSafeEqual(signatureOf(signed, key), given))
    .includes(true); // tries every key, so that the time reveals nothing
  return isSigned && signed.expires > now;
}

const signatureOf = ({ path, expires }: SignedPath, key: Uint8Array): Buffer =>
  createHmac('sha256', key)
    .update(`inlet file link\n${path}\n${unixSeconds(expires)}`)
    .digest();

const unixSeconds = (date: Date) => Math.floor(date.getTime() / 1000);

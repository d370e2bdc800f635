/** Links to the PDFs of invoices, which a browser can open without a token. */
import { createHmac } from 'node:crypto';

import { signatureHolds, signedLink } from '../signed-link.ts';

const LIFETIME_MS = 24 * 3_600_000;

/** The key of these links, made from a key of SECRET_KEYS, which every API process has. */
export const invoiceLinkKey = (secretKey: Uint8Array): Uint8Array =>
  createHmac('sha256', secretKey).update('inlet invoice links').digest();

/** @param baseUrl root of the API, without a slash at its end */
export const invoiceLink = (
  invoiceId: string,
  { baseUrl, key, now }: { baseUrl: string; key: Uint8Array; now: Date },
): string =>
  signedLink({
    path: pathOf(invoiceId),
    baseUrl,
    key,
    expires: new Date(now.getTime() + LIFETIME_MS),
  });

export const invoiceLinkHolds = (
  invoiceId: string,
  link: { expires: Date; signature: string; keys: readonly Uint8Array[]; now: Date },
): boolean => signatureHolds({ path: pathOf(invoiceId), ...link });

const pathOf = (invoiceId: string) => `/invoice-files/${invoiceId}`;

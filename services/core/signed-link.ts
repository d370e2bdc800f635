/** Links below the API root whose signature replaces a token until they expire. */
import { createHmac, timingSafeEqual } from 'node:crypto';

type SignedPath = {
  /** Below the root of the API, such as `/files/evt_1/raw`. */
  path: string;
  /** In whole seconds, rounded down. */
  expires: Date;
};

/** @param baseUrl root of the API, without a slash at its end */
export function signedLink({
  baseUrl,
  key,
  ...signed
}: SignedPath & { baseUrl: string; key: Uint8Array }): string {
  const signature = signatureOf(signed, key).toString('hex');
  return `${baseUrl}${signed.path}?expires=${unixSeconds(signed.expires)}&signature=${signature}`;
}

/** Whether one of the keys signed this path, and the link has not expired. */
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

/**
 * Links to the raw email of an event and to its attachments. Until a link expires, its signature
 * replaces a token.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Attachments are numbered from 0, in the order of the payload. */
export type LinkedFile = 'raw' | `attachments/${number}`;

type Linked = {
  eventId: string;
  file: LinkedFile;
  /** In whole seconds, rounded down. */ expires: Date;
};

/** @param baseUrl root of the API, without a slash at its end */
export function fileLink({
  baseUrl,
  key,
  ...linked
}: Linked & { baseUrl: string; key: Uint8Array }): string {
  const signature = signatureOf(linked, key).toString('hex');
  return `${baseUrl}${pathOf(linked)}?expires=${unixSeconds(linked.expires)}&signature=${signature}`;
}

/** Whether one of the keys signed this link, and it has not expired. */
export function linkHolds({
  signature,
  keys,
  now,
  ...linked
}: Linked & { signature: string; keys: readonly Uint8Array[]; now: Date }): boolean {
  if (!/^[0-9a-f]{64}$/.test(signature)) return false;
  const given = Buffer.from(signature, 'hex');
  const isSigned = keys
    .map((key) => timingSafeEqual(signatureOf(linked, key), given))
    .includes(true); // tries every key, so that the time reveals nothing
  return isSigned && linked.expires > now;
}

const pathOf = ({ eventId, file }: Pick<Linked, 'eventId' | 'file'>) => `/files/${eventId}/${file}`;

const signatureOf = (linked: Linked, key: Uint8Array): Buffer =>
  createHmac('sha256', key)
    .update(`inlet file link\n${pathOf(linked)}\n${unixSeconds(linked.expires)}`)
    .digest();

const unixSeconds = (date: Date) => Math.floor(date.getTime() / 1000);

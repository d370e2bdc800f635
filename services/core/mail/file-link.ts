/** Links to the raw mail of an event and to its attachments. The signature stands in for a token, until the link's time is over. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Attachments are counted from 0, in the order of the payload. */
export type LinkedFile = 'raw' | `attachments/${number}`;

type Linked = {
  eventId: string;
  file: LinkedFile;
  /** In whole seconds: fractions are cut. */ expires: Date;
};

/** @param baseUrl root of the API, without a slash at its end */
export function fileLink({
  baseUrl,
  key,
  ...linked
}: Linked & { baseUrl: string; key: Uint8Array }): string {
  return `${baseUrl}${pathOf(linked)}?expires=${unixSeconds(linked.expires)}&signature=${signatureOf(linked, key).toString('hex')}`;
}

/** Whether one of the keys has signed this link, and its time is not over. */
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
    .includes(true); // every key is tried: time tells nothing
  return isSigned && linked.expires > now;
}

const pathOf = ({ eventId, file }: Pick<Linked, 'eventId' | 'file'>) => `/files/${eventId}/${file}`;

const signatureOf = (linked: Linked, key: Uint8Array): Buffer =>
  createHmac('sha256', key)
    .update(`inlet file link\n${pathOf(linked)}\n${unixSeconds(linked.expires)}`)
    .digest();

const unixSeconds = (date: Date) => Math.floor(date.getTime() / 1000);

/**
 * Links to the raw email of an event and to its attachments. Until a link expires, its signature
 * replaces a token.
 */
import { signatureHolds, signedLink } from '../signed-link.ts';

/** Attachments are numbered from 0, in the order of the payload. */
export type LinkedFile = 'raw' | `attachments/${number}`;

type Linked = {
  eventId: string;
  file: LinkedFile;
  /** In whole seconds, rounded down. */
  expires: Date;
};

/** @param baseUrl root of the API, without a slash at its end */
export const fileLink = ({
  eventId,
  file,
  ...link
}: Linked & { baseUrl: string; key: Uint8Array }): string =>
  signedLink({ path: pathOf(eventId, file), ...link });

/** Whether one of the keys signed this link, and it has not expired. */
export const linkHolds = ({
  eventId,
  file,
  ...link
}: Linked & { signature: string; keys: readonly Uint8Array[]; now: Date }): boolean =>
  signatureHolds({ path: pathOf(eventId, file), ...link });

const pathOf = (eventId: string, file: LinkedFile) => `/files/${eventId}/${file}`;

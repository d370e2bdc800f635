/** What the record of an email says that waits for a consumer. */
import type { MailEvent } from './mail-event.ts';

/** What consumers see of an email that they have not ended. */
export type Unread = {
  /** From when on it can be leased. Of a leased one: when the lease ends. */
  at: Date;
  /** Length of the payload. */
  bytes: number;
  /** It ends as failed then. Absent in records of earlier releases, whose messages wait in the RETRY lane. */
  until?: Date;
  /** Absent unless a consumer has it. */
  lease?: { id: string; since: Date };
};

/**
 * The email becomes one that consumers ask for. What they hold already, they keep.
 * @param keptMs how long FAILED stores its content
 */
export function unreadFrom(
  { payload_bytes: bytes }: Pick<MailEvent, 'payload_bytes'>,
  before: Unread | undefined,
  now: Date,
  keptMs: number,
): Unread & { until: Date } {
  return { ...(before ?? { at: now, bytes }), until: new Date(now.getTime() + keptMs) };
}

/** The end of a tenth of that time is near: an operator is alerted (InletAddressesUnhealthy). */
export const unreadSoon = (now: Date, keptMs: number): Date =>
  new Date(now.getTime() + keptMs / 10);

export const isSameLease = (one: Unread | undefined, other: Unread | undefined): boolean =>
  one?.at.getTime() === other?.at.getTime() && one?.lease?.id === other?.lease?.id;

/** The texts of the 250 after DATA. They name events, by which the sender's log leads to a delivery. */

import type { SmtpReply } from './smtp-reply.ts';

/** An event that was stored, and the address that it is for. */
type Stored = readonly { eventId: string; addressId: string }[];

const storedAs = (eventId: string | undefined): string => `OK: stored as ${eventId}`;

/** SMTP has one reply for all recipients. */
export function storedText(events: Stored): string {
  const others = events.length > 1 ? ` and ${events.length - 1} more` : '';
  return `${storedAs(events[0]?.eventId)}${others}`;
}

/**
 * LMTP has one reply for each accepted RCPT, in their order (RFC 2033 §4.2): the text of a 250, or a
 * refusal. Several of them may name the same address.
 */
export function repliesByRcpt(
  events: Stored,
  refused: readonly { addressId: string; reply: SmtpReply }[],
  addressIds: readonly string[],
): (string | SmtpReply)[] {
  const byAddress = new Map(events.map(({ addressId, eventId }) => [addressId, eventId]));
  const refusals = new Map(refused.map(({ addressId, reply }) => [addressId, reply]));
  return addressIds.map((id) => refusals.get(id) ?? storedAs(byAddress.get(id)));
}

/** The event that such a text names. */
export const eventIn = (text: string): string | undefined => /\b(evt_\w+)/.exec(text)?.[1];

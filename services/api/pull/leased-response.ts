/** The response with leased emails: payloads as they are stored, at most 4 MiB, without parsing them. */
import type { UnreadEmail } from '../../adapters/mongo/delivery/leases.ts';
import type { ApiStore } from '../content/store-for-api.ts';
import { attemptCount } from '../../core/delivery/delivery.ts';
import { lastAttemptFacts } from '../../core/delivery/last-attempt.ts';
import { leaseIdOf } from '../../core/pull/lease.ts';
import { NOT_SHOWN, type View } from '../http/view.ts';
import { storableJson } from '../../core/text/text.ts';
import { timestamp } from '../../core/time/timestamp.ts';
import {
  type AttemptFacts,
  growthBytes,
  streamOfAttempt,
} from '../../core/webhook/payload-bytes.ts';

export const RESPONSE_MAX_BYTES = 4 * 1024 * 1024;
/** The size of what a response has for each email in addition to its payload. */
const BESIDE_BYTES = 512;
/** Requests to NATS in flight for one response. */
const TOGETHER = 8;

/** An email with its payload: null if that is too large, undefined if it is no longer stored. */
type Read<Payload> = { leased: UnreadEmail; payload: Payload };

/** The payload of the attempt that the lease is. */
const factsOf = (one: UnreadEmail): AttemptFacts => ({
  ...lastAttemptFacts(one),
  retryCount: attemptCount(one),
});

const payloadBytes = (one: UnreadEmail): number => one.unread.bytes + growthBytes(factsOf(one));

/** It is fetched on its own. */
const isTooLarge = (one: UnreadEmail): boolean =>
  payloadBytes(one) + BESIDE_BYTES > RESPONSE_MAX_BYTES;

/** The first ones, as many as fit. At least one. */
export function takeFitting(emails: readonly UnreadEmail[]): UnreadEmail[] {
  let total = 0;
  const over = emails.findIndex((one, index) => {
    total += BESIDE_BYTES + (isTooLarge(one) ? 0 : payloadBytes(one));
    return index > 0 && total > RESPONSE_MAX_BYTES;
  });
  return over === -1 ? [...emails] : emails.slice(0, over);
}

/** @throws AppError `unavailable` when NATS is */
export async function readLeased(
  store: Pick<ApiStore, 'payload'>,
  emails: readonly UnreadEmail[],
): Promise<Read<Buffer | null | undefined>[]> {
  const payloadOf = async (one: UnreadEmail) => {
    if (isTooLarge(one)) return null;
    const stored = await store.payload(one, NOT_SHOWN); // writeLeased shows it
    if (stored === undefined) return undefined;
    return Buffer.concat(await Array.fromAsync(streamOfAttempt(stored.chunks, factsOf(one))));
  };
  const readOne = async (leased: UnreadEmail) => ({ leased, payload: await payloadOf(leased) });
  const read: Read<Buffer | null | undefined>[] = [];
  for (let from = 0; from < emails.length; from += TOGETHER)
    read.push(...(await Promise.all(emails.slice(from, from + TOGETHER).map(readOne))));
  return read;
}

/** @param _view of all of them */
export function writeLeased(emails: readonly Read<Buffer | null>[], _view: View): Buffer {
  const pieces = emails.flatMap(({ leased, payload }, index) => {
    const head = {
      lease_id: leaseIdOf(leased.event_id, leased.unread),
      leased_until: timestamp(leased.unread.at),
      event_id: leased.event_id,
      retry_count: attemptCount(leased),
      payload_bytes: payloadBytes(leased),
    };
    const before = `${index === 0 ? '' : ','}${storableJson(head).slice(0, -1)},"payload":`;
    return [before, payload ?? 'null', '}'];
  });
  return Buffer.concat(['{"data":[', ...pieces, ']}'].map((piece) => Buffer.from(piece)));
}

/** Writes the response with leased emails: payloads as they are stored, without parsing them. */
import type { Offered } from '../../adapters/mongo/delivery/offers.ts';
import type { ReplayStore } from '../../adapters/stream/replay.ts';
import { leaseIdOf } from '../../core/pull/lease.ts';
import { timestamp } from '../../core/timestamp.ts';
import { streamOfAttempt } from '../../core/webhook/payload-bytes.ts';
import { attemptCount } from '../../core/delivery/delivery.ts';
import { factsOf, isTooLarge, payloadBytes } from './response-size.ts';
import { storableJson } from '../../core/text.ts';

/** Requests to NATS in flight for one response. */
const TOGETHER = 8;

/** An email with its payload, or without one that is too large or no longer stored. */
type Read = { leased: Offered; payload: Buffer | 'too_large' | 'gone' };

/** @throws AppError `unavailable` when NATS is */
export async function readLeased(
  store: Pick<ReplayStore, 'payload'>,
  leased: readonly Offered[],
): Promise<Read[]> {
  const read: Read[] = [];
  for (let from = 0; from < leased.length; from += TOGETHER)
    read.push(
      ...(await Promise.all(
        leased.slice(from, from + TOGETHER).map(async (one) => ({
          leased: one,
          payload: await payloadOf(store, one),
        })),
      )),
    );
  return read;
}

async function payloadOf(store: Pick<ReplayStore, 'payload'>, one: Offered) {
  if (isTooLarge(one)) return 'too_large' as const;
  const stored = await store.payload(one);
  if (stored === undefined) return 'gone' as const;
  return Buffer.concat(await Array.fromAsync(streamOfAttempt(stored.chunks, factsOf(one))));
}

export function writeLeased(emails: readonly Read[]): Buffer {
  const pieces: Buffer[] = [];
  const write = (text: string) => pieces.push(Buffer.from(text));
  write('{"data":[');
  for (const [index, { leased, payload }] of emails.entries()) {
    const { event_id, offer } = leased;
    const head = {
      lease_id: leaseIdOf(event_id, offer.lease?.id ?? ''),
      leased_until: timestamp(offer.at),
      event_id,
      retry_count: attemptCount(leased),
      payload_bytes: payloadBytes(leased),
    };
    write(`${index === 0 ? '' : ','}${storableJson(head).slice(0, -1)},"payload":`);
    if (typeof payload === 'string') write('null');
    else pieces.push(payload);
    write('}');
  }
  write(']}');
  return Buffer.concat(pieces);
}

/**
 * `max_per_hour` of addresses (D60): counts the emails that this gateway has stored for each, and adds
 * what other gateways report. Memory is bounded: addresses without email for longest are dropped first.
 */
import { LRUCache } from 'lru-cache';

import type { SourceCountsExchange } from '../../adapters/messages/source-counts.ts';
import type { Recipient } from '../../core/address/recipient.ts';
import {
  countIn,
  countOne,
  emptyWindow,
  type SlidingWindow,
  type WindowRule,
} from '../../core/smtp/sliding-window.ts';
import { SmtpRefusal, tooManyForAddress } from '../../core/smtp/smtp-reply.ts';
import { REPORTED_SHARE } from '../../core/smtp/source-limits.ts';
import type { Receive } from '../receive/received-mail.ts';
import { createCountsElsewhere, REPORT_EVERY_MS } from './counts-elsewhere.ts';

type Limited = Pick<Recipient, 'id' | 'max_per_hour'>;

export type AddressLimiter = Disposable & {
  /** RCPT. @throws SmtpRefusal when the address has had as many emails as it accepts */
  check(recipient: Limited): void;
  /**
   * The same function, which counts what it stores. @throws SmtpRefusal when every recipient has had
   * as many emails as it accepts: there is one reply for all
   */
  counted(receive: Receive): Receive;
};

const HOUR_MS = 3_600_000;
const MAX_ADDRESSES = 50_000;

type Counted = { limit: number; window: SlidingWindow };

const hourly = (limit: number): WindowRule => ({ limit, windowMs: HOUR_MS });

/** @param nowMs a monotonic clock */
export function createAddressLimiter(
  others: SourceCountsExchange,
  nowMs: () => number,
): AddressLimiter {
  const addresses = new LRUCache<string, Counted>({ max: MAX_ADDRESSES });
  /** Emails whose DATA has ended and that are not stored yet. */
  const inProgress = new Map<string, number>();
  const elsewhere = createCountsElsewhere(others, nowMs);

  const countHere = ({ limit, window }: Counted) => countIn(window, hourly(limit), nowMs());
  const isReached = ({ id, max_per_hour: limit }: Limited): boolean => {
    if (limit === undefined) return false;
    const known = addresses.get(id);
    const here = (known ? countHere(known) : 0) + (inProgress.get(id) ?? 0);
    return here + elsewhere(id, 0) >= limit;
  };
  const count = (id: string, limit: number) => {
    const { window } = addresses.get(id) ?? { window: emptyWindow() };
    addresses.set(id, { limit, window });
    countOne(window, hourly(limit), nowMs());
  };
  const addInProgress = (id: string, change: number) => {
    const after = (inProgress.get(id) ?? 0) + change;
    if (after === 0) inProgress.delete(id);
    else inProgress.set(id, after);
  };

  const reporting = setInterval(() => {
    const lines = [...addresses].flatMap(([id, one]) => {
      const counted = countHere(one);
      const share = counted / one.limit;
      return share >= REPORTED_SHARE
        ? [{ share, line: [id, [counted]] as [string, number[]] }]
        : [];
    });
    if (lines.length > 0)
      others.report(lines.toSorted((a, b) => b.share - a.share).map(({ line }) => line));
  }, REPORT_EVERY_MS);
  reporting.unref();

  return {
    check: (recipient) => {
      if (isReached(recipient)) throw new SmtpRefusal(tooManyForAddress);
    },
    counted: (receive) =>
      async function receiveCounted(mail, client) {
        const recipients = mail.recipients.map(({ recipient }) => recipient);
        if (recipients.length > 0 && recipients.every(isReached))
          throw new SmtpRefusal(tooManyForAddress);
        const limits = new Map(
          recipients.flatMap(({ id, max_per_hour: limit }) =>
            limit === undefined ? [] : [[id, limit] as const],
          ),
        );
        for (const id of limits.keys()) addInProgress(id, 1);
        try {
          const stored = await receive(mail, client);
          for (const { addressId, isRepeat } of stored.events) {
            const limit = limits.get(addressId);
            if (limit !== undefined && !isRepeat) count(addressId, limit);
          }
          return stored;
        } finally {
          for (const id of limits.keys()) addInProgress(id, -1);
        }
      },
    [Symbol.dispose]: () => clearInterval(reporting),
  };
}

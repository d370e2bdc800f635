/** `max_per_hour` of addresses (D60), over all gateways: window-counts.ts counts their emails. */
import type { CountsExchange } from '../../adapters/messages/gateway-counts.ts';
import type { Recipient } from '../../core/address/recipient.ts';
import type { RefusedRecipient } from '../../core/refusal/decided-by.ts';
import { SmtpRefusal, tooManyForAddress } from '../../core/smtp/smtp-reply.ts';
import type { Receive } from '../receive/received-mail.ts';
import { createWindowCounts } from './window-counts.ts';

type Limited = Pick<Recipient, 'id' | 'max_per_hour'>;

export type AddressLimiter = Disposable & {
  /** RCPT. @throws SmtpRefusal when the address has had as many emails as it accepts */
  check(recipient: RefusedRecipient & Limited): void;
  /**
   * The same function, which counts what it stores. @throws SmtpRefusal when every recipient has had
   * as many emails as it accepts: there is one reply for all
   */
  counted(receive: Receive): Receive;
};

const HOUR_MS = 3_600_000;
const MAX_ADDRESSES = 50_000;

/** What is counted of an address: emails of the last hour, and those that are not stored yet. */
const STORED = 0;
const IN_PROGRESS = 1;
const WINDOWS_MS = [HOUR_MS, 0] as const;

/** @param nowMs a monotonic clock */
export function createAddressLimiter(others: CountsExchange, nowMs: () => number): AddressLimiter {
  const counts = createWindowCounts(
    { maxKeys: MAX_ADDRESSES, windowsMs: WINDOWS_MS },
    others,
    nowMs,
  );
  const isReached = ({ id, max_per_hour: limit }: Limited): boolean =>
    limit !== undefined && counts.everywhere(id, STORED) + counts.here(id, IN_PROGRESS) >= limit;

  return {
    check: (recipient) => {
      if (isReached(recipient)) throw new SmtpRefusal(tooManyForAddress, { recipient });
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
        for (const [id, limit] of limits) counts.add(id, IN_PROGRESS, [limit]);
        try {
          const stored = await receive(mail, client);
          for (const { addressId, isRepeat } of stored.events) {
            const limit = limits.get(addressId);
            if (limit !== undefined && !isRepeat) counts.add(addressId, STORED, [limit]);
          }
          return stored;
        } finally {
          for (const id of limits.keys()) counts.remove(id, IN_PROGRESS);
        }
      },
    [Symbol.dispose]: () => counts[Symbol.dispose](),
  };
}

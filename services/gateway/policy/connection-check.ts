/**
 * The policy for one connection: the limits of its source, and blocklists. Both are checked before
 * a recipient is looked up, so these replies do not show which addresses exist.
 */
import { isRoleAddress } from '../../core/mail/fields/email-address.ts';
import type { Recipient } from '../../core/address/recipient.ts';
import { noSuchAddress, SmtpRefusal } from '../../core/smtp/smtp-reply.ts';
import type { GatewayMetrics } from '../process/metrics.ts';
import type { AddressLimiter } from './address-limits.ts';
import type { AskBlocklists } from './dnsbl.ts';
import type { AdmitRecipient } from './recipient.ts';
import type { SourceLimiter } from './source-limits.ts';

/** Disposed when its connection closes. */
export type ConnectionPolicy = Disposable & {
  /** MAIL. @throws SmtpRefusal */
  checkMail(): void;
  /** RCPT. @throws SmtpRefusal, or any other error when the recipient cannot be checked now */
  checkRecipient(named: string): Promise<Recipient>;
};

/** The policy for a new connection from this address. @throws SmtpRefusal */
export type CheckConnection = (address: string) => ConnectionPolicy;

export function createCheckConnection({
  limiter,
  addressLimiter,
  askBlocklists,
  admitRecipient,
  metrics,
}: {
  limiter: Pick<SourceLimiter, 'countConnection'>;
  addressLimiter: Pick<AddressLimiter, 'check'>;
  askBlocklists: AskBlocklists;
  admitRecipient: AdmitRecipient;
  metrics: Pick<GatewayMetrics, 'recipientDecided'>;
}): CheckConnection {
  return function checkConnection(address) {
    const connection = limiter.countConnection(address);
    const listing = askBlocklists(address); // usually answered before the first RCPT
    return {
      checkMail: () => connection.countMessage(),
      checkRecipient: async function checkRecipient(named) {
        connection.checkUnknown();
        const reply = await listing;
        // a source that is listed by mistake can still write to the postmaster, RFC 5321 §4.5.1
        if (reply !== undefined && !isRoleAddress(named)) throw new SmtpRefusal(reply);
        const startedMs = performance.now();
        try {
          const recipient = await admitRecipient(named);
          addressLimiter.check(recipient);
          return recipient;
        } catch (error) {
          if (error instanceof SmtpRefusal && error.reply === noSuchAddress)
            connection.countUnknown();
          throw error;
        } finally {
          metrics.recipientDecided(performance.now() - startedMs);
        }
      },
      [Symbol.dispose]: () => connection[Symbol.dispose](),
    };
  };
}

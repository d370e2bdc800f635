/** What every connection passes: the limits of its source, and blocklists. Both are settled before a recipient is looked up, so their answers tell nothing of addresses. */
import type { Recipient } from '../../core/smtp/admission.ts';
import { isRoleAddress } from '../../core/mail/email-address.ts';
import { noSuchAddress, SmtpRefusal } from '../../core/smtp/smtp-reply.ts';
import type { AskBlocklists } from './dnsbl.ts';
import type { AdmitRecipient } from './recipient.ts';
import type { SourceLimiter } from './source-limits.ts';

/** One connection; disposed when it closes. */
export type Guest = Disposable & {
  /** MAIL. @throws SmtpRefusal */
  startMessage(): void;
  /** RCPT. @throws SmtpRefusal */
  admitRecipient: AdmitRecipient;
};

export type Door = {
  /** Begins a connection from this address. @throws SmtpRefusal */
  enter(address: string): Guest;
};

export function createDoor({
  limiter,
  askBlocklists,
  admitRecipient,
}: {
  limiter: SourceLimiter;
  askBlocklists: AskBlocklists;
  admitRecipient: AdmitRecipient;
}): Door {
  return {
    enter: function enter(address) {
      const visit = limiter.enter(address);
      const listing = askBlocklists(address); // answered by the time of RCPT, mostly
      return {
        startMessage: () => visit.startMessage(),
        admitRecipient: async function admitGuestsRecipient(named): Promise<Recipient> {
          visit.startRecipient();
          const reply = await listing;
          if (reply !== undefined && !isRoleAddress(named)) throw new SmtpRefusal(reply); // who is listed by mistake can still write to the postmaster, RFC 5321 §4.5.1
          try {
            return await admitRecipient(named);
          } catch (error) {
            if (error instanceof SmtpRefusal && error.reply === noSuchAddress)
              visit.recipientIsUnknown();
            throw error;
          }
        },
        [Symbol.dispose]: () => visit[Symbol.dispose](),
      };
    },
  };
}

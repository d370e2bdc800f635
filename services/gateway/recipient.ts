/** RCPT: whether we take mail for a recipient. After the 250 to DATA there is no bounce, so every refusal of an address falls here. */
import type { Directory } from '../adapters/address-directory.ts';
import type { Quota } from '../adapters/quotas.ts';
import { type Recipient, refusalOf } from '../core/admission.ts';
import { normaliseAddress } from '../core/email-address.ts';
import { badAddress, SmtpRefusal } from '../core/smtp-reply.ts';

/**
 * The address that a RCPT command names.
 * @throws SmtpRefusal when mail for it is not taken; any other error when that cannot be known now
 */
export type AdmitRecipient = (text: string) => Promise<Recipient>;

export function createAdmitRecipient(addresses: Directory<Recipient>, quotas: Directory<Quota>, clock: () => Date): AdmitRecipient {
  return async function admitRecipient(text) {
    const normalised = normaliseAddress(text);
    if (normalised === undefined) throw new SmtpRefusal(badAddress);
    const recipient = await addresses.get(normalised);
    const quota = recipient && (await quotas.get(recipient.account_id));
    const reply = refusalOf({ recipient, isQuotaSpent: quota?.isSpent ?? false, now: clock() });
    if (reply !== undefined || recipient === undefined) throw new SmtpRefusal(reply ?? badAddress);
    return recipient;
  };
}

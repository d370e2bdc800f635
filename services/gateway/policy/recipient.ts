/** RCPT: whether we take mail for a recipient. After the 250 to DATA there is no bounce, so every refusal of an address falls here. */
import type { Directory } from '../../platform/address-directory.ts';
import type { Quota } from '../../platform/quotas.ts';
import { type Recipient, refusalOf } from '../../core/smtp/admission.ts';
import { isRoleAddress, normaliseAddress } from '../../core/mail/email-address.ts';
import { type Candidate, candidatesFor, takesPart } from '../../core/account/resolution.ts';
import { badAddress, SmtpRefusal } from '../../core/smtp/smtp-reply.ts';

/**
 * The address that a RCPT command names.
 * @throws SmtpRefusal when mail for it is not taken; any other error when that cannot be known now
 */
export type AdmitRecipient = (text: string) => Promise<Recipient>;

/** Who reads the mail to the postmaster, and of what is abused, of domains that have no such address of their own (RFC 5321 §4.5.1, RFC 2142 §4). */
export type Roles = { address: string; serves(domain: string): Promise<boolean> };

/** @param addresses by the text that they are stored under, so that the change of an address is a change of that one text, whoever it caught mail for */
export function createAdmitRecipient(
  addresses: Directory<Recipient>,
  quotas: Directory<Quota>,
  roles: Roles | undefined,
  clock: () => Date,
): AdmitRecipient {
  const resolve = async (candidates: readonly Candidate[]): Promise<Recipient | undefined> => {
    const asked = candidates.map(async ({ key, plusTag }) => {
      const recipient = await addresses.get(key);
      return recipient && plusTag !== undefined ? { ...recipient, plus_tag: plusTag } : recipient;
    });
    void Promise.allSettled(asked); // what comes after the one that takes the mail need not be known
    let first: Recipient | undefined;
    let failure: { error: unknown } | undefined;
    for (const [i, { key }] of candidates.entries()) {
      try {
        const recipient = await asked[i];
        if (recipient && takesPart(recipient, clock())) return recipient;
        first ??= recipient;
      } catch (error) {
        if (!addresses.wasUnknown(key)) throw error;
        failure ??= { error }; // with MongoDB away, a catch-all that is known still takes its mail; but nobody is refused on hearsay
      }
    }
    if (failure) throw failure.error;
    return first;
  };

  /** The candidates in the place of a role that nobody has taken on; `postmaster` without a domain is ours. */
  const inRole = async (text: string): Promise<Candidate[] | undefined> => {
    if (!isRoleAddress(text) || roles === undefined) return undefined;
    const domain = normaliseAddress(text)?.split('@').at(-1);
    return domain === undefined || (await roles.serves(domain))
      ? candidatesFor(roles.address)
      : undefined;
  };

  return async function admitRecipient(text) {
    const candidates = candidatesFor(text) ?? (isBareRole(text) ? [] : undefined);
    if (candidates === undefined) throw new SmtpRefusal(badAddress);
    const named = await resolve(candidates);
    const role = named && takesPart(named, clock()) ? undefined : await inRole(text);
    const recipient = role ? await resolve(role) : named;
    const facts = { recipient, now: clock() };
    const quota =
      recipient && refusalOf(facts) === undefined
        ? await quotas.get(recipient.account_id)
        : undefined; // who is refused anyway hears it as fast as of an unknown address
    const reply = refusalOf({ ...facts, isQuotaSpent: quota?.isSpent ?? false });
    if (reply !== undefined || recipient === undefined) throw new SmtpRefusal(reply ?? badAddress);
    return recipient;
  };
}

const isBareRole = (text: string): boolean => isRoleAddress(text) && !text.includes('@');

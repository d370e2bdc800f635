/**
 * Whose refusal it is when RCPT found no address, or was refused before it looked: the account of the
 * address, or that of a verified domain. What belongs to nobody, such as an attempt to relay, is in
 * the metrics only.
 */
import type { Recipient } from '../../core/address/recipient.ts';
import { candidatesFor } from '../../core/address/resolution.ts';
import { domainOf, type RefusalOwner } from '../../core/refusal/refusal.ts';
import { badAddress, noSuchAddress } from '../../core/smtp/smtp-reply.ts';
import type { Directory } from '../../platform/address-directory.ts';

/** @param reason the name of the reply */
export type FindOwner = (mailbox: string, reason: string) => Promise<RefusalOwner | undefined>;

export const ownerOf = ({
  id: address_id,
  account_id,
  environment,
  address: name,
  redact,
}: Pick<Recipient, 'id' | 'account_id' | 'environment' | 'address' | 'redact'>): RefusalOwner => ({
  account_id,
  environment,
  address_id,
  name,
  redact,
});

/** RCPT looked for these and found no address. */
const LOOKED_FOR: ReadonlySet<string> = new Set([noSuchAddress.name, badAddress.name]);

export function createFindOwner(
  addresses: Pick<Directory<Recipient>, 'get'>,
  domainOwner: (domain: string) => Promise<RefusalOwner | undefined>,
): FindOwner {
  return async function findOwner(mailbox, reason) {
    const candidates = LOOKED_FOR.has(reason) ? [] : (candidatesFor(mailbox) ?? []);
    for (const { key } of candidates) {
      const recipient = await addresses.get(key);
      if (recipient?.deleted_at === null) return ownerOf(recipient);
    }
    const domain = domainOf(mailbox);
    return domain === '' ? undefined : domainOwner(domain);
  };
}

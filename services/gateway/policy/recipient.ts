/**
 * RCPT: whether Inlet accepts mail for a recipient. It never sends bounces, so addresses are
 * refused here, before DATA.
 */
import type { Directory } from '../../platform/address-directory.ts';
import type { KeyToSeal } from '../../platform/content-keys.ts';
import type { ListsInUse } from '../../platform/list/lists-of-expressions.ts';
import { expressionsOf, type Recipient } from '../../core/address/recipient.ts';
import { refusalOf } from '../../core/smtp/admission.ts';
import { isRoleAddress, normaliseAddress } from '../../core/mail/fields/email-address.ts';
import { type Candidate, candidatesFor, takesPart } from '../../core/address/resolution.ts';
import { badAddress, SmtpRefusal, tryLater } from '../../core/smtp/smtp-reply.ts';
import type { CheckReply } from './reply-check.ts';

/**
 * The recipient that a RCPT command names.
 * @throws SmtpRefusal when mail for it is refused; any other error when that cannot be decided now
 */
export type AdmitRecipient = (text: string) => Promise<Recipient>;

/**
 * The address that gets mail to postmaster@ and abuse@ of domains that have no such address
 * (RFC 5321 §4.5.1, RFC 2142 §4).
 */
export type Roles = { address: string; serves(domain: string): Promise<boolean> };

type RecipientAdmissionDependencies = {
  /** By stored text, so that a change of an address invalidates one entry, also for a catch-all. */
  addresses: Directory<Recipient>;
  quotas: Directory<{ isSpent: boolean }>;
  listsInUse: ListsInUse;
  /** undefined when contents are not encrypted. */
  keyToSeal: KeyToSeal | undefined;
  checkReply: CheckReply;
  roles: Roles | undefined;
  /** False while this process must not accept email: the sender keeps it. */
  canWork: () => boolean;
};

export function createAdmitRecipient(
  {
    addresses,
    quotas,
    listsInUse,
    keyToSeal,
    checkReply,
    roles,
    canWork,
  }: RecipientAdmissionDependencies,
  clock: () => Date,
): AdmitRecipient {
  const resolve = async (candidates: readonly Candidate[]): Promise<Recipient | undefined> => {
    const lookups = candidates.map(async ({ key, plusTag }) => {
      const recipient = await addresses.get(key);
      return recipient && plusTag !== undefined ? { ...recipient, plus_tag: plusTag } : recipient;
    });
    void Promise.allSettled(lookups); // those after the first match are not awaited
    let first: Recipient | undefined;
    let failure: { error: unknown } | undefined;
    for (const [i, { key }] of candidates.entries()) {
      try {
        const recipient = await lookups[i];
        if (recipient && takesPart(recipient, clock())) return recipient;
        first ??= recipient;
      } catch (error) {
        if (!addresses.wasUnknown(key)) throw error;
        // without MongoDB, a cached catch-all still receives; if there is none, this error is
        // thrown
        failure ??= { error };
      }
    }
    if (failure) throw failure.error;
    return first;
  };

  /**
   * The candidates for a role address that does not exist; `postmaster` without a domain is ours.
   */
  const roleCandidates = async (text: string): Promise<Candidate[] | undefined> => {
    if (!isRoleAddress(text) || roles === undefined) return undefined;
    const domain = normaliseAddress(text)?.split('@').at(-1);
    return domain === undefined || (await roles.serves(domain))
      ? candidatesFor(roles.address)
      : undefined;
  };

  /** The lists that rules and filters of its email name, and that exist. */
  const withLists = async (recipient: Recipient): Promise<Recipient> => {
    const inUse = await listsInUse(recipient.account_id, expressionsOf(recipient));
    return inUse.size === 0 ? recipient : { ...recipient, lists: inUse };
  };

  const withKey = async (recipient: Recipient): Promise<Recipient> =>
    keyToSeal === undefined
      ? recipient
      : { ...recipient, content_key: await keyToSeal(recipient.account_id) };

  return async function admitRecipient(text) {
    if (!canWork()) throw new SmtpRefusal(tryLater);
    const candidates = candidatesFor(text) ?? (isBareRole(text) ? [] : undefined);
    if (candidates === undefined) throw new SmtpRefusal(badAddress);
    const named = await resolve(candidates);
    const role = named && takesPart(named, clock()) ? undefined : await roleCandidates(text);
    const found = role ? await resolve(role) : named;
    const recipient = found && checkReply(found, clock());
    const facts = { recipient, now: clock() };
    const quota =
      recipient && refusalOf(facts) === undefined
        ? await quotas.get(recipient.account_id)
        : undefined; // a refused address must not take longer than an unknown one
    const reply = refusalOf({ ...facts, isQuotaSpent: quota?.isSpent ?? false });
    if (reply !== undefined || recipient === undefined)
      throw new SmtpRefusal(reply ?? badAddress, { recipient });
    return withKey(await withLists(recipient));
  };
}

const isBareRole = (text: string): boolean => isRoleAddress(text) && !text.includes('@');

/** The fields of an address that refuse email after DATA. core/rules/built-in-rules.ts evaluates them. */
import type { StoredAllowedAttachments } from './allowed-attachments.ts';
import type { StoredAllowedSenders } from './allowed-senders.ts';

export type RefusingFields = {
  /** Whose setting refuses email that contains malware; absent when it is accepted. */
  refuse_infected?: 'account' | 'address';
  /** Absent when email of everybody is accepted. */
  allowed_senders?: StoredAllowedSenders;
  /** Absent when all attachments are accepted. */
  allowed_attachments?: StoredAllowedAttachments;
  /** Spam score above which email is refused; absent for never. */
  spam_refuse_above?: number;
};

/** As records have them; null or absent: not set. */
type StoredFields = {
  refuse_infected?: boolean | null | undefined;
  allowed_senders?: StoredAllowedSenders | null | undefined;
  allowed_attachments?: StoredAllowedAttachments | null | undefined;
  spam_refuse_above?: number | null | undefined;
};

/** The fields of an address that are set, with what it takes over from its account. */
export function refusingFields(
  address: StoredFields | undefined,
  account: Pick<StoredFields, 'refuse_infected'> | undefined,
): RefusingFields {
  const { allowed_senders, allowed_attachments, spam_refuse_above } = address ?? {};
  const own = address?.refuse_infected ?? undefined;
  return {
    ...((own ?? account?.refuse_infected) && {
      refuse_infected: own === undefined ? ('account' as const) : ('address' as const),
    }),
    ...(allowed_senders && { allowed_senders }),
    ...(allowed_attachments && { allowed_attachments }),
    ...(typeof spam_refuse_above === 'number' && { spam_refuse_above }),
  };
}

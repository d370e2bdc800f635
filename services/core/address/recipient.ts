/** The address that an email is for: what RCPT decides by, and what happens to its email. */
import type { ContentKey } from '../secret/content-key.ts';
import type { Redactable } from './content-settings.ts';
import type { CheckedTag } from '../reply/reply-address.ts';
import type { ReplyKeyGenerations } from '../reply/reply-key.ts';
import type { ExpectedBy } from './expectation.ts';
import type { Hook } from '../hook/hook.ts';
import type { PayloadSettings } from '../receiver/payload-settings.ts';
import { type AtRcpt, atRcpt } from '../resource/rcpt.ts';
import { ADDRESS_FIELDS } from './address-fields.ts';
import type { Rule } from '../rule/rule.ts';
import type { WebhookFormat } from '../receiver/webhook-format.ts';

/** The settings of an address that may refuse email; absent for their defaults. */
export type RefusingFields = AtRcpt<typeof ADDRESS_FIELDS> & {
  /** Whose setting refuses email that contains malware; absent when it is accepted. */
  refuse_infected?: 'account' | 'address';
};

/** As documents have it; null or absent: not set. */
type StoredInfected = { refuse_infected?: boolean | null | undefined };

/** The fields of an address that are set, with what it takes over from its account. */
export function refusingFields(
  address: StoredInfected = {},
  account: StoredInfected = {},
): RefusingFields {
  const own = address.refuse_infected ?? undefined;
  return {
    ...atRcpt(ADDRESS_FIELDS, address),
    ...((own ?? account.refuse_infected) && {
      refuse_infected: own === undefined ? ('account' as const) : ('address' as const),
    }),
  };
}

/** A resolved address. RCPT needs the first fields, and the end of DATA the others. */
export type Recipient = RefusingFields & {
  id: string;
  account_id: string;
  environment: 'live' | 'test';
  address: string;
  is_enabled: boolean;
  expires_at: Date | null;
  deleted_at: Date | null;
  /** Absent unless the account is suspended. */
  is_suspended?: true;
  /**
   * The text after the plus in the sender's spelling; absent without a plus, or when the address's
   * own name has it.
   */
  plus_tag?: string;
  /** Absent unless reply addresses are turned on. */
  replies?: ReplyKeyGenerations & { only: boolean };
  /** What the tag of this recipient proves; absent unless reply addresses are turned on. */
  reply?: CheckedTag;
  /** Absent for the default payload. */
  payload?: PayloadSettings;
  /** Rules of its account; absent for none. */
  account_rules?: readonly Rule[];
  /** Asked after the rules: the address's own, or its account's; absent for none. */
  hook?: Hook;
  /** Email that the address expects; absent for none. */
  expects?: ExpectedBy;
  /** Entries of the lists that its rules and filters name, by name; absent for none. */
  lists?: ReadonlyMap<string, ReadonlySet<string>>;
  /** Why no email is sent to the first receiver; absent when it is. */
  unsent?: 'no_url' | 'disabled';
  /** Filter of the first receiver; absent for all email. */
  when?: string;
  /** The format of the first receiver's webhooks; absent for `inlet`. */
  format?: WebhookFormat;
  /** Further receivers of its email, without the first one; absent for none. */
  receivers?: readonly FurtherReceiver[] | undefined;
  /** Absent unless its account lets the text of emails be searched. */
  search_bodies?: true;
  /** Encrypts what is stored of its emails; absent when that is not encrypted. */
  content_key?: ContentKey;
  /** Absent when records and events may contain everything. */
  redact?: readonly Redactable[];
};

/** The expressions of its rules, its hook and its filters. */
export function expressionsOf(recipient: Recipient): string[] {
  const { account_rules = [], rules = [], hook, expects, receivers = [] } = recipient;
  const all = [...account_rules, ...rules, hook, expects, recipient, ...receivers];
  return all.flatMap((one) => one?.when ?? []);
}

/** A further receiver, as a gateway needs it. */
type FurtherReceiver = {
  id: string;
  payload: PayloadSettings;
  /** Filter; absent or null for all email. */
  when?: string | null;
  /** Absent for `inlet`. */
  format?: WebhookFormat | undefined;
};

/**
 * The search of deliveries: the terms of a record, which an index of MongoDB holds, and the terms
 * that a search asks for. Both are made here, by the same rules, so that they agree.
 */
import { z } from 'zod';

import { type AddressField, readAddressField } from '../mail/fields/address-field.ts';
import { asciiDomain, normaliseAddress } from '../mail/fields/email-address.ts';
import type { SearchableText } from '../mail/text-words.ts';
import { wordsOf } from '../mail/words.ts';
import { cutText } from '../text/text.ts';

const PROBLEMS = {
  spf: ['fail', 'softfail', 'neutral', 'temperror', 'permerror'],
  dkim: ['fail', 'policy', 'neutral', 'temperror', 'permerror'],
  dmarc: ['fail', 'temperror', 'permerror'],
} as const;

/**
 * What a search can name: the spam verdict, and results of authentication other than `pass` and
 * `none`. Those are so frequent that a search for them would only cost.
 */
export const VERDICTS: readonly string[] = [
  'spam',
  ...Object.entries(PROBLEMS).flatMap(([check, words]) => words.map((word) => `${check}=${word}`)),
];

/** What a gateway found out about an email. */
export const MailVerdict = z.object({
  spf: z.string(),
  dkim: z.string(),
  dmarc: z.string(),
  spam: z.enum(['spam', 'not_spam']),
});
export type MailVerdict = z.infer<typeof MailVerdict>;

/** The fields of a record that are searched. A field that a record omits cannot be found. */
export type Searchable = {
  /** Envelope sender. */
  mail_from: string;
  from: string | null;
  subject: string | null;
  /** Mailboxes that the sender named; absent for emails of earlier releases. */
  recipients?: readonly string[] | undefined;
  verdict?: MailVerdict | undefined;
  /** The conversation (thread.ts). */
  thread_id?: string | undefined;
  /** Added by rules. */
  tags?: readonly string[] | undefined;
  /** Absent for no attachment, and for emails of earlier releases. */
  has_attachments?: true | undefined;
};

export type DeliverySearch = {
  tag?: string | undefined;
  thread?: string | undefined;
  sender?: string | undefined;
  recipient?: string | undefined;
  subject?: string | undefined;
  text?: string | undefined;
  verdict?: readonly string[] | undefined;
  has?: 'attachment' | undefined;
};

/** The search of a record: its terms and the day of its receipt, by which the index is ordered. */
export type SearchKeys = {
  /** Days since 1970, in UTC. */
  day: number;
  terms: string[];
  /** When the terms of the text are removed; absent without any. */
  text_until?: Date;
};

const DAY_MS = 86_400_000;
const ADDRESS_MAX_CHARS = 128;
const SUBJECT_MAX_WORDS = 12;
const NAME_MAX_WORDS = 4;
const SENDERS_MAX = 3;
const RECIPIENTS_MAX = 5;
const PARENT_DOMAINS_MAX = 2;
/** Words of a search beyond this number do not count. */
const SEARCHED_MAX_WORDS = 8;

/** A shorter beginning of a word counts as a whole word: too many words have it. */
const BEGINNING_MIN_CHARS = 3;

/** No record has it: a search for a text without words finds nothing. */
const NO_TERM = '';

export const dayOf = (time: Date): number => Math.floor(time.getTime() / DAY_MS);

/** Begins the terms of the text. */
export const TEXT_TERM = 'text:';

/**
 * Each term costs every email an entry in an index: about twelve, and sixty at most. With the words
 * of its text, there are up to 3,000 more.
 */
export function searchKeys(
  record: Searchable,
  receivedAt: Date,
  text?: SearchableText,
): SearchKeys {
  const { from, mail_from, subject, recipients = [], verdict, thread_id, tags = [] } = record;
  const author = readAddressField(from ?? mail_from);
  const addresses = from ? author.mailboxes.map(({ address }) => address) : [];
  const senders = [mail_from, ...addresses].slice(0, SENDERS_MAX);
  const named = recipients.slice(0, RECIPIENTS_MAX);
  const terms = new Set([
    ...senders.flatMap((one) => mailboxTerms('from', one, PARENT_DOMAINS_MAX)),
    ...wordTerms('from', nameOf(author, from ?? mail_from), NAME_MAX_WORDS),
    ...named.flatMap((one) => mailboxTerms('to', one, 0)),
    ...named.flatMap((one) => wordTerms('to', localPartOf(one), NAME_MAX_WORDS)),
    ...wordTerms('subject', subject ?? '', SUBJECT_MAX_WORDS),
    ...problemsOf(verdict).map((problem) => `is:${problem}`),
    ...tags.map((tag) => `tag:${tag}`),
    ...(thread_id === undefined ? [] : [`thread:${thread_id}`]),
    ...(record.has_attachments ? ['has:attachment'] : []),
    ...(text?.words ?? []).map((word) => `${TEXT_TERM}${word}`),
  ]);
  return { day: dayOf(receivedAt), terms: [...terms], ...(text && { text_until: text.until }) };
}

/**
 * The terms that a record must have, all of them; undefined when nothing is searched. One that ends
 * with `*` is the beginning of a term: see {@link beginningIn}.
 */
export function searchedTerms(search: DeliverySearch): string[] | undefined {
  const { sender, recipient, subject, text, verdict = [], tag, thread, has } = search;
  const terms = [
    ...(sender === undefined ? [] : personTerms('from', sender)),
    ...(recipient === undefined ? [] : personTerms('to', recipient)),
    ...(subject === undefined ? [] : someTerms('subject', subject)),
    ...(text === undefined ? [] : someTerms('text', text)),
    ...verdict.map((one) => `is:${one}`),
    ...(tag === undefined ? [] : [`tag:${tag}`]),
    ...(thread === undefined ? [] : [`thread:${thread}`]),
    ...(has === undefined ? [] : [`has:${has}`]),
  ];
  return terms.length === 0 ? undefined : [...new Set(terms)];
}

const problemsOf = (verdict: MailVerdict | undefined): string[] =>
  verdict === undefined
    ? []
    : Object.entries(verdict)
        .map(([check, word]) => (check === 'spam' ? word : `${check}=${word}`))
        .filter((problem) => VERDICTS.includes(problem));

type Field = 'from' | 'to' | 'subject' | 'text';

/** An address, a domain with or without `@`, or words of a name or of a local part. */
function personTerms(field: Field, text: string): string[] {
  const plain = /<([^<>\s]+)>/.exec(text)?.[1] ?? text.trim();
  const address = normaliseAddress(plain);
  if (address !== undefined) return [`${field}:${cutText(address, ADDRESS_MAX_CHARS)}`];
  const domain =
    plain.startsWith('@') || plain.includes('.') ? asciiDomain(bare(plain)) : undefined;
  return domain === undefined
    ? someTerms(field, plain)
    : [`${field}:${cutText(`@${domain}`, ADDRESS_MAX_CHARS)}`];
}

const bare = (domain: string): string => domain.replace(/^@/, '').toLowerCase();

function someTerms(field: Field, text: string): string[] {
  const terms = text.split(/\s+/).flatMap((part) => {
    const words = wordTerms(field, part, SEARCHED_MAX_WORDS);
    const last = words.at(-1) ?? '';
    const isBeginning =
      part.endsWith('*') && last.length - `${field}:`.length >= BEGINNING_MIN_CHARS;
    return isBeginning ? [...words.slice(0, -1), `${last}*`] : words;
  });
  return terms.length === 0 ? [NO_TERM] : terms.slice(0, SEARCHED_MAX_WORDS);
}

/** The beginning that a term must have; undefined for a whole term. No term itself ends with `*`. */
export const beginningIn = (searched: string): string | undefined =>
  searched.endsWith('*') ? searched.slice(0, -1) : undefined;

const wordTerms = (field: Field, text: string, maxWords: number): string[] =>
  wordsOf(text, maxWords).map((word) => `${field}:${word}`);

/** The address, its domain, and parents of that, so that a company is found by its domain. */
function mailboxTerms(field: Field, mailbox: string, maxParents: number): string[] {
  const address = normaliseAddress(mailbox);
  if (address === undefined) return [];
  const labels = address.slice(address.lastIndexOf('@') + 1).split('.');
  const parents = Math.min(maxParents, Math.max(0, labels.length - 2)); // not the top-level domain
  const domains = Array.from({ length: parents + 1 }, (_, n) => labels.slice(n).join('.'));
  return [address, ...domains.map((domain) => `@${domain}`)].map(
    (term) => `${field}:${cutText(term, ADDRESS_MAX_CHARS)}`,
  );
}

const localPartOf = (mailbox: string): string =>
  mailbox.slice(0, Math.max(0, mailbox.lastIndexOf('@')));

/** The display names of a From header. Without one, the part of an address before the @. */
function nameOf({ entries, mailboxes }: AddressField, from: string): string {
  const names = [...entries, ...mailboxes]
    .map(({ name }) => name)
    .join(' ')
    .trim();
  return (names || (mailboxes[0]?.address ?? from)).replaceAll(/@[^\s<>,;"()]*/g, ' ');
}

/** Lists of senders that expressions of an account name: `sender in lists.partners` (D55). */
import { z } from 'zod';

import { EXAMPLE } from '../resource/api-reference.ts';
import { normalisedNetwork } from '../expression/listed-networks.ts';
import { normalisedSender } from '../mail/allowed-senders.ts';
import { description, descriptionText } from '../resource/description.ts';
import type { Fields } from '../resource/field.ts';
import { fixed } from '../resource/field-kinds.ts';
import type { NounOf } from '../resource/noun.ts';
import { IN_ACCOUNT, recordSchema } from '../resource/record.ts';
import type { Resource } from '../resource/resource.ts';
import { viewOf, viewSchema } from '../resource/view.ts';

export const LIST_ENTRIES_MAX = 10_000;
const LIST_ENTRY_MAX_CHARS = 320; // RFC 5321 §4.5.3.1

/** As an expression writes it after `lists.` */
const ListName = z
  .string()
  .regex(
    /^[a-z][a-z0-9_]{0,31}$/,
    'must be 1 to 32 of a-z, 0-9 and _, and begin with a letter: expressions use it as a name',
  );

const Entry = z.string().min(1).max(LIST_ENTRY_MAX_CHARS);
const Entries = z.array(Entry.meta({ format: 'sender' })).max(LIST_ENTRIES_MAX);
const ENTRIES =
  'addresses, domains (partner.example), their subdomains (*.partner.example), IP addresses and ' +
  'networks (203.0.113.0/24)';

const fields = {
  name: {
    ...fixed(ListName, 'unique in the account; expressions name it: lists.partners'),
    view: z.string().describe('in expressions: sender in lists.NAME'),
    spec: ListName.describe('unique in the account; expressions name it: sender in lists.NAME'),
    inEvents: 'every',
    example: 'partners',
  },
  description: {
    ...description,
    create: descriptionText.optional(),
    change: description.change.describe('free text; null for none'),
    example: 'Who may order by email',
  },
  entries: {
    record: z.array(z.string()).describe('normalized, each once'),
    create: Entries.optional().describe(`${ENTRIES}; default: none`),
    change: Entries.optional().describe(`replace all: ${ENTRIES}`),
    spec: z
      .array(Entry)
      .max(LIST_ENTRIES_MAX)
      .default([])
      .meta({ description: ENTRIES, 'x-kubernetes-list-type': 'atomic' }),
    default: [],
  },
  entry_count: { view: z.int(), inEvents: 'every', example: 2 },
  add: { change: Entries.optional().describe('entries to add') },
  remove: { change: Entries.optional().describe('entries to remove, after those to add') },
} as const satisfies Fields;

export const SENDER_LIST = {
  name: 'list',
  plural: 'lists',
  idPrefix: 'lst',
  owner: 'account',
  maximum: 20,
  fields,
} as const satisfies Resource;

export const SenderListRecord = recordSchema(IN_ACCOUNT, fields);
export type SenderListRecord = z.infer<typeof SenderListRecord>;

export type SenderListNoun = NounOf<typeof fields, SenderListRecord>;

/** Without its entries, which may be many. */
export type SenderListSummary = Omit<SenderListRecord, 'entries'> & { entry_count: number };

export const summaryOf = ({ entries, ...list }: SenderListRecord): SenderListSummary => ({
  ...list,
  entry_count: entries.length,
});

export const SenderListView = viewSchema('SenderList', EXAMPLE.list_id, fields);
export const senderListView = (list: SenderListSummary) => viewOf(fields, list);

/** What a request changes: all entries, or some. */
export type EntriesChange = Pick<SenderListNoun['Change'], 'entries' | 'add' | 'remove'>;

/**
 * The entries after a change, normalized and sorted. `invalid`: the field and place of a text that
 * is not an address, a domain, a `*.domain` or a network.
 */
export function changedEntries(
  before: readonly string[],
  { entries, add = [], remove = [] }: EntriesChange,
): { entries: string[] } | { invalid: string } {
  for (const [field, texts] of Object.entries({ entries: entries ?? [], add, remove })) {
    const at = texts.findIndex((text) => normalisedEntry(text) === undefined);
    if (at >= 0) return { invalid: `${field}.${at}` };
  }
  const after = new Set([...(entries ? normal(entries) : before), ...normal(add)]);
  for (const one of normal(remove)) after.delete(one);
  return { entries: [...after].toSorted() };
}

const normal = (texts: readonly string[]): string[] =>
  texts.flatMap((one) => normalisedEntry(one) ?? []);

/** A text such as `203.0.113.7` could be read as a domain. */
const normalisedEntry = (text: string): string | undefined =>
  normalisedNetwork(text) ?? normalisedSender(text);

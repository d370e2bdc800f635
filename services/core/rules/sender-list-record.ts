/** Lists of senders that expressions of an account name: `sender in lists.partners` (D55). */
import { z } from 'zod';

import { ManagedBy, ManagedByView, managedByView } from '../managed-by.ts';
import { describeSchema, EXAMPLE } from '../api-reference.ts';
import { normalisedSender } from '../mail/allowed-senders.ts';
import { Timestamp, timestamp } from '../timestamp.ts';

/** The most lists that an account can have. */
export const LISTS_MAX = 20;
export const LIST_ENTRIES_MAX = 10_000;
export const LIST_ENTRY_MAX_CHARS = 320; // RFC 5321 §4.5.3.1

/** As an expression writes it after `lists.` */
export const ListName = z.string().regex(/^[a-z][a-z0-9_]{0,31}$/);

export const SenderListRecord = z.object({
  id: z.string(),
  account_id: z.string(),
  name: ListName,
  description: z.string().nullable(),
  entries: z.array(z.string()).describe('normalized, each once'),
  managed_by: ManagedBy.optional().describe('absent for one created through the API'),
  created_at: z.date(),
  updated_at: z.date(),
});
export type SenderListRecord = z.infer<typeof SenderListRecord>;

export type NewSenderList = Pick<SenderListRecord, 'name' | 'managed_by'> & {
  description?: string | null | undefined;
  entries?: readonly string[] | undefined;
};

/** Without its entries, which may be many. */
export type SenderListSummary = Omit<SenderListRecord, 'entries'> & { entry_count: number };

export const SenderListView = z.object({
  id: z.string(),
  name: z.string().describe('in expressions: sender in lists.NAME'),
  description: z.string().nullable(),
  entry_count: z.int(),
  created_at: Timestamp,
  updated_at: Timestamp,
  managed_by: ManagedByView.nullable().describe(
    'the Kubernetes resource that owns it; changes must be made there; null when there is none',
  ),
});
export type SenderListView = z.infer<typeof SenderListView>;
describeSchema(SenderListView, 'SenderList', {
  id: EXAMPLE.list_id,
  name: 'partners',
  description: 'Who may order by email',
  entry_count: 2,
  created_at: EXAMPLE.created_at,
  updated_at: EXAMPLE.created_at,
  managed_by: null,
});

export const senderListView = (list: SenderListSummary): SenderListView => ({
  id: list.id,
  name: list.name,
  description: list.description,
  entry_count: list.entry_count,
  created_at: timestamp(list.created_at),
  updated_at: timestamp(list.updated_at),
  managed_by: managedByView(list.managed_by),
});

/** What a request changes: all entries, or some. `remove` is applied after `add`. */
export type EntriesChange = {
  entries?: readonly string[] | undefined;
  add?: readonly string[] | undefined;
  remove?: readonly string[] | undefined;
};

/**
 * The entries after a change, normalized and sorted. `invalid`: the field and place of a text that
 * is no address, no domain and no `*.domain`.
 */
export function changedEntries(
  before: readonly string[],
  { entries, add = [], remove = [] }: EntriesChange,
): { entries: string[] } | { invalid: string } {
  const fields = Object.entries({ entries: entries ?? [], add, remove });
  for (const [field, texts] of fields) {
    const at = texts.findIndex((text) => normalisedSender(text) === undefined);
    if (at >= 0) return { invalid: `${field}.${at}` };
  }
  const after = new Set([...(entries ? normal(entries) : before), ...normal(add)]);
  for (const one of normal(remove)) after.delete(one);
  return { entries: [...after].toSorted() };
}

const normal = (texts: readonly string[]): string[] =>
  texts.flatMap((one) => normalisedSender(one) ?? []);

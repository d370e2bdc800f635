/**
 * Sender lists on their way to a content thread. A list has up to 10,000 entries, so its text is in
 * memory that the threads share, and each thread reads it once.
 */
import { LRUCache } from 'lru-cache';

import type { Recipient } from '../../core/address/recipient.ts';

type Entries = ReadonlySet<string>;
type SharedList = { id: number; text: Uint8Array };
/** A recipient, or what is needed of one. */
type WithLists<List> = { lists?: ReadonlyMap<string, List> };
export type SentRecipient = Omit<Recipient, 'lists'> & WithLists<SharedList>;

/** Bytes of the lists that a thread keeps as sets, which take a few times as much. */
const KEPT_MAX_BYTES = 8 * 1024 * 1024;

/** In the main thread, whose cache has each list as one object until it changes. */
export function createSendLists(): <Rest>(
  recipient: Rest & WithLists<Entries>,
) => Omit<Rest, 'lists'> & WithLists<SharedList> {
  const sent = new WeakMap<Entries, SharedList>();
  let nextId = 0;
  const share = (entries: Entries): SharedList => {
    const known = sent.get(entries);
    if (known) return known;
    const bytes = Buffer.from([...entries].join('\n'));
    const text = new Uint8Array(new SharedArrayBuffer(bytes.byteLength));
    text.set(bytes);
    const shared = { id: nextId++, text };
    sent.set(entries, shared);
    return shared;
  };
  return ({ lists, ...recipient }) =>
    lists
      ? { ...recipient, lists: new Map([...lists].map(([name, list]) => [name, share(list)])) }
      : recipient;
}

/** In a content thread. */
export function createReadLists(): <Rest>(
  recipient: Rest & WithLists<SharedList>,
) => Omit<Rest, 'lists'> & WithLists<Entries> {
  const read = new LRUCache<number, Entries>({ maxSize: KEPT_MAX_BYTES });
  const entriesOf = ({ id, text }: SharedList): Entries => {
    const known = read.get(id);
    if (known) return known;
    const entries = new Set(Buffer.from(text).toString().split('\n'));
    read.set(id, entries, { size: text.byteLength + 1 });
    return entries;
  };
  return ({ lists, ...recipient }) =>
    lists
      ? { ...recipient, lists: new Map([...lists].map(([name, list]) => [name, entriesOf(list)])) }
      : recipient;
}

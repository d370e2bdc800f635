/**
 * Merges refusals until they are written. Anybody can cause refusals, so it is bounded: kinds of an
 * address in an hour, and kinds in memory. Pure: the time is an argument.
 */
import {
  furtherKind,
  hourOf,
  type Kind,
  kindOf,
  type Refusal,
  refusalId,
  refusalOf,
  type RefusedOnce,
  together,
} from './refusal.ts';

/** More kinds of one address, or of one domain's unknown mailboxes, are one record. */
export const KINDS_OF_ADDRESS = 200;
/** So that who floods one account takes no room of another. */
export const KINDS_OF_ACCOUNT = 2_000;
export const KINDS_IN_MEMORY = 10_000;

export type RefusalBuffer = {
  /** @param count equal ones @returns false when there is no room for them */
  add(once: RefusedOnce, now: Date, count?: number): boolean;
  /** What was added since the last call, one record for each kind. */
  take(): Refusal[];
  /** What `take` returned and nobody could write. Returns for how many refusals there is no room. */
  putBack(records: readonly Refusal[]): number;
};

export function createRefusalBuffer({
  ofAddress = KINDS_OF_ADDRESS,
  ofAccount = KINDS_OF_ACCOUNT,
  inMemory = KINDS_IN_MEMORY,
} = {}): RefusalBuffer {
  let hour = 0;
  let kinds = 0;
  /** The id of each kind of this hour, by address or domain. */
  const known = new Map<string, Map<string, string>>();
  const kindsOf = new Map<string, number>(); // by account
  let pending = new Map<string, Refusal>();

  /** The id of the kind, if there is room for it. */
  const idOf = (once: RefusedOnce, kind: Kind, now: Date, further = 0): string | undefined => {
    const { account_id, environment, address_id, name } = once.owner;
    const group = address_id ?? [account_id, environment, name].join(' ');
    const ids = known.get(group) ?? new Map<string, string>();
    const key = [kind.mailbox, kind.mail_from, kind.from, kind.reason].join('\n');
    const id = ids.get(key);
    if (id !== undefined) return id;
    const ofThis = kindsOf.get(account_id) ?? 0;
    // an account that has no room left still counts for each of some addresses
    const isFull = ids.size >= ofAddress + further || ofThis >= ofAccount + further * ofAddress;
    if (isFull || kinds >= inMemory) return undefined;
    const made = refusalId(once.owner, kind, now);
    ids.set(key, made);
    known.set(group, ids);
    kinds += 1;
    kindsOf.set(account_id, ofThis + 1);
    return made;
  };

  const place = (once: RefusedOnce, now: Date): { id: string; kind: Kind } | undefined => {
    const kind = kindOf(once);
    const id = idOf(once, kind, now);
    if (id !== undefined) return { id, kind };
    const further = furtherKind(once.owner);
    const itsId = idOf(once, further, now, 1);
    return itsId === undefined ? undefined : { id: itsId, kind: further };
  };

  return {
    add: (once, now, count = 1) => {
      const at = hourOf(now).getTime();
      if (at !== hour) {
        [hour, kinds] = [at, 0];
        known.clear();
        kindsOf.clear();
      }
      const placed = place(once, now);
      if (placed === undefined) return false;
      const { id, kind } = placed;
      const before = pending.get(id);
      if (!before && pending.size >= inMemory) return false; // those of the last hour are not written
      // the first email describes the kind until it is written: a flood costs no more than a count
      if (before) [before.count, before.last_at] = [before.count + count, now];
      else pending.set(id, { ...refusalOf(once, kind, now), count });
      return true;
    },

    take: () => {
      const taken = [...pending.values()];
      pending = new Map();
      return taken;
    },

    putBack: (records) => {
      let left = 0;
      for (const record of records) {
        const newer = pending.get(record.id);
        if (newer) pending.set(record.id, together(record, newer));
        else if (pending.size < inMemory) pending.set(record.id, record);
        else left += record.count;
      }
      return left;
    },
  };
}

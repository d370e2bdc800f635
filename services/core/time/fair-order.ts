/**
 * What is next when much waits for a thread: the work of the holders that used the least CPU time
 * lately (D301). A holder is the network of a client, or an account. An email waits by both, so neither
 * a stranger nor the account that it attacks delays others.
 */

/**
 * The CPU time that each holder used, in memory that threads share: it outlives a thread. A holder has
 * a cell in each row, by its hash, and counts as the lower one: two holders seldom share both cells.
 */
export type CpuUse = Float64Array;

/** One holder, or a client's network followed by the accounts of the recipients. */
export type Holders = readonly string[];

const ROWS = 2;
const CELLS = 8_192;
/** After a minute, a sixteenth counts. */
const HALVES_MS = 15_000;
const SEED = 0;
const HEAD = 1;

/** @param seed random: nobody can choose a name that shares its cells with another one */
export function newCpuUse(seed: number): CpuUse {
  const bytes = (HEAD + ROWS * CELLS * 2) * Float64Array.BYTES_PER_ELEMENT;
  const use = new Float64Array(new SharedArrayBuffer(bytes));
  use[SEED] = seed;
  return use;
}

/** The index of its CPU time in each row. When that was written follows it. */
function cellsOf(use: CpuUse, holder: string): number[] {
  let hash = (use[SEED] ?? 0) | 0; // FNV-1a
  for (let i = 0; i < holder.length; i++) hash = Math.imul(hash ^ holder.charCodeAt(i), 16_777_619);
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return [hash, mixed].map(
    (one, row) => HEAD + (row * CELLS + ((one ^ (one >>> 13)) & (CELLS - 1))) * 2,
  );
}

const usedAt = (use: CpuUse, cell: number, nowMs: number): number => {
  const agoMs = Math.max(0, nowMs - (use[cell + 1] ?? 0));
  return (use[cell] ?? 0) * 2 ** (-agoMs / HALVES_MS);
};

function add(use: CpuUse, holder: string, cpuMs: number, nowMs: number): void {
  for (const cell of cellsOf(use, holder)) {
    use[cell] = usedAt(use, cell, nowMs) + cpuMs;
    use[cell + 1] = nowMs;
  }
}

/** Each of several accounts has its part: an email that names them all was read once. */
export function addUse(use: CpuUse, holders: Holders, cpuMs: number, nowMs: number): void {
  for (const [i, holder] of holders.entries())
    add(use, holder, i === 0 ? cpuMs : cpuMs / (holders.length - 1), nowMs);
}

/** What waits, by its holders; that of the same holders in the order of its arrival. */
export type FairLine<Item> = {
  /** Returns its place. */
  add(holders: Holders, item: Item): Place<Item>;
  /** The place of the holders that used the least CPU time. */
  first(nowMs: number): Place<Item> | undefined;
  remove(place: Place<Item>): void;
};

export type Place<Item> = { item: Item; group: Group<Item> };
type Group<Item> = { key: string; cells: number[][]; places: Place<Item>[] };

/** @param use without it, all wait in the order of their arrival */
export function createFairLine<Item>(use: CpuUse | undefined): FairLine<Item> {
  const groups = new Map<string, Group<Item>>();

  const usedBy = ({ cells: [source, ...accounts] }: Group<Item>, nowMs: number): number => {
    const used = (cells: number[] = []) =>
      use && cells.length > 0 ? Math.min(...cells.map((cell) => usedAt(use, cell, nowMs))) : 0;
    return used(source) + Math.max(0, ...accounts.map(used));
  };

  return {
    add: (holders, item) => {
      const key = use ? holders.join(' ') : '';
      const cells = () => (use ? holders.map((holder) => cellsOf(use, holder)) : []);
      const group = groups.get(key) ?? { key, cells: cells(), places: [] };
      const place = { item, group };
      group.places.push(place);
      groups.set(key, group);
      return place;
    },
    first: (nowMs) => {
      let [least, best]: [number, Group<Item> | undefined] = [Infinity, undefined];
      for (const group of groups.values()) {
        const used = groups.size === 1 ? 0 : usedBy(group, nowMs);
        if (used < least) [least, best] = [used, group];
      }
      return best?.places[0];
    },
    remove: (place) => {
      const { key, places } = place.group;
      const at = places.indexOf(place);
      if (at !== -1) places.splice(at, 1);
      if (places.length === 0) groups.delete(key);
    },
  };
}

/**
 * Divides what a dispatcher has among accounts (docs/architecture.md, Isolation). An account may
 * hold as much of something as is free. So one busy account gets a half, two get a third each, and
 * so on: some is always free for an account that has nothing yet, without knowing who will need it.
 */

/**
 * Something that accounts share: slots of a lane, attempts of failing addresses, or bytes in
 * flight.
 */
export type Shared = {
  capacity: number;
  /** What all accounts hold together. */
  used: number;
};

/**
 * Whether an account that holds `mine` may take `amount` more. An account without any may take what
 * is free. An amount above the capacity may be taken alone.
 */
export function mayTake({ capacity, used }: Shared, mine: number, amount = 1): boolean {
  if (used === 0) return true;
  const free = capacity - used;
  return amount <= free && (mine === 0 || mine + amount <= free);
}

/** The most that an account which holds `mine` can reach while others keep what they have. */
export const fairShare = ({ capacity, used }: Shared, mine: number): number =>
  Math.max(1, Math.floor((capacity - used + mine) / 2));

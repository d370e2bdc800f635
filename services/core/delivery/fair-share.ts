/**
 * Divides what a dispatcher has among accounts (docs/architecture.md, Isolation). An account may
 * hold as much of something as is free. So one busy account gets a half, two get a third each, and
 * so on, without knowing who will need it. An account whose attempts end soon gets more. Accounts
 * that only hang and arrive one after another would take a half of the rest each, until nothing is
 * left. So the last eighth is only for accounts that have nothing yet.
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

/** Of the capacity, for accounts that hold nothing. */
const RESERVE = 1 / 8;

/**
 * Whether an account that holds `mine` may take `amount` more. An account without any may take what
 * is free. An amount above the capacity may be taken alone.
 * @param endsSoon the account soon gives back what it takes: alone it may take two thirds
 */
export function mayTake(
  { capacity, used }: Shared,
  mine: number,
  amount = 1,
  endsSoon = false,
): boolean {
  if (used === 0) return true;
  const free = capacity - used;
  if (mine === 0) return amount <= free;
  const shared = free - capacity * RESERVE;
  if (endsSoon) return mine + amount <= 4 * shared; // the factor makes two thirds
  // The factor keeps shares equal when the reserve is near. Four accounts and more notice it.
  return mine + amount <= Math.min(free, 2 * shared);
}

/** The most that an account which holds `mine` can reach while others keep what they have. */
export function fairShare({ capacity, used }: Shared, mine: number): number {
  const left = capacity - used + mine;
  return Math.max(1, Math.floor(Math.min(left / 2, (2 / 3) * (left - capacity * RESERVE))));
}

/** What each account holds of slots, payload bytes and other things that all accounts share. */
import { type Claim, mayTake, newClaim, type SharedLimit } from '../../core/delivery/claim.ts';

export function createAccountClaims() {
  /** An account that holds nothing has no claim. */
  const accounts = new Map<string, Map<SharedLimit, Claim>>();

  const claimOf = (accountId: string, shared: SharedLimit): Claim =>
    accounts.get(accountId)?.get(shared) ?? newClaim(1);

  const setClaim = (accountId: string, shared: SharedLimit, claim: Claim): void => {
    const claims = accounts.get(accountId) ?? new Map<SharedLimit, Claim>();
    if (claim.held > 0) claims.set(shared, claim);
    else claims.delete(shared);
    if (claims.size > 0) accounts.set(accountId, claims);
    else accounts.delete(accountId);
  };

  /** @returns the function that releases it */
  const take = (accountId: string, shared: SharedLimit, amount: number): (() => void) => {
    const add = (change: number) => {
      const claim = claimOf(accountId, shared);
      shared.used += change;
      setClaim(accountId, shared, { ...claim, held: claim.held + change });
    };
    add(amount);
    return () => add(-amount);
  };

  /** @returns what gives it back, any number of times; undefined when the account has its share */
  const holdSlot = (accountId: string, slots: SharedLimit): (() => void) | undefined => {
    if (!mayTake(slots, claimOf(accountId, slots).held)) return undefined;
    const release = take(accountId, slots, 1);
    let isHeld = true;
    return () => {
      if (isHeld) release();
      isHeld = false;
    };
  };

  return { claimOf, setClaim, take, holdSlot };
}

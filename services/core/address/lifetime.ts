/** How long an address receives email. */
import type { AddressChange } from './address.ts';

const HOUR_MS = 3_600_000;

/** Fields of a creation that set the lifetime of the address (spec 4.1). */
export type Lifetime = { is_permanent?: boolean | undefined; ttl_hours?: number | undefined };

export const ttlContradicts = ({ is_permanent, ttl_hours }: Lifetime): boolean =>
  is_permanent === true && ttl_hours !== undefined; // D6

/** When an address that is created now expires (D6); null for never. */
export function expiryOf(
  { is_permanent, ttl_hours }: Lifetime,
  defaultTtlHours: number,
  now: Date,
): Date | null {
  if (is_permanent !== false && ttl_hours === undefined) return null;
  return new Date(now.getTime() + (ttl_hours ?? defaultTtlHours) * HOUR_MS);
}

/** The change that a PATCH with these fields asks for; `ttl_hours` counts from now (D33). */
export function lifetimeChange(
  { is_permanent, ttl_hours }: Lifetime,
  now: Date,
): Pick<AddressChange, 'is_permanent' | 'expires_at'> {
  if (ttl_hours !== undefined)
    return { is_permanent: false, expires_at: new Date(now.getTime() + ttl_hours * HOUR_MS) };
  return is_permanent === true ? { is_permanent: true, expires_at: null } : {};
}

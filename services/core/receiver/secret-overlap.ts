/** The overlap after a rotation of a webhook secret: former secrets also sign for a while (D17). */
import { Timestamp, timestamp } from '../time/timestamp.ts';

/** How long a former secret signs in addition to the new one (D17): a day to replace it in every receiver. */
export const ROTATION_OVERLAP_MS = 86_400_000;

export const FormerSecretsValidUntil = Timestamp.nullable().describe(
  'until then a former secret also signs, after a rotation; null when none does',
);

export function formerSecretsValidUntil(
  former: readonly { valid_until: Date }[] = [],
  now: Date,
): string | null {
  const last = Math.max(...former.map(({ valid_until: until }) => until.getTime()));
  return last > now.getTime() ? timestamp(new Date(last)) : null;
}

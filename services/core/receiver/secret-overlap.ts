/** The overlap after a rotation of a webhook secret: former secrets also sign for a while (D17). */
import { Timestamp, timestamp } from '../timestamp.ts';

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

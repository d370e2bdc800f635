/** Timestamps in API objects and payloads: ISO 8601 in UTC with whole seconds (spec section 2). */
import { z } from 'zod';

/** `2026-11-21T08:00:00Z`; fractions of a second are dropped. */
export function timestamp(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

export const TIMESTAMP_TEXT = 'must be a time in UTC, such as 2027-01-31T00:00:00Z';

export const Timestamp = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, TIMESTAMP_TEXT)
  .meta({ format: 'date-time', description: 'ISO 8601 in UTC, whole seconds' });

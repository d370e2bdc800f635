/** Why a receiver counts as failing, and the change of its credentials that may have caused it (D284). */
import { z } from 'zod';

/** The last change of what a receiver checks. */
export const CredentialsChange = z.object({
  what: z.enum(['secret', 'auth']),
  at: z.date(),
  until: z.date().describe('a former secret signs until then (D17)'),
});
export type CredentialsChange = z.infer<typeof CredentialsChange>;

/** Why a receiver counts as failing before FAILING_AFTER has passed. */
const FAILING_REASONS = ['secret_rotated', 'auth_changed', 'gone'] as const;
export type FailingReason = (typeof FAILING_REASONS)[number];
export const FailingReason = z
  .enum(FAILING_REASONS)
  .nullable()
  .describe(
    'secret_rotated: it has responded with 401 or 403 since its webhook secret was rotated; ' +
      'auth_changed: since the authentication to it changed, or its token URL refuses; ' +
      'gone: it has responded with 410 Gone; null otherwise',
  );

/** An earlier release removes the mark without the reason, and cannot read the reason `gone`. */
export const shownReason = ({
  failing_since,
  failing_noticed_at,
  failing_reason,
  gone_at,
}: {
  failing_since?: Date | undefined;
  failing_noticed_at?: Date | undefined;
  failing_reason?: FailingReason | null | undefined;
  gone_at?: Date | undefined;
}): FailingReason | null =>
  failing_noticed_at
    ? (failing_reason ?? (gone_at && failing_since && gone_at >= failing_since ? 'gone' : null))
    : null;

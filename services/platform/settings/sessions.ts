/** Settings of sign-ins to the dashboard. */
import { Duration } from '../../core/time/duration.ts';

const DAY_MS = 86_400_000;

/** A duration between a minute and 30 days. */
const Lifetime = Duration.refine((ms) => ms >= 60_000 && ms <= 30 * DAY_MS, {
  message: 'must be between 1m and 30d',
});

export const SessionConfig = {
  SESSION_IDLE_TIMEOUT: Lifetime.prefault('12h').describe(
    'a session of the dashboard ends when it is not used for this time; between 1m and 30d',
  ),
  SESSION_LIFETIME: Lifetime.prefault('7d').describe(
    'a session of the dashboard ends after this time even while it is used; between 1m and 30d',
  ),
};

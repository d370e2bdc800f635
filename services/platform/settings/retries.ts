/** Delays between attempts: of dispatchers, and of the API, where consumers return emails. */
import { DurationList } from '../../core/time/duration.ts';

export const RetryConfig = {
  RETRY_SCHEDULE: DurationList.prefault('1s,1m,5m,30m,2h,8h').describe(
    'delays between the attempts of one delivery',
  ),
};

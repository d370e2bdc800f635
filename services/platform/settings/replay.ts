/** How long delivered email can be replayed: dispatchers remove it then, the API says so. */
import { Duration } from '../../core/time/duration.ts';

export const ReplayConfig = {
  REPLAY_RETENTION: Duration.prefault('72h').describe(
    'how long delivered mail is stored for replay; 0s to store none; payloads above 512 KiB are ' +
      'stored for at most a day longer than FAILED_RETENTION',
  ),
};

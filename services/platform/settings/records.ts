/** How long records of deliveries are stored. A recount leaves the days of older ones as they are. */
import { Duration } from '../../core/time/duration.ts';

const DAY_MS = 86_400_000;
/** A record must outlive the content of its email, so that this can be erased and replayed. */
const RETENTION_MIN_MS = 31 * DAY_MS;

export const RecordsConfig = {
  RECORDS_RETENTION: Duration.refine((ms) => ms >= RETENTION_MIN_MS, {
    message: 'must be at least 31d',
  })
    .optional()
    .describe(
      'how long records of deliveries are stored before they are deleted, at least 31d and no shorter ' +
        'than EVENTS_RETENTION, REPLAY_RETENTION, FAILED_RETENTION and LINK_LIFETIME; as long as their account ' +
        'when unset',
    ),
};

/** What is stored of an email or about it. Without a record, it can neither be replayed nor erased. */
type ContentTimes = Record<
  'EVENTS_RETENTION' | 'REPLAY_RETENTION' | 'FAILED_RETENTION' | 'LINK_LIFETIME',
  number
>;
export const recordsOutliveContents = ({
  RECORDS_RETENTION = Infinity,
  EVENTS_RETENTION,
  REPLAY_RETENTION,
  FAILED_RETENTION,
  LINK_LIFETIME,
}: ContentTimes & { RECORDS_RETENTION?: number | undefined }): boolean =>
  RECORDS_RETENTION >=
  Math.max(EVENTS_RETENTION, REPLAY_RETENTION, FAILED_RETENTION, LINK_LIFETIME);
export const RECORDS_OUTLIVE_CONTENTS = {
  path: ['RECORDS_RETENTION'],
  message:
    'must be no shorter than EVENTS_RETENTION, REPLAY_RETENTION, FAILED_RETENTION and LINK_LIFETIME',
};

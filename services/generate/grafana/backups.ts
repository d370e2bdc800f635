/** Panels about the backups in the bucket. Every API process reports the newest one. */
import type { Panel } from './grafana.ts';
import { ofRelease } from './queries.ts';

const NO_BACKUP = 'BACKUP_MAX_AGE is not set, or the bucket has no backup yet';
/** The gauges are 0 until there is a backup. */
const newest = (metric: string) => `max by (namespace) (${ofRelease(metric)}) > 0`;
const since = (metric: string) => `time() - (${newest(metric)})`;

export const backups: Panel[] = [
  {
    title: 'Age of the newest backup',
    about: 'Since it began, and BACKUP_MAX_AGE, the age at which an alert fires.',
    emptyWhen: NO_BACKUP,
    unit: 's',
    queries: [
      [since('inlet_backup_last_success_timestamp_seconds'), 'age'],
      [newest('inlet_backup_max_age_seconds'), 'BACKUP_MAX_AGE'],
    ],
  },
  {
    title: 'Size of the newest backup',
    about: 'In the bucket. If it falls suddenly, look into the backup.',
    emptyWhen: NO_BACKUP,
    unit: 'bytes',
    queries: [[newest('inlet_backup_size_bytes'), 'size']],
  },
  {
    title: 'Duration of the newest backup',
    about: 'From its beginning to the end of its upload.',
    emptyWhen: NO_BACKUP,
    unit: 's',
    queries: [[newest('inlet_backup_duration_seconds'), 'duration']],
  },
  {
    title: 'Time since the last restore drill',
    about: 'Since a backup was last restored for a test.',
    emptyWhen: 'no restore drill has run',
    unit: 's',
    queries: [[since('inlet_backup_last_drill_timestamp_seconds'), 'drill']],
  },
];

/** Panels about the canary. Every API process reports the newest one that was delivered. */
import type { Panel } from './grafana.ts';
import { ofRelease } from './queries.ts';

const NO_CANARY = 'CANARY_ADDRESS is not set, or no canary has been delivered yet';
const newest = (metric: string) => `max by (namespace) (${ofRelease(metric)}) > 0`;

export const canary: Panel[] = [
  {
    title: 'Time since the last delivered canary',
    about: 'Since it was received, and CANARY_MAX_AGE, the age at which an alert fires.',
    emptyWhen: NO_CANARY,
    unit: 's',
    queries: [
      [`time() - (${newest('inlet_canary_last_success_timestamp_seconds')})`, 'age'],
      [newest('inlet_canary_max_age_seconds'), 'CANARY_MAX_AGE'],
    ],
  },
  {
    title: 'Duration of the last canary',
    about: 'From its receipt until its receiver had accepted it. `inlet canary` prints all parts.',
    emptyWhen: NO_CANARY,
    unit: 's',
    queries: [[newest('inlet_canary_duration_seconds'), 'duration']],
  },
];

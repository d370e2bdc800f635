/**
 * Metrics of the API. Labels are bounded: documented routes, known methods, statuses that the API
 * sends.
 */
import { ANY, type Meter } from '../../adapters/process/meter.ts';
import { LEASE_ENDS } from '../../core/pull/lease.ts';

/** Route label of requests that match no endpoint. */
export const UNROUTED = 'none';

const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PATCH',
  'DELETE',
  'PUT',
  'OPTIONS',
]);

export const methodLabel = (method: string): string => (METHODS.has(method) ? method : 'other');

const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export const createApiMetrics = ({ counter, gauge, histogram }: Meter) => ({
  requests: counter('inlet_api_requests_total', 'API requests by route, method and status', {
    route: ANY,
    method: ANY,
    status: ANY,
  }),
  latency: histogram(
    'inlet_api_request_duration_seconds',
    'time from the end of the request headers to the response',
    { route: ANY, method: ANY },
    SECONDS,
  ),
  contentTookTooLong: counter(
    'inlet_api_content_took_too_long_total',
    'requests that were stopped, because reading an email or evaluating expressions took too long',
    { job: ANY, reason: ['timeout', 'memory', 'fault'] },
  ),
  auditLogs: counter(
    'inlet_audit_logs_total',
    'events of the audit trail that the collector of OTEL_LOGS_EXPORTER took, or did not; those are sent again',
    { result: ['exported', 'failed'] },
  ),
  leases: counter(
    'inlet_leases_total',
    'emails that consumers of pull receivers leased, and how leases ended',
    { result: [...LEASE_ENDS] },
  ),
  backups: {
    maxAge: gauge('inlet_backup_max_age_seconds', 'BACKUP_MAX_AGE; 0 when unset', {}),
    lastSuccess: gauge(
      'inlet_backup_last_success_timestamp_seconds',
      'when the newest backup in the bucket began, in Unix time, 0 if there is none; read every five minutes',
      {},
    ),
    lastDrill: gauge(
      'inlet_backup_last_drill_timestamp_seconds',
      'when a backup of the bucket was last restored for a test, in Unix time, 0 if never',
      {},
    ),
    size: gauge('inlet_backup_size_bytes', 'size of the newest backup in the bucket', {}),
    duration: gauge('inlet_backup_duration_seconds', 'time that the newest backup took', {}),
  },
  failingAddresses: gauge(
    'inlet_failing_addresses',
    'addresses whose receiver has accepted nothing since its last failure; noticed is true ' +
      'when FAILING_AFTER has passed, or it refuses new credentials; counted every minute, and equal ' +
      'in every process',
    { noticed: ['true', 'false'] },
  ),
  silentAddresses: gauge(
    'inlet_silent_addresses',
    'enabled live addresses whose expected email is absent; counted every half minute, and equal ' +
      'in every process',
    {},
  ),
});
export type ApiMetrics = ReturnType<typeof createApiMetrics>;

/** The periodic work of the API. */
import type { Stores } from '../../adapters/mongo/stores.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { Nats } from '../../adapters/stream/connection/connection.ts';
import type { StartSweep } from '../../adapters/process/sweeps.ts';
import { startLogExporter } from '../../adapters/tracing/tracing.ts';
import type { PlanCatalogue } from '../../core/billing/billing.ts';
import type { ChangedAddress } from '../../platform/address-directory.ts';
import type { DomainOperations } from '../../platform/domain/domain-operations.ts';
import type { ApiMetrics } from '../process/metrics.ts';
import { type BackupConfig, openBackups } from '../../platform/settings/backups.ts';
import { startAuditExport } from './audit-export.ts';
import { startBackupStatus } from './backup-status.ts';
import { startFailingSweep } from './failing-sweep.ts';
import { startInvoiceSweep } from './invoice-sweep.ts';
import { startRefusingSweep } from '../refusal/refusing-sweep.ts';
import { startSilenceSweep } from './silence-sweep.ts';

type JobDependencies = {
  stores: Pick<
    Stores,
    | 'addExpiryEvents'
    | 'auditExports'
    | 'countUsage'
    | 'deliveries'
    | 'events'
    | 'failingAddresses'
    | 'invoices'
    | 'refusingMailboxes'
    | 'silentAddresses'
    | 'subscriptions'
  >;
  announce: (change: ChangedAddress) => void;
  nats: Pick<Nats, 'isConnected'>;
  plans: PlanCatalogue;
  domainOperations: Pick<DomainOperations, 'recheckVerified'>;
  sessions: { sweep(now: Date): Promise<void> };
  metrics: Pick<ApiMetrics, 'auditLogs' | 'backups' | 'failingAddresses' | 'silentAddresses'>;
  startSweep: StartSweep;
};

type Settings = {
  FAILING_AFTER: number;
  EVENTS_RETENTION: number;
  RECORDS_RETENTION?: number | undefined;
  BILLING: boolean;
  PLANS?: string | undefined;
  SECRET_KEYS: readonly Uint8Array[];
} & BackupConfig &
  Parameters<typeof startLogExporter>[0];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Covers an outage of all API processes. */
const EXPIRY_EVENTS_LOOKBACK_MS = 24 * HOUR_MS;
/** In one round, so that a process that stops need not wait for long. */
const RECORD_BATCHES_MAX = 100;

/** @returns the jobs, to be stopped */
export async function startJobs(
  {
    stores,
    announce,
    nats,
    plans,
    domainOperations,
    sessions,
    metrics,
    startSweep,
  }: JobDependencies,
  settings: Settings,
  log: Log,
): Promise<AsyncDisposable[]> {
  const { FAILING_AFTER, EVENTS_RETENTION, RECORDS_RETENTION, BACKUP_MAX_AGE, BILLING, PLANS } =
    settings;
  const exporter = await startLogExporter(settings, 'api');
  const backups =
    BACKUP_MAX_AGE === undefined ? undefined : await openBackups(settings, settings.SECRET_KEYS);
  const { addExpiryEvents, events, failingAddresses: failing, silentAddresses: silent } = stores;
  return [
    ...(exporter ? [startAuditExport({ ...stores, exporter, metrics, startSweep })] : []),
    ...(backups && BACKUP_MAX_AGE !== undefined
      ? [startBackupStatus({ files: backups, metrics, startSweep }, BACKUP_MAX_AGE)]
      : []),
    startFailingSweep({ failing, announce, metrics, startSweep }, FAILING_AFTER, log),
    startSilenceSweep({ silent, isReceiving: nats.isConnected, metrics, startSweep }, log),
    startRefusingSweep({ ...stores, startSweep }),
    // without plans, nothing has a price
    ...(BILLING && PLANS !== undefined
      ? [startInvoiceSweep({ ...stores, plans, startSweep }, log)]
      : []),
    startSweep('expired_addresses', MINUTE_MS, (now) =>
      addExpiryEvents(new Date(now.getTime() - EXPIRY_EVENTS_LOOKBACK_MS), now),
    ),
    startSweep('verified_domains', MINUTE_MS, (now) => domainOperations.recheckVerified(now)),
    startSweep('ended_sessions', 5 * MINUTE_MS, (now) => sessions.sweep(now)),
    startSweep('old_events', HOUR_MS, (now) =>
      events.removeBefore(new Date(now.getTime() - EVENTS_RETENTION)),
    ),
    ...(RECORDS_RETENTION === undefined
      ? []
      : [
          startSweep('old_records', MINUTE_MS, async (now) => {
            const time = new Date(now.getTime() - RECORDS_RETENTION);
            for (let batch = 0; batch < RECORD_BATCHES_MAX; batch++)
              if (!(await stores.deliveries.removeRecordsBefore(time))) return;
          }),
        ]),
  ];
}

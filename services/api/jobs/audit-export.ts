/**
 * Exports the audit trail to an OpenTelemetry collector. It reads what is stored, from where the last
 * export ended, so neither a crash nor a collector that is down loses an event, whichever process
 * wrote it. Each API process tries; one at a time exports.
 */
import { randomUUID } from 'node:crypto';

import type { AuditExports, ExportCursor } from '../../adapters/mongo/audit/export-cursor.ts';
import type { Elsewhere, StartSweep } from '../../adapters/process/sweeps.ts';
import type { LogExporter } from '../../adapters/tracing/log-record.ts';
import { auditLog } from '../../core/event/audit-log.ts';
import { firstIdAt } from '../../core/id/ids.ts';
import type { ApiMetrics } from '../process/metrics.ts';

type AuditExportDependencies = {
  auditExports: AuditExports;
  /** Disposed with the job. */
  exporter: LogExporter;
  metrics: Pick<ApiMetrics, 'auditLogs'>;
  startSweep: StartSweep;
};

type Timing = {
  everyMs: number;
  /** An event can be stored this long after its time: it must not come behind the cursor. */
  settledMs: number;
};

const TIMING: Timing = { everyMs: 5_000, settledMs: 60_000 };

const BATCH_MAX = 500;
/** Bounds what a query reads: events of emails lie between those that are exported. */
const WINDOW_MS = 600_000;
/** In one round, so that a process that stops need not wait for long. */
const STEPS_MAX = 50;

export function startAuditExport(
  { auditExports, exporter, metrics, startSweep }: AuditExportDependencies,
  { everyMs, settledMs }: Timing = TIMING,
): AsyncDisposable {
  const holder = randomUUID();

  /** Exports one batch. Resolves with the place after it. */
  async function step(cursor: ExportCursor, settled: Date): Promise<ExportCursor> {
    const end = new Date(Math.min(settled.getTime(), cursor.until.getTime() + WINDOW_MS));
    const events = await auditExports.events(cursor, end, BATCH_MAX);
    if (events.length > 0)
      try {
        await exporter.export(events.map(auditLog));
        metrics.auditLogs.inc({ result: 'exported' }, events.length);
      } catch (error) {
        metrics.auditLogs.inc({ result: 'failed' }, events.length);
        throw error; // they stay to be exported
      }
    const last = events.length === BATCH_MAX ? events.at(-1) : undefined;
    return last ? { ...cursor, after: last.id } : { after: firstIdAt('evt', end), until: end };
  }

  async function exportRound(now: Date, clock: () => Date): Promise<void | Elsewhere> {
    const settled = new Date(now.getTime() - settledMs);
    let cursor = await auditExports.claim(holder, now);
    if (cursor === undefined) return 'elsewhere';
    try {
      for (let steps = 0; steps < STEPS_MAX && cursor.until < settled; steps++) {
        cursor = await step(cursor, settled);
        if (!(await auditExports.advance(holder, cursor, clock()))) return 'elsewhere';
      }
    } finally {
      await auditExports.release(holder);
    }
  }

  const parts = new AsyncDisposableStack();
  parts.use(exporter);
  parts.use(startSweep('audit_export', everyMs, exportRound));
  return parts;
}

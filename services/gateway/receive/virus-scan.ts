/**
 * Has clamd scan an email, and the attachments of an infected one to name the file. Without an
 * answer, the email is accepted with the verdict `error`.
 */
import type { Clamd } from '../../adapters/clamd/clamd.ts';
import { createInterruptionLog } from '../../adapters/process/interruption-log.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { ScanResult, Virus } from '../../core/mail/virus.ts';
import { attachmentName, type ParsedAttachment } from '../../core/webhook/payload.ts';
import type { GatewayMetrics } from '../process/metrics.ts';
import { createByteQueue } from './memory-budget.ts';

export type VirusScanOptions = {
  /** Limit for an email, and again for all attachments of an infected one; waiting included. */
  timeoutMs: number;
};

export type VirusScanMetrics = Pick<GatewayMetrics, 'clamdAnswered'>;

/** Neither throws. */
export type VirusScan = {
  email(raw: Uint8Array): Promise<Virus>;
  /** Adds the infected attachments among those that were scanned in time. */
  withFiles(virus: Virus, attachments: readonly ParsedAttachment[]): Promise<Virus>;
};

/** clamd scans ten at the same time unless it is configured otherwise (MaxThreads). */
const SCANS_MAX = 8;
const ATTACHMENTS_MAX = 50;

/** Shared by all emails of a thread. */
export function boundedClamd(clamd: Clamd): Clamd {
  const inTurn = createByteQueue(SCANS_MAX);
  return { ...clamd, scan: (bytes, signal) => inTurn(1, () => clamd.scan(bytes, signal)) };
}

export function createVirusScan(
  clamd: Pick<Clamd, 'scan'>,
  { timeoutMs }: VirusScanOptions,
  metrics: VirusScanMetrics,
  log: Log,
): VirusScan {
  const interruptions = createInterruptionLog(log);
  const scanned = async (bytes: Uint8Array, deadline: AbortSignal): Promise<ScanResult> => {
    const startedAt = performance.now();
    const observe = (outcome: 'answered' | 'failed') =>
      metrics.clamdAnswered(outcome, performance.now() - startedAt);
    try {
      const result = await clamd.scan(bytes, deadline);
      observe('answered');
      return result;
    } catch (error) {
      interruptions.report('warn', 'clamd.failed', { error });
      observe('failed');
      return { verdict: 'error', name: null };
    }
  };

  return {
    email: async (raw) => ({
      ...(await scanned(raw, AbortSignal.timeout(timeoutMs))),
      scanner: 'clamd',
      attachments: [],
    }),
    withFiles: async (virus, attachments) => {
      if (virus.verdict !== 'infected') return virus;
      const deadline = AbortSignal.timeout(timeoutMs);
      const results = await Promise.all(
        attachments.slice(0, ATTACHMENTS_MAX).map(async (part, index) => {
          const { name } = await scanned(part.content, deadline);
          return name === null ? [] : [{ index, filename: attachmentName(part, index), name }];
        }),
      );
      return { ...virus, attachments: results.flat() };
    },
  };
}

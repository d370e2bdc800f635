/**
 * A server's certificate: read at start, reloaded without dropping connections, expiry in metrics.
 */
import type { CertificateMetrics } from './certificate-gauges.ts';
import type { Log } from '../process/log.ts';
import { readTlsPair, type TlsFiles, type TlsPair, watchTlsPair } from './tls-files.ts';

/** Certificates are renewed weeks before they expire. Reading two small files costs nothing. */
export const CERTIFICATE_CHECK_MS = 10_000;

type Certificate = { files: TlsFiles; pair: TlsPair };

/** undefined when no files are set. @throws when files are set but cannot be used */
export async function readCertificate(
  certFile: string | undefined,
  keyFile: string | undefined,
): Promise<Certificate | undefined> {
  if (certFile === undefined || keyFile === undefined) return undefined;
  const files = { certFile, keyFile };
  try {
    return { files, pair: await readTlsPair(files) };
  } catch (cause) {
    throw new Error(`certificate ${certFile} with key ${keyFile}`, { cause });
  }
}

export function reloadCertificate(
  { files, pair }: Certificate,
  everyMs: number,
  use: (pair: TlsPair) => void,
  metrics: CertificateMetrics,
  log: Log,
): Disposable {
  metrics.inUse(pair.notAfter);
  return watchTlsPair(files, pair, {
    everyMs,
    onNew: (renewed) => {
      use(renewed);
      metrics.inUse(renewed.notAfter);
      log.info('certificate.renewed', { not_after: renewed.notAfter.toISOString() });
    },
    onBroken: (error, isNew) => {
      metrics.broken();
      if (isNew) log.error('certificate.unusable', { error });
    },
  });
}

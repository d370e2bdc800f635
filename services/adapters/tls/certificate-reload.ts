/** The certificate that a server shows: read at start, renewed without dropping a connection, and its end told. */
import { Duration } from '../../core/duration.ts';
import type { CertificateMetrics } from './certificate-gauges.ts';
import type { Log } from '../process/log.ts';
import { readTlsPair, type TlsFiles, type TlsPair, watchTlsPair } from './tls-files.ts';

export const CertificateConfig = {
  TLS_RELOAD_INTERVAL: Duration.prefault('10s').describe(
    'how often the certificate files are looked at; a new pair serves new connections, a broken one is not used',
  ),
};

export type Certificate = { files: TlsFiles; pair: TlsPair };

/** @throws when the files cannot be used: a server that should speak TLS does not start without */
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

export function keepCertificate(
  { files, pair }: Certificate,
  everyMs: number,
  use: (pair: TlsPair) => void,
  metrics: CertificateMetrics,
  log: Log,
): Disposable {
  metrics.shown(pair.notAfter);
  return watchTlsPair(files, pair, {
    everyMs,
    onNew: (renewed) => {
      use(renewed);
      metrics.shown(renewed.notAfter);
      log.info('certificate.renewed', { not_after: renewed.notAfter.toISOString() });
    },
    onBroken: (error) => {
      metrics.broken();
      log.error('certificate.unusable', { error });
    },
  });
}

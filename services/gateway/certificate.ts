/** The certificate of STARTTLS: read at start, renewed without dropping a connection. */
import type { Log } from '../adapters/log.ts';
import { readTlsPair, type TlsFiles, type TlsPair, watchTlsPair } from '../adapters/tls-files.ts';
import type { GatewayConfig } from './config.ts';
import type { GatewayMetrics } from './metrics.ts';

export type Certificate = { files: TlsFiles; pair: TlsPair };

/** @throws when the files cannot be used: a gateway that should speak TLS does not start without */
export async function readCertificate({ TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile }: Pick<GatewayConfig, 'TLS_CERT_FILE' | 'TLS_KEY_FILE'>): Promise<Certificate | undefined> {
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
  metrics: Pick<GatewayMetrics, 'certificate' | 'certificateBroken'>,
  log: Log,
): Disposable {
  metrics.certificate(pair.notAfter);
  return watchTlsPair(files, pair, {
    everyMs,
    onNew: (renewed) => {
      use(renewed);
      metrics.certificate(renewed.notAfter);
      log.info('certificate.renewed', { not_after: renewed.notAfter.toISOString() });
    },
    onBroken: (error) => {
      metrics.certificateBroken();
      log.error('certificate.unusable', { error });
    },
  });
}

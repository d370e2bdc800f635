/** Metrics of a server's certificate: a certificate that expires unnoticed is a common outage. */
import type { Meter } from '../process/meter.ts';

export function createCertificateMetrics({ counter, gauge }: Meter) {
  const reloadFailures = counter(
    'inlet_tls_reload_failures_total',
    'checks, every 10 seconds, that found changed certificate files which cannot be used',
    {},
  );
  let notAfter: Date | undefined;
  gauge(
    'inlet_tls_certificate_expiry_timestamp_seconds',
    'when the certificate of this server (STARTTLS, HTTPS) expires, in Unix time; absent without one',
    {},
    (set) => {
      if (notAfter) set({}, notAfter.getTime() / 1000);
    },
  );
  return {
    inUse(ends: Date) {
      notAfter = ends;
    },
    broken: () => reloadFailures.inc(),
  };
}
export type CertificateMetrics = ReturnType<typeof createCertificateMetrics>;

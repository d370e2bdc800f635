/** Metrics of a server's certificate: a certificate that expires unnoticed is a common outage. */
import { Counter, Gauge, type Registry } from 'prom-client';

export function createCertificateMetrics(registry: Registry) {
  const registers = [registry];
  const reloadFailures = new Counter({
    name: 'inlet_tls_reload_failures_total',
    help: 'certificate files that changed and could not be used',
    registers,
  });
  let notAfter: Date | undefined;
  new Gauge({
    name: 'inlet_tls_certificate_expiry_timestamp_seconds',
    help: 'when the certificate of this server (STARTTLS, HTTPS) expires, in Unix time; absent without one',
    registers,
    collect: function collectExpiry() {
      if (notAfter) this.set(notAfter.getTime() / 1000);
      else this.remove();
    },
  });
  return {
    inUse(ends: Date) {
      notAfter = ends;
    },
    broken: () => reloadFailures.inc(),
  };
}
export type CertificateMetrics = ReturnType<typeof createCertificateMetrics>;

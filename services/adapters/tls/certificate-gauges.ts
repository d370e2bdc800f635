/** The certificate that a server shows, as metrics: what expires unnoticed is the commonest outage of all. */
import { Counter, Gauge, type Registry } from 'prom-client';

export function createCertificateMetrics(registry: Registry) {
  const registers = [registry];
  const reloadFailures = new Counter({
    name: 'inlet_tls_reload_failures_total',
    help: 'changed certificate files that could not be used',
    registers,
  });
  let notAfter: Date | undefined;
  new Gauge({
    name: 'inlet_tls_certificate_expiry_timestamp_seconds',
    help: 'when the certificate that is shown ends (STARTTLS of a gateway, HTTPS of the API), in Unix time; absent without one',
    registers,
    collect: function collectExpiry() {
      if (notAfter) this.set(notAfter.getTime() / 1000);
      else this.remove();
    },
  });
  return {
    shown(ends: Date) {
      notAfter = ends;
    },
    broken: () => reloadFailures.inc(),
  };
}
export type CertificateMetrics = ReturnType<typeof createCertificateMetrics>;

/**
 * Records once when a client certificate of a receiver expires soon. Every API process runs this job;
 * the id of the event is the same in all of them.
 */
import type { UsageEvents } from '../../adapters/mongo/audit/events.ts';
import type {
  CertifiedReceiver,
  ExpiringCertificates,
} from '../../adapters/mongo/receiver/expiring-certificates.ts';
import type { StartSweep } from '../../adapters/process/sweeps.ts';
import type { ClientCertificateView } from '../../core/receiver/client-certificate.ts';
import { idOfKey } from '../../core/id/ids.ts';

type CertificateSweepDependencies = {
  expiringCertificates: ExpiringCertificates;
  events: Pick<UsageEvents, 'addOnce'>;
};

const ROUND_MS = 3_600_000;

/** As long before as cert-manager's default renewal of a certificate of 63 days. */
const NOTICE_MS = 21 * 86_400_000;

/** For an API that did not run when the certificate expired. */
const LATE_MS = 7 * 86_400_000;

export const startCertificateSweep = ({
  startSweep,
  ...dependencies
}: CertificateSweepDependencies & { startSweep: StartSweep }): AsyncDisposable =>
  startSweep('client_certificates', ROUND_MS, (now) => noticeCertificates(dependencies, now));

export async function noticeCertificates(
  { expiringCertificates, events }: CertificateSweepDependencies,
  now: Date,
): Promise<void> {
  const from = new Date(now.getTime() - LATE_MS);
  const until = new Date(now.getTime() + NOTICE_MS);
  for await (const receiver of expiringCertificates(from, until)) {
    const certificate = receiver.auth.client_certificate;
    if (!certificate) continue;
    await events.addOnce({
      id: expiryEventId(receiver, certificate),
      account_id: receiver.account_id,
      environment: receiver.environment,
      type: 'receiver.certificate_expiring',
      address_id: receiver.address_id,
      timestamp: now,
      data: {
        receiver_id: receiver.id,
        subject: certificate.subject,
        fingerprint_sha256: certificate.fingerprint_sha256,
        expires_at: new Date(certificate.expires_at),
      },
    });
  }
}

const expiryEventId = (
  { id }: Pick<CertifiedReceiver, 'id'>,
  { fingerprint_sha256, expires_at }: ClientCertificateView,
) => idOfKey('evt', new Date(expires_at), `${id} ${fingerprint_sha256}`);

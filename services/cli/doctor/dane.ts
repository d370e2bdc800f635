/** Whether the TLSA records of a mail server name the key of its certificate (RFC 7672). */
import {
  daneOutcome,
  daneResult,
  presentedCertificate,
  tlsaName,
  type TlsaRecord,
  tlsaValue,
} from '../../core/deliverability/dane.ts';
import { failed, type Finding, ok, skipped } from './finding.ts';

const CHECK = 'port 25 DANE';

/**
 * @param records null when the DNS did not respond
 * @param der the certificate that the server presents
 */
export function daneFinding(
  host: string,
  records: readonly TlsaRecord[] | null,
  der: Uint8Array,
): Finding {
  const presented = presentedCertificate(der);
  const { status, message } = daneResult(daneOutcome(records, presented), host);
  const advice = `publish ${tlsaName(host)} TLSA ${tlsaValue(presented)}`;
  if (status === 'wrong') return failed(CHECK, message, `${advice}: see docs/deliverability.md`);
  return status === 'unknown' ? skipped(CHECK, message) : ok(CHECK, message);
}

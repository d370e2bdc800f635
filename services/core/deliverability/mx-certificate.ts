/**
 * Whether the certificate of the gateways is good enough for MTA-STS `enforce`: senders refuse to
 * deliver to a mail server whose certificate does not name it (RFC 8461 §4.1).
 */

export type MxCertificate = {
  /** DNS names in the certificate, in lower case. */
  names: readonly string[];
  notAfter: Date;
  isSelfSigned: boolean;
};

/** A wildcard stands for one label (RFC 8461 §4.1, RFC 6125 §6.4.3). */
const covers = (name: string, host: string): boolean =>
  name.startsWith('*.') ? host.replace(/^[^.]+\./, '*.') === name : host === name;

/**
 * Why `enforce` is refused, in words; undefined when nothing speaks against it.
 * @param certificate undefined when the installation has none, or it cannot be read
 */
export function enforceRefusal(
  mxHosts: readonly string[],
  certificate: MxCertificate | undefined,
  now: Date,
): string | undefined {
  if (certificate === undefined)
    return 'The certificate of the MX hosts is not known to this installation (MX_TLS_CERT_FILE)';
  const { names, notAfter, isSelfSigned } = certificate;
  if (notAfter <= now)
    return `The certificate of the MX hosts expired at ${notAfter.toISOString()}`;
  if (isSelfSigned)
    return 'The certificate of the MX hosts is self-signed, which senders do not trust';
  const missing = mxHosts.filter((host) => !names.some((name) => covers(name, host)));
  return missing.length === 0
    ? undefined
    : `The certificate of the MX hosts does not cover ${missing.join(', ')}`;
}

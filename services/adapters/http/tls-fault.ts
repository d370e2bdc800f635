/** Why the TLS of a receiver failed, with the setting that helps. OpenSSL's texts name none. */

const TLS_CODES = /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|EPROTO)/;

export const isTlsCode = (code: string): boolean => TLS_CODES.test(code);

const UNKNOWN_AUTHORITY =
  "Inlet does not know the authority of the receiver's certificate: serve the full chain, or name a " +
  'private authority in WEBHOOK_CA_FILE';

const TEXTS: Record<string, string> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT:
    "the receiver's certificate is self-signed: use one of an authority, or name it in WEBHOOK_CA_FILE",
  CERT_HAS_EXPIRED: "the receiver's certificate has expired: renew it",
  CERT_NOT_YET_VALID: "the receiver's certificate is not valid yet: check the clocks",
};
const NOT_TLS =
  'the receiver does not speak TLS on this port: webhooks need HTTPS (for a local program, see inlet listen)';

/** @param message of the error, which may recommend a flag of Node */
export function tlsFaultText(code: string, message: string): string {
  const text = TEXTS[code];
  if (text !== undefined) return `${text} (${code})`;
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || message.includes('wrong version number'))
    return NOT_TLS;
  return message;
}

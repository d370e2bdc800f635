/**
 * Why a TLS connection failed, with the setting that helps. OpenSSL's texts do not name settings.
 */

const TLS_CODES = /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|EPROTO)/;

export const isTlsCode = (code: string): boolean => TLS_CODES.test(code);

/** The names in the text of a fault. */
export type TlsPlace = {
  /** Which program does not trust the certificate. */
  program: string;
  /** Which server has the certificate. */
  server: string;
  /** Setting that names private authorities. */
  setting: string;
  /** What to do when the server does not speak TLS. */
  advice: string;
};

const RECEIVER: TlsPlace = {
  program: 'Inlet',
  server: 'receiver',
  setting: 'WEBHOOK_CA_FILE',
  advice: 'webhooks need HTTPS (for a local program, see inlet listen)',
};

const unknownAuthority = ({ program, server, setting }: TlsPlace) =>
  `${program} does not know the authority of the ${server}'s certificate: serve the full chain, or ` +
  `name a private authority in ${setting}`;

const TEXTS: Record<string, (place: TlsPlace) => string> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  DEPTH_ZERO_SELF_SIGNED_CERT: ({ server, setting }) =>
    `the ${server}'s certificate is self-signed: use one of an authority, or name it in ${setting}`,
  CERT_HAS_EXPIRED: ({ server }) => `the ${server}'s certificate has expired: renew it`,
  CERT_NOT_YET_VALID: ({ server }) =>
    `the ${server}'s certificate is not valid yet: check the clocks`,
};

/** Whether the client refused the certificate: the same call fails again. */
export const isCertificateCode = (code: string): boolean =>
  code in TEXTS || code === 'ERR_TLS_CERT_ALTNAME_INVALID';

/** @param message of the error, which may recommend a flag of Node */
export function tlsFaultText(code: string, message: string, place: TlsPlace = RECEIVER): string {
  const text = TEXTS[code];
  if (text !== undefined) return `${text(place)} (${code})`;
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || message.includes('wrong version number'))
    return `the ${place.server} does not speak TLS on this port: ${place.advice}`;
  return message;
}

/** Certificates of a signature: the one that a signer names, its key, and whom it names (RFC 5280). */
import { type KeyObject, X509Certificate } from 'node:crypto';

import { type Ber, childrenOf, berContent, firstChildren, oidOf, TAGS, wholeOf } from './ber.ts';
import { cutText } from '../../core/text/text.ts';

type SignerCertificate = {
  /** One line; null when it cannot be read. */
  subject: string | null;
  /** Undefined for keys that are not used. */
  key: KeyObject | undefined;
};

const CERTIFICATE_MAX_BYTES = 64 * 1024;
const SUBJECT_MAX_CHARS = 500;
const SUBJECT_KEY_ID = '551d0e';
/** Larger keys take long, smaller ones are weak. */
const RSA_BITS = { min: 1024, max: 8192 };

/** @param signerId of a SignerInfo (RFC 5652 §5.3) */
export function certificateOf(
  certificates: readonly Ber[],
  signerId: Ber,
): SignerCertificate | undefined {
  const found = certificates.find(
    (certificate) =>
      certificate.end - certificate.start <= CERTIFICATE_MAX_BYTES && isOf(certificate, signerId),
  );
  return found && read(wholeOf(found));
}

function isOf(certificate: Ber, signerId: Ber): boolean {
  const [signed] = firstChildren(certificate, 1);
  const fields = firstChildren(signed, 10);
  const [serial, , issuer] = fields[0]?.tag === 0xa0 ? fields.slice(1) : fields;
  if (signerId.tag === TAGS.sequence) {
    const [wantedIssuer, wantedSerial] = firstChildren(signerId, 2);
    return isSame(issuer, wantedIssuer) && isSame(serial, wantedSerial);
  }
  const [list] = firstChildren(
    fields.find(({ tag }) => tag === 0xa3),
    1,
  );
  for (const extension of childrenOf(list)) {
    const [name, ...values] = firstChildren(extension, 3);
    const value = values.at(-1);
    if (oidOf(name) === SUBJECT_KEY_ID && value !== undefined)
      return berContent(value).subarray(2).equals(berContent(signerId));
  }
  return false;
}

const isSame = (one: Ber | undefined, other: Ber | undefined): boolean =>
  one !== undefined && other !== undefined && wholeOf(one).equals(wholeOf(other));

function read(der: Buffer): SignerCertificate {
  try {
    const certificate = new X509Certificate(der);
    return { subject: oneLine(certificate.subject), key: usable(certificate.publicKey) };
  } catch {
    return { subject: null, key: undefined };
  }
}

function oneLine(subject: string | undefined): string | null {
  const names = subject?.split('\n').filter(Boolean).join(', ');
  return names ? cutText(names, SUBJECT_MAX_CHARS).replace(CONTROLS, ' ') : null;
}

// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\x00-\x1f\x7f]+/g;

/** Curves that a certificate describes itself are not used. */
function usable(key: KeyObject): KeyObject | undefined {
  const { modulusLength = 0, namedCurve } = key.asymmetricKeyDetails ?? {};
  const isUsable = /^rsa(-pss)?$/.test(key.asymmetricKeyType ?? '')
    ? modulusLength >= RSA_BITS.min && modulusLength <= RSA_BITS.max
    : key.asymmetricKeyType === 'ec' && namedCurve !== undefined;
  return isUsable ? key : undefined;
}

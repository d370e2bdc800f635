/**
 * Whether a content is the one that its signers signed (RFC 5652 §5.4, §5.6), with the certificates
 * that the signature encloses. Who issued these, and until when they hold, is not judged.
 */
import { constants, createHash, type KeyObject, verify } from 'node:crypto';

import { type Ber, firstChildren, octetsOf, oidOf, TAGS, wholeOf } from './ber.ts';
import { certificateOf } from './certificate.ts';
import { attributeOf, type SignedData, SIGNERS_MAX } from './cms.ts';

const CONTENT_TYPE = '2a864886f70d010903';
const MESSAGE_DIGEST = '2a864886f70d010904';

/** MD5 and SHA-1 are missing: two contents can have one digest (RFC 8551 §2.1). */
const DIGESTS: Readonly<Record<string, string>> = {
  '608648016503040204': 'sha224',
  '608648016503040201': 'sha256',
  '608648016503040202': 'sha384',
  '608648016503040203': 'sha512',
  '608648016503040208': 'sha3-256',
  '608648016503040209': 'sha3-384',
  '60864801650304020a': 'sha3-512',
};

const RSA = '2a864886f70d0101';
/** The digest that the name of the algorithm includes; null when it includes none. */
const ALGORITHMS: Readonly<Record<string, { digest: string | null; isPss?: true }>> = {
  [`${RSA}01`]: { digest: null },
  [`${RSA}0a`]: { digest: null, isPss: true },
  [`${RSA}0e`]: { digest: 'sha224' },
  [`${RSA}0b`]: { digest: 'sha256' },
  [`${RSA}0c`]: { digest: 'sha384' },
  [`${RSA}0d`]: { digest: 'sha512' },
  '2a8648ce3d0201': { digest: null },
  '2a8648ce3d040301': { digest: 'sha224' },
  '2a8648ce3d040302': { digest: 'sha256' },
  '2a8648ce3d040303': { digest: 'sha384' },
  '2a8648ce3d040304': { digest: 'sha512' },
};

export type Verified = { subject: string | null; isValid: boolean | null };

/** @param content undefined when it is not checked, so that only the subject is of interest */
export function verifySigned(signed: SignedData, content: Buffer | undefined): Verified {
  const results = signed.signers
    .slice(0, SIGNERS_MAX)
    .map((signer) => verifySigner(signer, signed, content));
  const validities = results.map(({ isValid }) => isValid);
  return {
    subject: results[0]?.subject ?? null,
    isValid: validities.includes(false)
      ? false
      : validities.includes(null) || validities.length === 0 || signed.signers.length > SIGNERS_MAX
        ? null
        : true,
  };
}

function verifySigner(
  signer: Ber,
  { certificates, contentType }: SignedData,
  content: Buffer | undefined,
): Verified {
  const [, id, digestField, ...rest] = firstChildren(signer, 7);
  const certificate = id && certificateOf(certificates, id);
  const subject = certificate?.subject ?? null;
  const attributes = rest[0]?.tag === 0xa0 ? rest.shift() : undefined;
  const [algorithmField, signatureField] = rest;
  const digest = DIGESTS[nameOf(digestField) ?? ''];
  const algorithm = ALGORITHMS[nameOf(algorithmField) ?? ''];
  const signature = octetsOf(signatureField);
  const isKnown =
    digest !== undefined &&
    algorithm !== undefined &&
    (algorithm.digest === null || algorithm.digest === digest);
  const key = certificate?.key;
  if (content === undefined || !isKnown || key === undefined || signature === undefined)
    return { subject, isValid: null };
  if (attributes === undefined)
    return { subject, isValid: holds(content, { ...algorithm, digest }, key, signature) };
  if (attributes.isIndefinite) return { subject, isValid: null }; // only DER can be signed
  const claimed = octetsOf(attributeOf(attributes, MESSAGE_DIGEST));
  const isOfContent =
    oidOf(attributeOf(attributes, CONTENT_TYPE)) === contentType &&
    claimed?.equals(createHash(digest).update(content).digest()) === true;
  const covered = Buffer.from(wholeOf(attributes));
  covered[0] = TAGS.set; // RFC 5652 §5.4
  return {
    subject,
    isValid: isOfContent && holds(covered, { ...algorithm, digest }, key, signature),
  };
}

const nameOf = (algorithm: Ber | undefined): string | undefined =>
  oidOf(firstChildren(algorithm, 1)[0]);

function holds(
  bytes: Buffer,
  { digest, isPss = false }: { digest: string; isPss?: boolean },
  key: KeyObject,
  signature: Buffer,
): boolean | null {
  const type = key.asymmetricKeyType ?? '';
  try {
    if (!type.startsWith('rsa')) return verify(digest, bytes, key, signature);
    const padding =
      isPss || type === 'rsa-pss' ? constants.RSA_PKCS1_PSS_PADDING : constants.RSA_PKCS1_PADDING;
    return verify(digest, bytes, { key, padding }, signature);
  } catch {
    return null;
  }
}

/** As it was signed: lines of a text end with CRLF, whatever a server made of them (RFC 8551 §3.1.1). */
export function canonical(content: Buffer): Buffer {
  const lines = content.toString('latin1');
  return /(^|[^\r])\n/.test(lines)
    ? Buffer.from(lines.replace(/\r?\n/g, '\r\n'), 'latin1')
    : content;
}

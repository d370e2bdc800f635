/** The parts of a CMS message that an email needs: what it is, what was signed, and by whom (RFC 5652). */
import { type Ber, berAt, childrenOf, firstChildren, octetsOf, oidOf, TAGS } from './ber.ts';

export type Cms =
  { kind: 'signed'; content: Buffer | undefined; signed: SignedData } | { kind: 'encrypted' };

export type SignedData = {
  /** The object identifier of the content's type, in hexadecimal. */
  contentType: string;
  certificates: Ber[];
  signers: Ber[];
};

const PKCS7 = '2a864886f70d0107';
const SIGNED = `${PKCS7}02`;
const ENCRYPTED: ReadonlySet<string> = new Set([
  `${PKCS7}03`, // EnvelopedData
  `${PKCS7}06`, // EncryptedData
  '2a864886f70d0109100117', // AuthEnvelopedData (RFC 5083)
]);

const CERTIFICATES_MAX = 20;
/** More signers are not looked at: a signature with more of them is not checked. */
export const SIGNERS_MAX = 4;
const FIELDS_MAX = 8;

/** Undefined for other bytes, and for messages of other types. */
export function readCms(bytes: Buffer): Cms | undefined {
  if (bytes[0] !== TAGS.sequence) return undefined;
  const [type, explicit] = firstChildren(berAt(bytes, 0), 2);
  const name = oidOf(type);
  if (name === undefined || explicit?.tag !== 0xa0) return undefined;
  if (ENCRYPTED.has(name)) return { kind: 'encrypted' };
  return name === SIGNED ? readSigned(explicit) : undefined;
}

function readSigned(explicit: Ber): Cms | undefined {
  const [data] = firstChildren(explicit, 1);
  const [, , encapsulated, ...rest] = firstChildren(data, FIELDS_MAX);
  const [contentType, content] = firstChildren(encapsulated, 2);
  const type = oidOf(contentType);
  if (data?.tag !== TAGS.sequence || encapsulated === undefined || type === undefined)
    return undefined;
  return {
    kind: 'signed',
    content: octetsOf(firstChildren(content, 1)[0]),
    signed: {
      contentType: type,
      certificates: firstChildren(
        rest.find(({ tag }) => tag === 0xa0),
        CERTIFICATES_MAX,
      ).filter(({ tag }) => tag === TAGS.sequence),
      signers: firstChildren(
        rest.find(({ tag }) => tag === TAGS.set),
        SIGNERS_MAX + 1,
      ),
    },
  };
}

/** The value of an attribute in a SET of them (RFC 5652 §5.3). Undefined when it is there twice. */
export function attributeOf(attributes: Ber, oid: string): Ber | undefined {
  let found: Ber | undefined;
  for (const attribute of childrenOf(attributes)) {
    const [type, values] = firstChildren(attribute, 2);
    if (oidOf(type) !== oid) continue;
    const [value, another] = firstChildren(values, 2);
    if (found !== undefined || another !== undefined) return undefined;
    found = value;
  }
  return found;
}

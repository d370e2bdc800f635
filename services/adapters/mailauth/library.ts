/**
 * Functions of mailauth, each from its own file: the package as a whole loads 7 MB more. Some are
 * not part of its public interface. This file alone imports them, and a test checks that each exists
 * and returns what is documented here.
 */
import type { DNSResolver } from 'mailauth';
import { arc } from 'mailauth/lib/arc/index.js';
import { DkimVerifier } from 'mailauth/lib/dkim/dkim-verifier.js';
import { dkimVerify as verifyDkim } from 'mailauth/lib/dkim/verify.js';
import { evaluateDmarc as evaluate } from 'mailauth/lib/dmarc/index.js';
import parseDkimHeaders from 'mailauth/lib/parse-dkim-headers.js';
import { spf as verifySpf } from 'mailauth/lib/spf/index.js';
import {
  formatDomain as format,
  getPublicKey,
  KEY_ERROR_COMMENTS,
  parseHeaders,
  toALabel,
} from 'mailauth/lib/tools.js';

export type DmarcFacts = Parameters<typeof evaluate>[0];
export type DmarcEvaluation = Awaited<ReturnType<typeof evaluate>>;

export const dkimVerify: typeof verifyDkim = (input, options) => verifyDkim(input, options);
export const verifyArc: typeof arc = (data, options) => arc(data, options);
export const spf: typeof verifySpf = (question) => verifySpf(question);

/** Evaluates DMARC for known authors, with the SPF and DKIM domains that passed. */
export const evaluateDmarc: typeof evaluate = (facts) => evaluate(facts);

/** The form in which mailauth compares domains. */
export const formatDomain = (domain: string): string => format(domain);

/**
 * The name of the TXT record with the key of a signature or seal; undefined when the field does not
 * name it.
 */
export function keyNameOf(field: Buffer): string | undefined {
  const { d, s } = parseDkimHeaders(field).parsed;
  return typeof d?.value === 'string' && typeof s?.value === 'string'
    ? toALabel(`${s.value}._domainkey.${d.value}`)
    : undefined;
}

export type KeyFault = { code?: string; rr?: string };

/** Looks up the key of a DKIM signature. Undefined when it can be used; `rr` is its record. */
export const findKey = (
  name: string,
  hash: string,
  resolver: DNSResolver,
): Promise<KeyFault | undefined> =>
  getPublicKey('DKIM', name, MIN_KEY_BITS, resolver, { hashAlgo: hash }).then(
    () => undefined,
    (error: unknown) => error as KeyFault,
  );
const MIN_KEY_BITS = 1024; // RFC 8301 §3.2

/** mailauth's words for a key that cannot be used; undefined for a short key, or a failed lookup. */
export const keyFaultWords = (code: string | undefined): string | undefined =>
  KEY_ERROR_COMMENTS.get(code ?? '');

/** The mailboxes of From fields, as DMARC needs them, without parsing an email for signatures. */
export async function authorsOf(
  fromFields: Buffer,
): Promise<{ headerFrom: string[]; fromFields: number }> {
  const verifier = new DkimVerifier({});
  await verifier.messageHeaders(parseHeaders(fromFields));
  return { headerFrom: verifier.headerFrom, fromFields: verifier.fromFields };
}

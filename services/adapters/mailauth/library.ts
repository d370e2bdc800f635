/**
 * Functions of mailauth, each from its own file: the package as a whole loads 7 MB more. Some are
 * not part of its public interface. This file alone imports them, and a test checks that each exists
 * and returns what is documented here.
 */
import { Readable } from 'node:stream';
import type { ARCData, ARCResult, DKIMResult, DNSResolver } from 'mailauth';
import { arc } from 'mailauth/lib/arc/index.js';
import { DkimVerifier, type Verifier } from 'mailauth/lib/dkim/dkim-verifier.js';
import { getAuthorDomain } from 'mailauth/lib/dmarc/author-domain.js';
import { evaluateDmarc as evaluate } from 'mailauth/lib/dmarc/index.js';
import { spf as verifySpf } from 'mailauth/lib/spf/index.js';
import {
  formatDomain as format,
  getPublicKey,
  KEY_ERROR_COMMENTS,
  parseHeaders as parseFields,
  writeToStream,
} from 'mailauth/lib/tools.js';

import { dnsName } from '../../core/network/dns-name.ts';
import {
  isSignatureFault,
  readSignature,
  SIGNATURE_FAULTS,
  type SignatureFault,
} from '../../core/mail/signature-field.ts';

export type DmarcFacts = Parameters<typeof evaluate>[0];
export type DmarcEvaluation = Awaited<ReturnType<typeof evaluate>>;

export const spf: typeof verifySpf = (question) => verifySpf(question);

type ParsedSignature = {
  original: Buffer;
  parsed: Record<string, { value?: unknown } | undefined>;
};

/** Why a signature is not handed to mailauth; also when mailauth reads another key than we do. */
function faultOf({ original, parsed }: ParsedSignature): SignatureFault | undefined {
  const read = readSignature(original.toString());
  if (isSignatureFault(read)) return read;
  const isSame = parsed.d?.value === read.domain && parsed.s?.value === read.selector;
  return isSame ? undefined : SIGNATURE_FAULTS.malformed;
}

/** @property names what its `h` names; undefined without one */
export type SignatureResult = DKIMResult & { names: string[] | undefined };
type Verified = Pick<Verifier, 'headerFrom' | 'fromFields'> & {
  results: SignatureResult[];
  arc: ARCData;
};

/**
 * Verifies the signatures of an email. Those with a fault stay in the email, since others may sign
 * them, but are not verified: mailauth reports them as neutral with our reason.
 * @param fault of all that mailauth would verify
 */
export async function dkimVerify(
  input: AsyncIterable<Buffer>,
  options: { sender: string; resolver: DNSResolver; rejectRsaSha1: boolean },
  fault?: SignatureFault,
): Promise<Verified> {
  const verifier = new DkimVerifier(options);
  const prepare = verifier.prepareSignature.bind(verifier);
  verifier.prepareSignature = function prepareWithoutFault(signature) {
    prepare(signature);
    const own = faultOf(signature) ?? (signature.skip === undefined ? fault : undefined);
    if (own === undefined) return;
    delete signature.skip; // mailauth would not report it
    Object.assign(signature, { invalid: own, canonicalization: '' });
  };
  await writeToStream(verifier, Readable.from(input));
  const { headerFrom, fromFields, results, arc: chain, signatureHeaders } = verifier;
  const reported = signatureHeaders.filter(({ type, skip }) => type === 'DKIM' && !skip);
  return {
    headerFrom,
    fromFields,
    arc: chain,
    // in the same order; a `b` may stand in several signatures
    results: results.map((result, at) => ({ ...result, names: namesIn(reported[at]) })),
  };
}

function namesIn(signature: ParsedSignature | undefined): string[] | undefined {
  const names = signature?.parsed.h?.value;
  return typeof names === 'string' ? names.split(':') : undefined;
}

/**
 * A chain in which a field has a fault is not verified. It fails for good (RFC 8617 §5.2).
 * @param shared of all its fields
 */
export async function verifyArc(
  data: ARCData,
  options: { resolver: DNSResolver },
  shared?: SignatureFault,
): Promise<ARCResult> {
  const chain = (data.chain || []) as unknown as Record<string, ParsedSignature | undefined>[];
  for (const [at, entry] of chain.entries())
    for (const name of ['arc-seal', 'arc-message-signature']) {
      const field = entry[name];
      const fault = field && (faultOf(field) ?? shared);
      if (fault === undefined) continue;
      const status = { result: 'fail', comment: `i=${at + 1} ${fault}` };
      return { status, i: chain.length, chain: data.chain } as unknown as ARCResult;
    }
  return await arc(data, options);
}

/**
 * Evaluates DMARC for known authors, with the SPF and DKIM domains that passed. The domain of an
 * author must be a name in the DNS.
 */
export async function evaluateDmarc(facts: DmarcFacts): Promise<DmarcEvaluation> {
  const evaluation = await evaluate(facts);
  const isNamed = ({ headerFrom }: DmarcFacts) =>
    headerFrom.every((address) => dnsName(address.slice(address.lastIndexOf('@') + 1)));
  if (evaluation.response === false || isNamed(facts)) return evaluation;
  return { response: false, reason: 'the domain of From is not a DNS name' };
}

/** The fields of a head, as mailauth verifies them; `key` is the name in lower case. */
export const verifiedHeaderFields = (head: Buffer): { key?: string; line: Buffer }[] =>
  parseFields(head).parsed;

/** The form in which mailauth compares domains. */
export const formatDomain = (domain: string): string => format(domain);

type KeyFault = { code?: string; rr?: string };

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
  await verifier.messageHeaders(parseFields(fromFields));
  return { headerFrom: verifier.headerFrom, fromFields: verifier.fromFields };
}

/** The domain for which DMARC is evaluated; undefined without exactly one. */
export const authorDomainOf = (headerFrom: readonly string[]): string | undefined =>
  getAuthorDomain([...headerFrom], 1).authorDomain;

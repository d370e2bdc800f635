/**
 * Converts mailauth's results of DKIM signatures to ours, with a reason that a person can act on.
 * docs/spam-and-authentication.md lists the reasons.
 */
import type { DKIMResult, DNSResolver } from 'mailauth';

import { type Dkim, type DkimCoverage, dkimWarnings } from '../../core/mail/authentication.ts';
import { isSignatureFault } from '../../core/mail/signature-field.ts';
import { reasonInComment, shownName } from './arc-result.ts';
import {
  type DmarcEvaluation,
  findKey,
  formatDomain,
  keyFaultWords,
  type SignatureResult,
} from './library.ts';
import { asciiLower, type LookUps } from './lookups.ts';

type Verdict = Pick<Dkim, 'result' | 'reason'>;

/**
 * @param present names of the headers of the email, in lower case
 * @param isCut whether the body was not read to its end, which proves nothing
 */
export async function dkimOf(
  signature: SignatureResult,
  present: ReadonlySet<string>,
  dmarc: DmarcEvaluation,
  lookUps: LookUps,
  isCut: boolean,
): Promise<Dkim> {
  const { status, signingDomain = '', selector = '' } = signature;
  const hasFault = isSignatureFault(status.comment);
  const coverage = coverageOf(signature, isCut);
  return {
    domain: asciiLower(shownName(signingDomain)),
    selector: shownName(selector),
    aligned: !hasFault && isAligned(signature, dmarc),
    ...coverage,
    warnings: dkimWarnings(coverage, present),
    ...(isCut && status.result !== 'pass' && !hasFault
      ? { result: 'temperror', reason: 'the mail could not be hashed in time' }
      : await verdictOf(signature, lookUps)),
  };
}

/** A name in `h` also covers that no header of that name stands there (RFC 6376 §5.4.2). */
function coverageOf(
  { names, signingHeaders, canonBodyLength, canonBodyLengthTotal }: SignatureResult,
  isCut: boolean,
): DkimCoverage {
  const covered = names ?? signingHeaders?.keys.split(':') ?? [];
  const isHashed = !isCut && canonBodyLength !== undefined && canonBodyLengthTotal !== undefined;
  return {
    signed_headers: [
      ...new Set(covered.map((name) => asciiLower(name.trim())).filter((name) => name !== '')),
    ],
    unsigned_body_bytes: isHashed ? Math.max(0, canonBodyLengthTotal - canonBodyLength) : undefined,
  };
}

/**
 * A body that differs from the signed one is a failure (RFC 8601 §2.7.1), which mailauth reports as
 * neutral. A key that cannot be used is judged before it (RFC 6376 §6.1.2, §6.1.3). A short key or
 * SHA-1 is not: no key, however weak, has signed this body (D126).
 */
async function verdictOf(signature: DKIMResult, lookUps: LookUps): Promise<Verdict> {
  const { status, bodyHash, bodyHashExpecting, rr } = signature;
  if (isSignatureFault(status.comment)) return { result: 'permerror', reason: status.comment }; // RFC 6376 §6.1.1
  const isOtherBody =
    status.result === 'neutral' &&
    bodyHash !== undefined &&
    bodyHashExpecting !== undefined &&
    bodyHash !== bodyHashExpecting;
  if (isOtherBody)
    return (
      (await keyFaultOf(signature, lookUps)) ?? {
        result: 'fail',
        reason: reasonInComment(status.comment),
      }
    );
  const reason =
    status.result === 'pass' && status.underSized
      ? `the last ${status.underSized} bytes of the body are not signed`
      : status.policy?.['dkim-rules'] === 'weak-key'
        ? SHORT_KEY
        : status.comment;
  return {
    result: status.result as Dkim['result'],
    reason: reasonInComment(orRevoked(reason, rr)),
  };
}

const SHORT_KEY = 'key too short'; // RFC 8301 §3.2: less than 1024 bits

async function keyFaultOf(
  { algo = '', selector, signingDomain }: DKIMResult,
  lookUps: LookUps,
): Promise<Verdict | undefined> {
  if (/-sha1$/i.test(algo)) return undefined; // no key makes it pass (RFC 8301 §3.1)
  const name = `${selector}._domainkey.${signingDomain}`;
  const fault = await findKey(name, 'sha256', lookUps.resolve as DNSResolver);
  if (fault === undefined || fault.code === 'ESHORTKEY') return undefined;
  const words = keyFaultWords(fault.code);
  return words === undefined
    ? { result: 'temperror', reason: `DNS failure: ${fault.code ?? 'unknown'}` }
    : { result: 'neutral', reason: reasonInComment(orRevoked(words, fault.rr)) };
}

/** An empty `p` revokes a key (RFC 6376 §3.6.1). @param record without blanks */
const orRevoked = (reason: string | undefined, record: string | undefined) =>
  reason === 'invalid public key' && /(^|;)p=(;|$)/.test(record ?? '') ? 'key revoked' : reason;

/**
 * For a signature that did not pass, and without a policy, mailauth decides by the Public Suffix
 * List. Without an author, nothing is aligned.
 */
function isAligned(
  { status, signingDomain = '' }: DKIMResult,
  { response, dkimAligned }: DmarcEvaluation,
): boolean {
  if (response === false) return false;
  if (dkimAligned && status.result === 'pass') return dkimAligned.has(formatDomain(signingDomain));
  const isStrict = dkimAligned !== undefined && response.alignment.dkim.strict;
  return (
    typeof status.aligned === 'string' &&
    (!isStrict || formatDomain(signingDomain) === formatDomain(response.status.header?.from ?? ''))
  );
}

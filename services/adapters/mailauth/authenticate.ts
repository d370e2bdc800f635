/**
 * Authenticates an email with mailauth, which hashes in this thread: in pieces, with bounds on what
 * a sender can make it do.
 */
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ARCResult, DMARCResult, DNSResolver, SPFResult } from 'mailauth';

import {
  type Authentication,
  dmarcVerdict,
  type DmarcFacts,
} from '../../core/mail/authentication.ts';
import { authorsIn, UNCLEAR_AUTHOR_REASON } from '../../core/mail/author.ts';
import type { Envelope } from '../../core/webhook/payload.ts';
import { endOfLines, splitMail, withWholeLineEnds } from '../../core/mail/raw-mail.ts';
import {
  isSignatureFault,
  readSignature,
  SIGNATURE_FAULTS,
} from '../../core/mail/signature-field.ts';
import { signedHead, type SignedHead } from '../../core/mail/signed-head.ts';
import type { Dns } from '../dns/resolver.ts';
import { resumeStep } from '../threads/job.ts';
import { arcOf, reasonInComment } from './arc-result.ts';
import { dkimOf } from './dkim-result.ts';
import {
  authorDomainOf,
  dkimVerify,
  type DmarcEvaluation,
  type SignatureResult,
  verifyArc,
} from './library.ts';
import { asciiLower, type LookUps, startLookUps } from './lookups.ts';
import { createEvaluations, type Evaluations } from './result-cache.ts';
import { isReadAlike } from './header-agreement.ts';

export type MailAuthOptions = {
  /** The gateway's name, for SPF macros. */
  hostname: string | undefined;
  /**
   * Time limit for all lookups of an email together. A result that is missing then is temperror.
   */
  budgetMs: number;
  /** Domains whose ARC seals may override a DMARC failure. */
  trustedSealers: readonly string[];
  /**
   * How long results are reused for emails of the same client, sender and author. Absent: never.
   */
  resultCacheMs?: number;
};

/** Never throws because of the DNS or the email. */
export type Authenticate = (raw: Buffer, envelope: Envelope) => Promise<Authentication>;

/**
 * Each piece is hashed before the event loop runs again: a few milliseconds for each kind of hash.
 * Much smaller pieces make very long lines expensive. The cost of short lines depends on their
 * number.
 */
const PIECE_BYTES = 256 * 1024;
const PIECE_LINES = 4_000;

export function createAuthenticate(dns: Dns, options: MailAuthOptions): Authenticate {
  const mta = options.hostname ?? hostname();
  const evaluations = createEvaluations(options.resultCacheMs ?? 0);
  return async function authenticate(raw, envelope) {
    using lookUps = startLookUps(dns, options.budgetMs);
    const [{ spf, dkim, arc, dmarcFacts }, iprev] = await Promise.all([
      evaluate(raw, envelope, mta, lookUps, evaluations),
      evaluations.iprev(envelope.remoteIp, lookUps),
    ]);
    return {
      spf,
      dkim,
      dmarc: dmarcVerdict(dmarcFacts, { spf, dkim, arc }, options.trustedSealers),
      arc,
      iprev,
    };
  };
}

/**
 * Like mailauth's own `authenticate`, except that the lookups of SPF and of all keys start
 * together, an email without signatures is not parsed for them, and Received fields, which are
 * expensive, are not parsed at all.
 */
async function evaluate(
  raw: Buffer,
  { mailFrom, remoteIp, heloDomain }: Envelope,
  mta: string,
  lookUps: LookUps,
  evaluations: Evaluations,
) {
  const { head, body } = splitMail(raw);
  const signed = signedHead(head, body.byteLength);
  const reading = { isCut: false };
  const resolver = lookUps.resolve as DNSResolver;
  const [verified, spf] = await Promise.all([
    signed?.isSigned === true
      ? verifySignatures(signed, head, body, mailFrom, lookUps, reading)
      : unsigned(signed?.author ?? Buffer.alloc(0), evaluations),
    evaluations.spf({
      ip: remoteIp,
      helo: isIP(heloDomain) ? `[${heloDomain}]` : heloDomain || `[${remoteIp}]`,
      sender: mailFrom,
      mta,
      resolver,
      strict: true,
    }),
  ]);
  const { fromFields, results, arc } = verified;
  const authors = authorsIn(signed?.authors ?? []);
  const headerFrom = authors.mailboxes.map(({ address }) => address);
  const isUnclear =
    authors.isUnclear || authorDomainOf(headerFrom) !== authorDomainOf(verified.headerFrom);
  const evaluateDmarc = isUnclear ? async () => UNCLEAR : evaluations.dmarc;
  const dmarc = await evaluateDmarc(
    {
      headerFrom,
      fromFields,
      arcResult: arc,
      spfDomains: spf.status.result === 'pass' ? [spf.domain] : [],
      dkimDomains: results.flatMap(({ status, signingDomain }) =>
        status.result === 'pass' && signingDomain
          ? [{ domain: signingDomain, underSized: status.underSized }]
          : [],
      ),
    },
    lookUps,
  );
  const present = signed?.names ?? new Set();
  return {
    spf: spfOf(spf, mta),
    dkim: await Promise.all(
      results.map((signature) => dkimOf(signature, present, dmarc, lookUps, reading.isCut)),
    ),
    arc: arcOf(arc, lookUps, reading.isCut),
    dmarcFacts: dmarcFactsOf(dmarc, signed === undefined),
  };
}

/** Nobody is judged where the library reads another author than the payload shows (D120). */
const UNCLEAR: DmarcEvaluation = { response: false, reason: UNCLEAR_AUTHOR_REASON };

type Signatures = {
  headerFrom: string[];
  fromFields: number;
  results: SignatureResult[];
  arc: ARCResult;
};

async function verifySignatures(
  { head, keyed, signsBody }: SignedHead,
  wholeHead: Buffer,
  body: Buffer,
  mailFrom: string,
  lookUps: LookUps,
  reading: { isCut: boolean },
): Promise<Signatures> {
  const resolver = lookUps.resolve as DNSResolver;
  const fault = isReadAlike(wholeHead) ? undefined : SIGNATURE_FAULTS.head;
  if (fault === undefined) askForKeys(keyed, lookUps);
  const parts = signsBody ? [head, body] : [head];
  const { headerFrom, fromFields, results, arc } = await dkimVerify(
    pieces(parts, lookUps, reading),
    { sender: mailFrom || '<>', resolver, rejectRsaSha1: true }, // RFC 8301 §3.1
    fault,
  );
  return {
    headerFrom,
    fromFields,
    results: results.filter(({ status }) => status.result !== 'none'),
    arc: await verifyArc(arc, { resolver }, fault),
  };
}

const NO_ARC = { status: { result: 'none' }, i: 0 } as ARCResult;

/** @param author the From fields */
const unsigned = async (author: Buffer, { authors }: Evaluations): Promise<Signatures> => ({
  ...(await authors(author)),
  results: [],
  arc: NO_ARC,
});

/**
 * Looks up all keys at the same time, while the body is hashed: one after the other, a slow lookup
 * would leave no time for the next.
 */
function askForKeys(keyed: readonly Buffer[], lookUps: LookUps): void {
  for (const field of keyed) {
    const read = readSignature(field.toString());
    if (!isSignatureFault(read)) void lookUps.find(read.keyName, 'TXT');
  }
}

/**
 * The email with CRLF line ends, in pieces; the event loop runs between them. At the deadline it
 * stops.
 */
async function* pieces(
  parts: readonly Buffer[],
  lookUps: LookUps,
  reading: { isCut: boolean },
): AsyncGenerator<Buffer> {
  let last = 0;
  for (const part of parts) {
    for (let start = 0, end = 0; start < part.byteLength; start = end) {
      reading.isCut = start > 0 && lookUps.isOver();
      if (reading.isCut) return;
      end = endOfLines(part, start, PIECE_BYTES, PIECE_LINES);
      const piece = part.subarray(start, end);
      yield withWholeLineEnds(piece, last);
      last = piece.at(-1) ?? last;
      await nextTurn();
      resumeStep();
    }
  }
}

function spfOf(
  { status: { result, comment }, domain }: SPFResult,
  mta: string,
): Authentication['spf'] {
  return {
    result: result as Authentication['spf']['result'],
    domain: asciiLower(domain),
    reason: reasonInComment(comment?.replace(`${mta}: `, '')),
  };
}

function dmarcFactsOf({ response, reason: why }: DmarcEvaluation, isTooLong: boolean): DmarcFacts {
  const nothing = { domain: null, policy: null, alignment: { spf: false, dkim: false } };
  if (response === false) {
    const reason = isTooLong ? 'the headers are too long' : (why?.replaceAll('-', ' ') ?? null);
    const result = why === 'no-author-domain' && !isTooLong ? 'none' : 'permerror'; // RFC 9989 §5.3.1, §11.5
    return {
      found: { ...nothing, result, reason },
      organisationalDomain: null,
      strict: { spf: false, dkim: false },
    };
  }
  // Without a record, mailauth's result lacks most fields that its types promise.
  const { status, alignment, policy, domain, error } = response as Partial<DMARCResult> & {
    status: DMARCResult['status'];
    error?: string;
  };
  return {
    found: {
      result: status.result as Authentication['dmarc']['result'],
      domain: asciiLower(status.header?.from ?? ''),
      policy: (policy ?? null) as Authentication['dmarc']['policy'],
      alignment: {
        spf: alignment?.spf.result !== undefined,
        dkim: alignment?.dkim.result !== undefined,
      },
      reason: reasonInComment(error),
    },
    organisationalDomain: domain ?? null,
    strict: { spf: alignment?.spf.strict ?? false, dkim: alignment?.dkim.strict ?? false },
  };
}

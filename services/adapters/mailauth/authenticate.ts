/** Authenticates a mail by mailauth, which hashes in this thread: pieces at a time, with bounds on what a sender can make it do. */
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  arc as verifyArc,
  type ARCData,
  type ARCResult,
  type DKIMResult,
  dkimVerify,
  type DMARCResult,
  type DNSResolver,
  spf as verifySpf,
  type SPFResult,
} from 'mailauth';
import { evaluateDmarc } from 'mailauth/lib/dmarc/index.js';
import parseDkimHeaders from 'mailauth/lib/parse-dkim-headers.js';
import { formatDomain, toALabel } from 'mailauth/lib/tools.js';

import {
  type Arc,
  type Authentication,
  type Dkim,
  dmarcVerdict,
  type DmarcFacts,
} from '../../core/mail/authentication.ts';
import type { Envelope } from '../../core/mail/payload.ts';
import { isInNetworks } from '../../core/network.ts';
import { endOfLines, splitMail, withWholeLineEnds } from '../../core/mail/raw-mail.ts';
import { reversedName } from '../../core/smtp/reversed-name.ts';
import { signedHead } from '../../core/mail/signed-head.ts';
import type { Dns } from '../dns/resolver.ts';
import { asciiLower, type LookUps, startLookUps } from './lookups.ts';

export type MailAuthOptions = {
  /** Ours, for SPF macros. */
  hostname: string | undefined;
  /** For all look-ups of a mail together; what is not known by then is temperror. */
  budgetMs: number;
  /** Domains whose ARC seals may override a DMARC failure. */
  trustedSealers: readonly string[];
};

/** Never throws for what the DNS or the mail does. */
export type Authenticate = (raw: Buffer, envelope: Envelope) => Promise<Authentication>;

/** Hashed between two turns of the event loop: some milliseconds for each kind of hash. Much smaller pieces make very long lines expensive; short lines cost by their number. */
const PIECE_BYTES = 256 * 1024;
const PIECE_LINES = 4_000;
const REVERSE_NAMES_MAX = 5; // names of one address that are looked at (RFC 8601 §2.7.3 leaves it open)

export function createAuthenticate(dns: Dns, options: MailAuthOptions): Authenticate {
  const mta = options.hostname ?? hostname();
  return async function authenticate(raw, envelope) {
    using lookUps = startLookUps(dns, options.budgetMs);
    const [{ spf, dkim, arc, dmarcFacts }, iprev] = await Promise.all([
      evaluate(raw, envelope, mta, lookUps),
      reverseDns(lookUps, envelope.remoteIp),
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

/** As mailauth's own `authenticate`, but for SPF and keys, which are asked for at once, and the Received fields, which it takes apart for nobody at a great cost. */
async function evaluate(
  raw: Buffer,
  { mailFrom, remoteIp, heloDomain }: Envelope,
  mta: string,
  lookUps: LookUps,
) {
  const { head, body } = splitMail(raw);
  const signed = signedHead(head, body.byteLength);
  const parts = signed === undefined ? [] : [signed.head, ...(signed.signsBody ? [body] : [])];
  const reading = { isCut: false };
  const resolver = lookUps.resolve as DNSResolver;
  askForKeys(signed?.keyed ?? [], lookUps);
  const [verified, spf] = await Promise.all([
    dkimVerify(Readable.from(pieces(parts, lookUps, reading)), {
      sender: mailFrom || '<>',
      resolver,
      rejectRsaSha1: true,
    }), // RFC 8301 §3.1
    verifySpf({
      ip: remoteIp,
      helo: isIP(heloDomain) ? `[${heloDomain}]` : heloDomain || `[${remoteIp}]`,
      sender: mailFrom,
      mta,
      resolver,
    }),
  ]);
  const { headerFrom, fromFields } = verified;
  const results = verified.results.filter(({ status }) => status.result !== 'none');
  const arc = await verifyArc(verified.arc as ARCData, { resolver });
  const dmarc = await evaluateDmarc({
    headerFrom,
    fromFields,
    arcResult: arc,
    resolver: lookUps.resolvePolicy as DNSResolver,
    spfDomains: spf.status.result === 'pass' ? [spf.domain] : [],
    dkimDomains: results.flatMap(({ status, signingDomain }) =>
      status.result === 'pass' && signingDomain
        ? [{ domain: signingDomain, underSized: status.underSized }]
        : [],
    ),
  });
  return {
    spf: spfOf(spf, mta),
    dkim: results.map((signature) => dkimOf(signature, isAligned(signature, dmarc), reading.isCut)),
    arc: arcOf(arc, lookUps, reading.isCut),
    dmarcFacts: dmarcFactsOf(dmarc, signed === undefined),
  };
}

type DmarcEvaluation = Awaited<ReturnType<typeof evaluateDmarc>>;

/** All at once, and while the body is read: one after the other, a slow one would leave no time for those that follow. */
function askForKeys(keyed: readonly Buffer[], lookUps: LookUps): void {
  for (const field of keyed) {
    const { d, s } = parseDkimHeaders(field).parsed;
    if (typeof d?.value === 'string' && typeof s?.value === 'string')
      void lookUps.find(toALabel(`${s.value}._domainkey.${d.value}`), 'TXT');
  }
}

/** The mail with whole line ends, in pieces between which others have their turn. When the time is up, what is left is not read. */
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
    reason: reasonOf(comment?.replace(`${mta}: `, '')),
  };
}

/** Of a signature that has not passed mailauth guesses, by the Public Suffix List; so it does without a policy. Without an author there is nothing to be aligned with. */
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

/** A body that is not the signed one is a failure (RFC 8601 §2.7.1); mailauth says neutral. One that was not read to its end proves nothing. */
function dkimOf(
  { status, signingDomain = '', selector = '', bodyHash, bodyHashExpecting }: DKIMResult,
  aligned: boolean,
  isCut: boolean,
): Dkim {
  const found = { domain: asciiLower(signingDomain), selector, aligned };
  const isOtherBody =
    status.result === 'neutral' &&
    bodyHash !== undefined &&
    bodyHashExpecting !== undefined &&
    bodyHash !== bodyHashExpecting;
  if (isCut && status.result !== 'pass')
    return { ...found, result: 'temperror', reason: 'the mail could not be hashed in time' };
  if (status.underSized)
    return {
      ...found,
      result: status.result as Dkim['result'],
      reason: `the last ${status.underSized} bytes of the body are not signed`,
    };
  return {
    ...found,
    result: isOtherBody ? 'fail' : (status.result as Dkim['result']),
    reason: reasonOf(status.comment),
  };
}

/** To mailauth a seal whose key could not be looked up is a broken one, and a chain that cannot be read is false, whatever its types say. */
function arcOf(arc: ARCResult, lookUps: LookUps, isCut: boolean): Arc {
  if (arc.status.result === 'none') return { result: 'none', chain: [], reason: null };
  const entries = (arc.chain || []).map((entry) => ({
    instance: entry.i,
    seal: tagsOf(entry['arc-seal']),
    results:
      entry.i === arc.i && arc.authenticationResults
        ? (arc.authenticationResults as Tags)
        : tagsOf(entry['arc-authentication-results']),
  }));
  const wasUnknown = entries.some(({ seal }) =>
    lookUps.hasFailed(`${tagText(seal.s)}._domainkey.${tagText(seal.d)}`),
  );
  return {
    result: arc.status.result === 'pass' ? 'pass' : wasUnknown || isCut ? 'temperror' : 'fail',
    chain: entries.map(({ instance, seal, results }) => ({
      instance,
      sealer: asciiLower(tagText(seal.d) ?? ''),
      dmarc: tagText(results.dmarc)?.toLowerCase() ?? null,
    })),
    reason: reasonOf(arc.status.comment),
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
  // What mailauth has no record for lacks most fields that its types promise.
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
      reason: reasonOf(error),
    },
    organisationalDomain: domain ?? null,
    strict: { spf: alignment?.spf.strict ?? false, dkim: alignment?.dkim.strict ?? false },
  };
}

/** A name of the address that leads back to it (RFC 8601 §2.7.3). */
async function reverseDns(lookUps: LookUps, ip: string): Promise<Authentication['iprev']> {
  const nameOfAddress = reversedName(ip);
  const type = ip.includes(':') && !nameOfAddress?.endsWith('.in-addr.arpa') ? 'AAAA' : 'A';
  const names = nameOfAddress === undefined ? [] : await lookUps.find(nameOfAddress, 'PTR');
  if (names === undefined) return { result: 'temperror', name: null };
  if (names.length === 0) return { result: 'permerror', name: null };
  const addresses = await Promise.all(
    names
      .slice(0, REVERSE_NAMES_MAX)
      .map(async (name) => ({ name, found: await lookUps.find(name, type) })),
  );
  const back = addresses.find(({ found }) => found?.some((address) => isInNetworks(ip, [address])));
  if (back !== undefined) return { result: 'pass', name: asciiLower(back.name) };
  return {
    result: addresses.some(({ found }) => found === undefined) ? 'temperror' : 'fail',
    name: null,
  };
}

const REASON_MAX_CHARS = 300;

const reasonOf = (comment: string | undefined): string | null =>
  comment ? comment.slice(0, REASON_MAX_CHARS) : null;

/** Headers of an ARC set as mailauth takes them apart; the newest set's results it has arranged once more. */
type Tags = Record<string, { value?: unknown; result?: unknown } | undefined>;
const tagsOf = (header: unknown): Tags => (header as { parsed?: Tags } | undefined)?.parsed ?? {};
function tagText(tag: Tags[string]): string | undefined {
  const text = tag?.result ?? tag?.value;
  return typeof text === 'string' ? text : undefined;
}

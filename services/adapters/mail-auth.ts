/** Authenticates a mail by mailauth, which hashes in this thread: pieces at a time, with bounds on what a sender can make it do. */
import { hostname } from 'node:os';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ARCResult, authenticate as authenticateByMailauth, type AuthenticateResult, type DKIMResult, type DMARCResult, type DNSResolver } from 'mailauth';

import { type Arc, type Authentication, type Dkim, dmarcVerdict, type DmarcFacts } from '../core/authentication.ts';
import type { Envelope } from '../core/payload.ts';
import { isWithin } from '../core/public-network.ts';
import { endOfLines, lineCount, splitMail, withoutExcessFields, withWholeLineEnds } from '../core/raw-mail.ts';
import { reversedName } from '../core/reversed-name.ts';
import { type Dns, DnsError, type DnsRecords, isNoSuchRecord, type RecordType } from './dns.ts';

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

/** Each signature may ask for a hash of the whole body of its own. */
const SIGNATURES_MAX = 10;
/** Longer header blocks cost too much to take apart, mailauth's time for folded lines even their square; none that was seen comes near. */
const HEAD_MAX_BYTES = 256 * 1024;
const HEAD_MAX_LINES = 5_000;
/** Hashed between two turns of the event loop: some milliseconds for each kind of hash. Much smaller pieces make very long lines expensive; short lines cost by their number. */
const PIECE_BYTES = 256 * 1024;
const PIECE_LINES = 4_000;
const REVERSE_NAMES_MAX = 5; // names of one address that are looked at (RFC 8601 §2.7.3 leaves it open)

export function createAuthenticate(dns: Dns, options: MailAuthOptions): Authenticate {
  const mta = options.hostname ?? hostname();
  return async function authenticate(raw, envelope) {
    using lookUps = startBudget(dns, options.budgetMs);
    const [{ spf, dkim, arc, dmarcFacts }, iprev] = await Promise.all([evaluate(raw, envelope, mta, lookUps), reverseDns(lookUps, envelope.remoteIp)]);
    return { spf, dkim, dmarc: dmarcVerdict(dmarcFacts, { spf, dkim, arc }, options.trustedSealers), arc, iprev };
  };
}

async function evaluate(raw: Buffer, { mailFrom, remoteIp, heloDomain }: Envelope, mta: string, lookUps: LookUps) {
  const { head, body } = splitMail(raw);
  const isTooLong = head.byteLength > HEAD_MAX_BYTES || lineCount(head) > HEAD_MAX_LINES;
  const parts = isTooLong ? [] : [withoutExcessFields(head, 'dkim-signature', SIGNATURES_MAX), ...(mayBeSigned(head) ? [body] : [])];
  const reading = { isCut: false };
  const results = await authenticateByMailauth(Readable.from(pieces(parts, lookUps, reading)), {
    ip: remoteIp, helo: heloDomain, sender: mailFrom, mta, resolver: lookUps.resolve as DNSResolver,
    rejectRsaSha1: true, // RFC 8301 §3.1
    disableBimi: true,
  });
  return {
    spf: spfOf(results.spf, mta),
    dkim: results.dkim.results.filter(({ status }) => status.result !== 'none').map((signature) => dkimOf(signature, reading.isCut)),
    arc: arcOf(results.arc, lookUps, reading.isCut),
    dmarcFacts: dmarcFactsOf(results, isTooLong),
  };
}

/** Without a signature nothing asks for a hash of the body. */
const mayBeSigned = (head: Buffer) => /dkim-signature|arc-message-signature/i.test(head.toString('latin1'));

/** The mail with whole line ends, in pieces between which others have their turn. When the time is up, what is left is not read. */
async function* pieces(parts: readonly Buffer[], lookUps: LookUps, reading: { isCut: boolean }): AsyncGenerator<Buffer> {
  let last = 0;
  for (const part of parts) {
    for (let start = 0, end = 0; start < part.byteLength; start = end) {
      reading.isCut = lookUps.isOver();
      if (reading.isCut) return;
      end = endOfLines(part, start, PIECE_BYTES, PIECE_LINES);
      const piece = part.subarray(start, end);
      yield withWholeLineEnds(piece, last);
      last = piece.at(-1) ?? last;
      await nextTurn();
    }
  }
}

function spfOf(spf: AuthenticateResult['spf'], mta: string): Authentication['spf'] {
  if (spf === false) return { result: 'none', domain: null, reason: null };
  const { result, comment } = spf.status;
  return { result: result as Authentication['spf']['result'], domain: asciiLower(spf.domain), reason: reasonOf(comment?.replace(`${mta}: `, '')) };
}

/** A body that is not the signed one is a failure (RFC 8601 §2.7.1); mailauth says neutral. One that was not read to its end proves nothing. */
function dkimOf({ status, signingDomain = '', selector = '', bodyHash, bodyHashExpecting }: DKIMResult, isCut: boolean): Dkim {
  const found = { domain: asciiLower(signingDomain), selector, aligned: typeof status.aligned === 'string' };
  const isOtherBody = status.result === 'neutral' && bodyHashExpecting !== undefined && bodyHash !== bodyHashExpecting;
  if (isCut && status.result !== 'pass') return { ...found, result: 'temperror', reason: 'the mail could not be hashed in time' };
  if (status.underSized) return { ...found, result: status.result as Dkim['result'], reason: `the last ${status.underSized} bytes of the body are not signed` };
  return { ...found, result: isOtherBody ? 'fail' : (status.result as Dkim['result']), reason: reasonOf(status.comment) };
}

/** To mailauth a seal whose key could not be looked up is a broken one, and a chain that cannot be read is false, whatever its types say. */
function arcOf(arc: ARCResult | false, lookUps: LookUps, isCut: boolean): Arc {
  if (arc === false || arc.status.result === 'none') return { result: 'none', chain: [], reason: null };
  const entries = (arc.chain || []).map((entry) => ({ instance: entry.i, seal: tagsOf(entry['arc-seal']), results: entry.i === arc.i && arc.authenticationResults ? arc.authenticationResults as Tags : tagsOf(entry['arc-authentication-results']) }));
  const wasUnknown = entries.some(({ seal }) => lookUps.hasFailed(`${tagText(seal.s)}._domainkey.${tagText(seal.d)}`));
  return {
    result: arc.status.result === 'pass' ? 'pass' : wasUnknown || isCut ? 'temperror' : 'fail',
    chain: entries.map(({ instance, seal, results }) => ({ instance, sealer: asciiLower(tagText(seal.d) ?? ''), dmarc: tagText(results.dmarc)?.toLowerCase() ?? null })),
    reason: reasonOf(arc.status.comment),
  };
}

function dmarcFactsOf({ dmarc, dmarcSkipReason }: AuthenticateResult, isTooLong: boolean): DmarcFacts {
  const nothing = { domain: null, policy: null, alignment: { spf: false, dkim: false } };
  if (dmarc === false) {
    const reason = isTooLong ? 'the headers are too long' : (dmarcSkipReason?.replaceAll('-', ' ') ?? null);
    const result = dmarcSkipReason === 'no-author-domain' && !isTooLong ? 'none' : 'permerror'; // RFC 9989 §5.3.1, §11.5
    return { found: { ...nothing, result, reason }, organisationalDomain: null, strict: { spf: false, dkim: false } };
  }
  // What mailauth has no record for lacks most fields that its types promise.
  const { status, alignment, policy, domain, error } = dmarc as Partial<DMARCResult> & { status: DMARCResult['status']; error?: string };
  return {
    found: {
      result: status.result as Authentication['dmarc']['result'],
      domain: asciiLower(status.header?.from ?? ''),
      policy: (policy ?? null) as Authentication['dmarc']['policy'],
      alignment: { spf: alignment?.spf.result !== undefined, dkim: alignment?.dkim.result !== undefined },
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
  const addresses = await Promise.all(names.slice(0, REVERSE_NAMES_MAX).map(async (name) => ({ name, found: await lookUps.find(name, type) })));
  const back = addresses.find(({ found }) => found?.some((address) => isWithin(ip, [address])));
  if (back !== undefined) return { result: 'pass', name: asciiLower(back.name) };
  return { result: addresses.some(({ found }) => found === undefined) ? 'temperror' : 'fail', name: null };
}

type LookUps = Disposable & {
  resolve: Dns['resolve'];
  /** Empty when there is nothing, undefined when that could not be found out. */
  find<T extends RecordType>(name: string, type: T): Promise<DnsRecords[T] | undefined>;
  /** Whether a look-up of this name has failed for now. */
  hasFailed(name: string): boolean;
  isOver(): boolean;
};

/** The last of the time is kept for DMARC policies, or slow names of a sender's choosing could hide what the owner of From asks for. */
const BEFORE_DMARC = 0.6;

/** Look-ups that fail when the time of a mail is up, those under way included. */
function startBudget(dns: Dns, budgetMs: number): LookUps {
  const failed = new Set<string>();
  const [forMost, forAll] = [createDeadline(budgetMs * BEFORE_DMARC), createDeadline(budgetMs)];

  const resolve = async <T extends RecordType>(name: string, type: T): Promise<DnsRecords[T]> => {
    const deadline = name.startsWith('_dmarc.') ? forAll : forMost;
    try {
      if (deadline.isOver()) throw new DnsError('ETIMEOUT', type, name);
      const records = await Promise.race([dns.resolve(name, type), deadline.reached]);
      if (records === undefined) throw new DnsError('ETIMEOUT', type, name);
      return records;
    } catch (error) {
      if (!isNoSuchRecord(error)) failed.add(asciiLower(name));
      throw error;
    }
  };
  return {
    resolve,
    find: (name, type) => resolve(name, type).catch((error: unknown) => (isNoSuchRecord(error) ? [] : undefined)),
    hasFailed: (name) => failed.has(asciiLower(name)),
    isOver: forAll.isOver,
    [Symbol.dispose]: () => {
      forMost.clear();
      forAll.clear();
    },
  };
}

function createDeadline(ms: number) {
  const { promise: reached, resolve } = Promise.withResolvers<undefined>();
  const endsAt = performance.now() + ms;
  const timer = setTimeout(() => resolve(undefined), ms);
  return { reached, isOver: () => performance.now() >= endsAt, clear: () => clearTimeout(timer) };
}

const REASON_MAX_CHARS = 300;

const reasonOf = (comment: string | undefined): string | null => (comment ? comment.slice(0, REASON_MAX_CHARS) : null);
const asciiLower = (name: string) => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Headers of an ARC set as mailauth takes them apart; the newest set's results it has arranged once more. */
type Tags = Record<string, { value?: unknown; result?: unknown } | undefined>;
const tagsOf = (header: unknown): Tags => ((header as { parsed?: Tags } | undefined)?.parsed ?? {});
function tagText(tag: Tags[string]): string | undefined {
  const text = tag?.result ?? tag?.value;
  return typeof text === 'string' ? text : undefined;
}

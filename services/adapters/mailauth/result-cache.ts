/**
 * Caches results that are the same for many emails of one client, sender and domain. Each expires
 * before the DNS records that it depends on.
 */
import { LRUCache } from 'lru-cache';
import type { DNSResolver, SPFOptions, SPFResult } from 'mailauth';

import type { Authentication } from '../../core/mail/authentication.ts';
import { authorsOf, type DmarcEvaluation, type DmarcFacts, evaluateDmarc, spf } from './library.ts';
import type { LookUps } from './lookups.ts';
import { reverseDns } from './reverse-dns.ts';

/**
 * Returns the cached result, or evaluates it. Emails do not share an evaluation in flight, because
 * each has its own deadline.
 */
type ResultCache<Result> = (
  key: string, // everything that the result depends on, except DNS records
  evaluate: () => Promise<Result>,
  isLasting: (result: Result) => boolean, // false when a failed lookup may have changed the result: it is not stored
) => Promise<Result>;

const ENTRIES_MAX = 10_000;
/** Senders choose most of a key. Longer ones are rare, and are not stored. */
const KEY_MAX_CHARS = 1_000;

/** @param ttlMs 0 for no cache */
export function createResultCache<Result extends object>(ttlMs: number): ResultCache<Result> {
  if (ttlMs === 0) return (_, evaluate) => evaluate();
  const known = new LRUCache<string, Result>({ max: ENTRIES_MAX, ttl: ttlMs });
  return async function cachedResult(key, evaluate, isLasting) {
    const cached = known.get(key);
    if (cached !== undefined) return cached;
    const result = await evaluate();
    if (key.length <= KEY_MAX_CHARS && isLasting(result)) known.set(key, result);
    return result;
  };
}

export type Evaluations = {
  spf: (question: SPFOptions) => Promise<SPFResult>;
  dmarc: (facts: Omit<DmarcFacts, 'resolver'>, lookUps: LookUps) => Promise<DmarcEvaluation>;
  iprev: (ip: string, lookUps: LookUps) => Promise<Authentication['iprev']>;
  authors: typeof authorsOf;
};

/** The evaluations that authentication makes for an email, each with its own cache. */
export function createEvaluations(ttlMs: number): Evaluations {
  const spfResults = createResultCache<SPFResult>(ttlMs);
  const dmarcResults = createResultCache<DmarcEvaluation>(ttlMs);
  const iprevResults = createResultCache<Authentication['iprev']>(ttlMs);
  const authors = createResultCache<Awaited<ReturnType<typeof authorsOf>>>(ttlMs);
  return {
    spf: (question) =>
      spfResults(
        [question.ip, question.helo, question.sender].join('\n'), // cannot occur in any of these
        () => spf(question),
        ({ status }) => status.result !== 'temperror',
      ),
    dmarc: (facts, lookUps) =>
      dmarcResults(
        JSON.stringify({ ...facts, arcResult: facts.arcResult.status.result }),
        () => evaluateDmarc({ ...facts, resolver: lookUps.resolvePolicy as DNSResolver }),
        () => !lookUps.haveFailed(),
      ),
    iprev: (ip, lookUps) =>
      iprevResults(
        ip,
        () => reverseDns(lookUps, ip),
        ({ result }) => result !== 'temperror',
      ),
    authors: (fromFields) =>
      authors(
        fromFields.toString('latin1'),
        () => authorsOf(fromFields),
        () => true,
      ),
  };
}

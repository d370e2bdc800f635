/** Converts mailauth's ARC result to ours. */
import type { ARCResult } from 'mailauth';

import { dnsName } from '../../core/network/dns-name.ts';
import type { Arc } from '../../core/mail/authentication.ts';
import { asciiLower, type LookUps } from './lookups.ts';

/**
 * mailauth reports a seal whose key could not be looked up as broken. A chain that cannot be parsed
 * is false, whatever its types say.
 */
export function arcOf(arc: ARCResult, lookUps: LookUps, isCut: boolean): Arc {
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
  const isMalformed = arc.warnings?.some((warning) => MALFORMED.has(warning)) === true;
  const passes = arc.status.result === 'pass' && !isMalformed;
  return {
    result: passes ? 'pass' : wasUnknown || isCut ? 'temperror' : 'fail',
    chain: entries.map(({ instance, seal, results }) => ({
      instance,
      sealer: asciiLower(shownName(tagText(seal.d) ?? '')),
      dmarc: tagText(results.dmarc)?.toLowerCase() ?? null,
      header_from: judgedDomain(results.dmarc),
    })),
    reason: isMalformed ? 'malformed tags' : reasonInComment(arc.status.comment),
  };
}

/**
 * Faults that mailauth accepts, against RFC 8617 §4.1 and RFC 6376 §3.2, §3.5: duplicate tags, names
 * in upper case, instances that are not numbers, a signature that only verifies with a `c` that it
 * does not have.
 */
const MALFORMED: ReadonlySet<string> = new Set([
  'arc-tag-syntax',
  'arc-instance-syntax',
  'ams-c-default',
]);

/** Nothing but a name is shown as one. */
export const shownName = (text: string): string => (dnsName(text) === undefined ? '' : text);

const REASON_MAX_CHARS = 300;

export const reasonInComment = (comment: string | undefined): string | null =>
  comment ? comment.slice(0, REASON_MAX_CHARS) : null;

/**
 * Fields of an ARC set as mailauth parses them. It arranges the results of the newest set
 * differently.
 */
type Tags = Record<
  string,
  { value?: unknown; result?: unknown; header?: { from?: unknown } } | undefined
>;
const tagsOf = (header: unknown): Tags => (header as { parsed?: Tags } | undefined)?.parsed ?? {};
function tagText(tag: Tags[string]): string | undefined {
  const text = tag?.result ?? tag?.value;
  return typeof text === 'string' ? text : undefined;
}

/** RFC 8601 §2.7.6: `header.from` of a DMARC result, which may be a whole address (§2.2). */
function judgedDomain(dmarc: Tags[string]): string | null {
  const from = dmarc?.header?.from;
  return typeof from === 'string' ? (dnsName(from.slice(from.lastIndexOf('@') + 1)) ?? null) : null;
}

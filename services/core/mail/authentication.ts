/**
 * Authentication of a sender by DNS: SPF (RFC 7208), DKIM (RFC 6376), DMARC (RFC 9989), ARC (RFC
 * 8617) and reverse DNS (RFC 8601 §2.7.3): `authentication` of the payload, and the decisions based
 * on it. A failed lookup is `temperror`, and does not count against the sender.
 */
import { z } from 'zod';

import { describeSchema } from '../resource/api-reference.ts';
import { optional, orNull } from '../resource/described.ts';
const reason = orNull(z.string(), 'explanation for people; null when there is nothing to add');
const domain = z.string().nullable();

/** What a signature does not cover, although a reader sees it. */
const DKIM_WARNINGS = [
  'from_not_signed',
  'subject_not_signed',
  'content_type_not_signed',
  'content_transfer_encoding_not_signed',
  'content_disposition_not_signed',
  'reply_to_not_signed',
  'body_not_signed',
] as const;

export const Authentication = z.object({
  spf: z.object({
    result: z.enum(['none', 'neutral', 'pass', 'fail', 'softfail', 'temperror', 'permerror']),
    domain: domain.describe(
      'domain of the record: that of the envelope sender, or of HELO for the null sender',
    ),
    reason,
  }),
  dkim: z
    .array(
      z.object({
        result: z.enum(['pass', 'fail', 'policy', 'neutral', 'temperror', 'permerror']),
        domain: z.string().describe('signer (d=)'),
        selector: z.string(),
        aligned: z
          .boolean()
          .describe('whether the signer is the domain of From by the rules of DMARC'),
        signed_headers: optional(
          z.array(z.string()),
          'names of the headers that it covers, in lower case; of repeated ones the last; absent ' +
            'in emails of earlier releases',
        ),
        unsigned_body_bytes: optional(
          z.int(),
          'bytes at the end of the body that it does not cover (l=), which anybody can have ' +
            'added; absent when the body was not hashed',
        ),
        warnings: z
          .array(z.string())
          .optional()
          .describe(`what it does not cover: ${DKIM_WARNINGS.join(', ')}; new ones may be added`),
        reason,
      }),
    )
    .describe('all signatures, the topmost first; empty when there are none'),
  dmarc: z.object({
    result: z.enum(['none', 'pass', 'fail', 'temperror', 'permerror']),
    domain: domain.describe('domain of From; null unless there is exactly one'),
    policy: z
      .enum(['none', 'quarantine', 'reject'])
      .nullable()
      .describe('policy of the domain for a fail; null without a record'),
    alignment: z
      .object({ spf: z.boolean(), dkim: z.boolean() })
      .describe('which of the two authenticates the domain of From'),
    override: z
      .object({ reason: z.literal('trusted_arc'), sealer: z.string() })
      .nullable()
      .describe('why a fail does not count as spam; the result is still fail'),
    reason,
  }),
  arc: z.object({
    result: z.enum(['none', 'pass', 'fail', 'temperror']),
    chain: z
      .array(
        z.object({
          instance: z.int(),
          sealer: z.string().describe('domain that signed this entry'),
          dmarc: z
            .string()
            .nullable()
            .describe('DMARC result that the sealer reports; null when it reports none'),
          header_from: optional(
            z.string().nullable(),
            'domain of From for which the sealer reports it; null when it names none; absent in ' +
              'emails of earlier releases',
          ),
        }),
      )
      .describe(
        'forwarders in their order; trust it only if the result is pass, and only as far as you trust its sealers',
      ),
    reason,
  }),
  iprev: z.object({
    result: z
      .enum(['pass', 'fail', 'temperror', 'permerror'])
      .describe('permerror: the address has no name'),
    name: orNull(z.string(), 'a name of the IP address that resolves back to it; null without one'),
  }),
});
export type Authentication = z.infer<typeof Authentication>;
describeSchema(Authentication, 'Authentication');
export type Dkim = Authentication['dkim'][number];
type Dmarc = Authentication['dmarc'];
export type Arc = Authentication['arc'];

const word = z.string().describe('pass, fail, none …');

/** Results as single words (spec 6.1). */
export const AuthenticationWords = z.object({ spf: word, dkim: word, dmarc: word });
export type AuthenticationWords = z.infer<typeof AuthenticationWords>;

export const NOT_AUTHENTICATED: AuthenticationWords = { spf: 'none', dkim: 'none', dmarc: 'none' };

/** The result when authentication itself failed. */
export const UNKNOWN: Authentication = {
  spf: { result: 'temperror', domain: null, reason: null },
  dkim: [],
  dmarc: {
    result: 'temperror',
    domain: null,
    policy: null,
    alignment: { spf: false, dkim: false },
    override: null,
    reason: null,
  },
  arc: { result: 'temperror', chain: [], reason: null },
  iprev: { result: 'temperror', name: null },
};

export const wordsOf = ({ spf, dkim, dmarc }: Authentication): AuthenticationWords => ({
  spf: spf.result,
  dkim: dkimWord(dkim),
  dmarc: dmarc.result,
});

export type DkimCoverage = { signed_headers: string[]; unsigned_body_bytes: number | undefined };

/**
 * @param unsigned_body_bytes undefined when the body was not hashed
 * @param present names of the headers of the email, in lower case
 */
export const dkimWarnings = (
  { signed_headers, unsigned_body_bytes }: DkimCoverage,
  present: ReadonlySet<string>,
): (typeof DKIM_WARNINGS)[number][] => {
  const misses = (name: string) => !signed_headers.includes(name);
  const adds = (name: string) => present.has(name) && misses(name);
  const found: [boolean, (typeof DKIM_WARNINGS)[number]][] = [
    [misses('from'), 'from_not_signed'],
    [misses('subject'), 'subject_not_signed'],
    [misses('content-type'), 'content_type_not_signed'],
    [adds('content-transfer-encoding'), 'content_transfer_encoding_not_signed'],
    [adds('content-disposition'), 'content_disposition_not_signed'],
    [adds('reply-to'), 'reply_to_not_signed'],
    [(unsigned_body_bytes ?? 0) > 0, 'body_not_signed'],
  ];
  return found.filter(([applies]) => applies).map(([, code]) => code);
};

const BEST_FIRST = ['pass', 'temperror', 'fail', 'policy', 'permerror', 'neutral'] as const;

/**
 * One word for all signatures: the best of them. temperror is better than fail, because it may pass
 * later.
 */
const dkimWord = (signatures: readonly Dkim[]): string =>
  BEST_FIRST.find((best) => signatures.some(({ result }) => result === best)) ?? 'none';

/** The DMARC evaluation, before deciding whether a failure counts. */
export type DmarcFacts = {
  found: Omit<Dmarc, 'override'>;
  /** The organizational domain (RFC 9989 §4.10.2); null when unknown. */
  organisationalDomain: string | null;
  strict: { spf: boolean; dkim: boolean };
};

/**
 * DMARC fails when no aligned check passed. If the lookup of an aligned check failed, that check
 * might have passed: the result is then temperror. The seal of a trusted forwarder overrides a
 * failure, and the payload shows it (RFC 9989 §7.4, RFC 8617 §7.2.1).
 */
export function dmarcVerdict(
  { found, organisationalDomain, strict }: DmarcFacts,
  { spf, dkim, arc }: Pick<Authentication, 'spf' | 'dkim' | 'arc'>,
  trustedSealers: readonly string[],
): Dmarc {
  if (found.result !== 'fail') return { ...found, override: null };
  const aligns = (other: string | null, isStrict: boolean): boolean =>
    other !== null &&
    (other === found.domain ||
      (!isStrict &&
        organisationalDomain !== null &&
        `.${other}`.endsWith(`.${organisationalDomain}`)));
  const isOpen =
    (spf.result === 'temperror' && aligns(spf.domain, strict.spf)) ||
    dkim.some(
      (signature) => signature.result === 'temperror' && aligns(signature.domain, strict.dkim),
    );
  if (isOpen)
    return {
      ...found,
      result: 'temperror',
      override: null,
      reason: 'an aligned identifier could not be looked up',
    };
  const sealer = trustedWitness(arc, found.domain, trustedSealers);
  return { ...found, override: sealer === undefined ? null : { reason: 'trusted_arc', sealer } };
}

/**
 * The trusted sealer that reported a DMARC pass for this author, if all sealers after it are trusted
 * too. A sealer may have read another author in the same From (D268).
 */
function trustedWitness(
  { result, chain }: Arc,
  author: string | null,
  trustedSealers: readonly string[],
): string | undefined {
  if (result !== 'pass' || author === null) return undefined;
  for (const { sealer, dmarc, header_from } of chain.toReversed()) {
    if (!trustedSealers.includes(sealer)) return undefined;
    if (dmarc === 'pass' && header_from === author) return sealer;
  }
  return undefined;
}

/**
 * What the DNS says of a mail's sender: SPF (RFC 7208), DKIM (RFC 6376), DMARC (RFC 9989), ARC (RFC 8617) and reverse DNS (RFC 8601 §2.7.3).
 * The payload's `authentication`, and what is decided from it. A failure to look something up is `temperror` and counts against nobody.
 */
import { z } from 'zod';

const reason = z
  .string()
  .nullable()
  .describe('in words, for people; null when there is nothing to add');
const domain = z.string().nullable();

export const Authentication = z.object({
  spf: z.object({
    result: z.enum(['none', 'neutral', 'pass', 'fail', 'softfail', 'temperror', 'permerror']),
    domain: domain.describe(
      'whose record was asked: that of the envelope sender, or of HELO for the null sender',
    ),
    reason,
  }),
  dkim: z
    .array(
      z.object({
        result: z.enum(['pass', 'fail', 'policy', 'neutral', 'temperror', 'permerror']),
        domain: z.string().describe('who signed (d=)'),
        selector: z.string(),
        aligned: z.boolean().describe('whether the signer is the domain of From, as DMARC sees it'),
        reason,
      }),
    )
    .describe('each signature, the topmost first; empty when there is none'),
  dmarc: z.object({
    result: z.enum(['none', 'pass', 'fail', 'temperror', 'permerror']),
    domain: domain.describe('domain of From; null when there is no one such domain'),
    policy: z
      .enum(['none', 'quarantine', 'reject'])
      .nullable()
      .describe('what the domain asks for when the result is fail; null without a record'),
    alignment: z
      .object({ spf: z.boolean(), dkim: z.boolean() })
      .describe('which of the two vouches for the domain of From'),
    override: z
      .object({ reason: z.literal('trusted_arc'), sealer: z.string() })
      .nullable()
      .describe('why a fail was not counted against the mail; the result stays fail'),
    reason,
  }),
  arc: z.object({
    result: z.enum(['none', 'pass', 'fail', 'temperror']),
    chain: z
      .array(
        z.object({
          instance: z.int(),
          sealer: z.string().describe('who vouches for what follows'),
          dmarc: z
            .string()
            .nullable()
            .describe('the DMARC result that the sealer saw; null when it says none'),
        }),
      )
      .describe(
        'the way over forwarders, the first one first; to be believed only if the result is pass, and then only as far as its sealers are',
      ),
    reason,
  }),
  iprev: z.object({
    result: z
      .enum(['pass', 'fail', 'temperror', 'permerror'])
      .describe('permerror: the address has no name'),
    name: z
      .string()
      .nullable()
      .describe('a name of the sending address that resolves to it; null without one'),
  }),
});
export type Authentication = z.infer<typeof Authentication>;
export type Dkim = Authentication['dkim'][number];
export type Dmarc = Authentication['dmarc'];
export type Arc = Authentication['arc'];

const word = z.string().describe('pass, fail, none …');

/** Results as words, which receivers read first (spec 6.1). */
export const AuthenticationWords = z.object({ spf: word, dkim: word, dmarc: word });
export type AuthenticationWords = z.infer<typeof AuthenticationWords>;

export const NOT_AUTHENTICATED: AuthenticationWords = { spf: 'none', dkim: 'none', dmarc: 'none' };

/** What is said when authentication itself broke. */
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

const BEST_FIRST = ['pass', 'temperror', 'fail', 'policy', 'permerror', 'neutral'] as const;

/** One word for all signatures: one that passes is enough, one that may pass later is better than one that failed. */
const dkimWord = (signatures: readonly Dkim[]): string =>
  BEST_FIRST.find((best) => signatures.some(({ result }) => result === best)) ?? 'none';

/** What DMARC evaluation found, before it is known whether a failure may count. */
export type DmarcFacts = {
  found: Omit<Dmarc, 'override'>;
  /** Where the policy's owner begins (RFC 9989 §4.10.2); null when unknown. */
  organisationalDomain: string | null;
  strict: { spf: boolean; dkim: boolean };
};

/**
 * DMARC fails when nothing aligned has passed. Where something aligned could not be looked up it may have passed: that is no failure.
 * What a trusted forwarder has sealed overrides a failure, visibly (RFC 9989 §7.4, RFC 8617 §7.2.1).
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
  const sealer = trustedWitness(arc, trustedSealers);
  return { ...found, override: sealer === undefined ? null : { reason: 'trusted_arc', sealer } };
}

/** The trusted sealer that saw DMARC pass, with none but trusted sealers after it: from there on nothing was made up. */
function trustedWitness(
  { result, chain }: Arc,
  trustedSealers: readonly string[],
): string | undefined {
  if (result !== 'pass') return undefined;
  for (const { sealer, dmarc } of chain.toReversed()) {
    if (!trustedSealers.includes(sealer)) return undefined;
    if (dmarc === 'pass') return sealer;
  }
  return undefined;
}

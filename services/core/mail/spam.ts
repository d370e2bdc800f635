/**
 * How likely an email is spam, from 0 to 10 (spec 6.1). rspamd scores it where configured.
 * Otherwise the score is based on authentication results and missing headers. Temporary failures
 * add nothing.
 */
import { z } from 'zod';

import { describeSchema } from '../resource/api-reference.ts';
import {
  type Authentication,
  AuthenticationWords,
  NOT_AUTHENTICATED,
  wordsOf,
} from './authentication.ts';

export const SPAM_SCORE_MAX = 10;

const SpamRule = z.object({ name: z.string(), score: z.number() });
type SpamRule = z.infer<typeof SpamRule>;

/** `spam` of the payload (spec 6.1). The last two fields are additions. */
export const Spam = z.object({
  score: z.number().min(0).max(SPAM_SCORE_MAX).describe('higher means more likely spam'),
  verdict: z.enum(['spam', 'not_spam']),
  details: AuthenticationWords,
  scored_by: z.enum(['inlet', 'rspamd']).describe('whose rules made the score'),
  rules: z.array(SpamRule).describe('rules that contributed to the score; the symbols of rspamd'),
});
export type Spam = z.infer<typeof Spam>;
describeSchema(Spam, 'Spam');

/** A score and the rules behind it. */
export type SpamScore = Pick<Spam, 'score' | 'scored_by' | 'rules'>;

/** The result for an email that was not checked. */
export const NOT_CHECKED: Spam = {
  score: 0,
  verdict: 'not_spam',
  details: NOT_AUTHENTICATED,
  scored_by: 'inlet',
  rules: [],
};

/** Input of the built-in score. */
type SpamFacts = {
  /** undefined when authentication is switched off. Then only the headers count. */
  authentication: Authentication | undefined;
  headers: { from: string | null; date: Date | null; message_id: string | null };
};

type Rule = { name: string; score: number; applies: (facts: SpamFacts) => boolean };

/** DMARC fails, and no trusted forwarder overrides the failure. */
const failsDmarc =
  (policy: Authentication['dmarc']['policy']) =>
  ({ authentication }: SpamFacts): boolean =>
    authentication?.dmarc.result === 'fail' &&
    authentication.dmarc.policy === policy &&
    authentication.dmarc.override === null;

/** Where DMARC passed or was overridden, SPF and DKIM do not count. */
const vouchedFor = ({ dmarc }: Authentication): boolean =>
  dmarc.result === 'pass' || dmarc.override !== null;
const unlessVouchedFor =
  (applies: (authentication: Authentication) => boolean) =>
  ({ authentication }: SpamFacts): boolean =>
    authentication !== undefined && !vouchedFor(authentication) && applies(authentication);

const isOneOf = (result: string, ...results: string[]): boolean => results.includes(result);

/** docs/spam-and-authentication.md shows this table. */
export const SPAM_RULES: readonly Rule[] = [
  { name: 'dmarc_fail_reject', score: 7, applies: failsDmarc('reject') },
  { name: 'dmarc_fail_quarantine', score: 5, applies: failsDmarc('quarantine') },
  { name: 'dmarc_fail_none', score: 2, applies: failsDmarc('none') },
  { name: 'spf_fail', score: 2, applies: unlessVouchedFor(({ spf }) => spf.result === 'fail') },
  {
    name: 'spf_softfail',
    score: 1,
    applies: unlessVouchedFor(({ spf }) => spf.result === 'softfail'),
  },
  {
    name: 'spf_permerror',
    score: 0.5,
    applies: unlessVouchedFor(({ spf }) => spf.result === 'permerror'),
  },
  {
    name: 'dkim_fail',
    score: 1,
    applies: unlessVouchedFor(
      ({ dkim }) =>
        dkim.some(({ result }) => result === 'fail') &&
        !dkim.some(({ result }) => isOneOf(result, 'pass', 'temperror')),
    ),
  },
  {
    name: 'nothing_vouches',
    score: 1.5,
    applies: unlessVouchedFor(
      ({ spf, dkim }) =>
        isOneOf(spf.result, 'none', 'neutral') &&
        !dkim.some(({ result }) => isOneOf(result, 'pass', 'temperror')),
    ),
  },
  {
    name: 'dmarc_permerror',
    score: 5,
    applies: ({ authentication }) => authentication?.dmarc.result === 'permerror',
  },
  {
    name: 'no_reverse_dns',
    score: 1,
    applies: ({ authentication }) =>
      authentication !== undefined && isOneOf(authentication.iprev.result, 'fail', 'permerror'),
  },
  { name: 'no_from', score: 2, applies: ({ headers }) => headers.from === null },
  { name: 'no_date', score: 1, applies: ({ headers }) => headers.date === null },
  { name: 'no_message_id', score: 0.5, applies: ({ headers }) => headers.message_id === null },
];

export function builtInScore(facts: SpamFacts): SpamScore {
  const rules = SPAM_RULES.filter(({ applies }) => applies(facts)).map(({ name, score }) => ({
    name,
    score,
  }));
  return {
    score: bounded(rules.reduce((sum, { score }) => sum + score, 0)),
    scored_by: 'inlet',
    rules,
  };
}

/** @param rspamd its score, which has priority, @param threshold the lowest score that is spam */
export function spamOf(facts: SpamFacts, rspamd: SpamScore | undefined, threshold: number): Spam {
  const score = rspamd ?? builtInScore(facts);
  const details =
    facts.authentication === undefined ? NOT_AUTHENTICATED : wordsOf(facts.authentication);
  return { ...score, verdict: score.score >= threshold ? 'spam' : 'not_spam', details };
}

/** The used fields of rspamd's response to /checkv2. */
export const RspamdAnswer = z.object({
  score: z.number(),
  required_score: z.number().describe('score at which rspamd rejects'),
  action: z.string(),
  symbols: z
    .record(
      z.string(),
      z.object({ score: z.number().default(0), options: z.array(z.string()).catch([]) }),
    )
    .default({}),
});
export type RspamdAnswer = z.infer<typeof RspamdAnswer>;

const RULES_SHOWN = 50;

/**
 * rspamd's threshold for rejection becomes 10. An email that it rejects whatever its score gets 10
 * too. The symbols with the highest scores are first.
 */
export function rspamdScore({
  score,
  required_score,
  action,
  symbols,
}: Omit<RspamdAnswer, 'symbols'> & { symbols: Record<string, { score: number }> }): SpamScore {
  const scaled =
    action === 'reject'
      ? SPAM_SCORE_MAX
      : (score / Math.max(required_score, Number.EPSILON)) * SPAM_SCORE_MAX;
  const rules = Object.entries(symbols)
    .map(([name, symbol]) => ({ name, score: symbol.score }))
    .toSorted((one, other) => Math.abs(other.score) - Math.abs(one.score));
  return { score: bounded(scaled), scored_by: 'rspamd', rules: rules.slice(0, RULES_SHOWN) };
}

const bounded = (score: number): number =>
  Math.round(Math.min(Math.max(score, 0), SPAM_SCORE_MAX) * 10) / 10;

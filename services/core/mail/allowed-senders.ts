/**
 * Whose email an address accepts: authors on a list, authenticated unless somebody turned that off
 * knowingly (D54, docs/spam-and-authentication.md).
 */
import { z } from 'zod';

import { describeSchema } from '../resource/api-reference.ts';
import type { Authentication } from './authentication.ts';
import { type Author, authorOf } from './author.ts';
import { asciiDomain, normaliseAddress } from './fields/email-address.ts';
import { optional } from '../resource/described.ts';

const ALLOWED_SENDERS_MAX = 100;
const SENDER_MAX_CHARS = 320; // RFC 5321 §4.5.3.1

const SENDER_TEXT =
  'must be an address, a domain (partner.example) or its subdomains (*.partner.example)';

const isListable = (text: string): boolean => normalisedSender(text) !== undefined;

export const AllowedSenders = z.strictObject({
  senders: z
    .array(
      z
        .string()
        .min(1)
        .max(SENDER_MAX_CHARS)
        .meta({ format: 'sender' })
        .refine(isListable, SENDER_TEXT),
    )
    .min(1)
    .max(ALLOWED_SENDERS_MAX)
    .describe('addresses, domains (partner.example) and their subdomains (*.partner.example)'),
  require_authenticated: optional(
    z.boolean(),
    'whether DMARC or an aligned DKIM signature must prove the domain of From; default: true. ' +
      'With false, anyone can write in the name of a listed author',
  ),
  accept_forwarded: optional(
    z.boolean(),
    'whether the seal (ARC) of a forwarder that this installation trusts counts as proof, too; ' +
      'default: false',
  ),
});
describeSchema(AllowedSenders, 'AllowedSenders', { senders: ['partner.example'] });

/** As records and responses have it: normalized, with all fields. */
export const StoredAllowedSenders = z.object({
  senders: z.array(z.string()),
  require_authenticated: z.boolean(),
  accept_forwarded: z.boolean(),
});
export type StoredAllowedSenders = z.infer<typeof StoredAllowedSenders>;

export const storedAllowedSenders = ({
  senders,
  require_authenticated = true,
  accept_forwarded = false,
}: z.infer<typeof AllowedSenders>): StoredAllowedSenders => ({
  senders: [...new Set(senders.flatMap((text) => normalisedSender(text) ?? []))],
  require_authenticated,
  accept_forwarded,
});

/** An address, a domain or `*.domain`; undefined for any other text. */
export function normalisedSender(text: string): string | undefined {
  if (text.includes('@')) return normaliseAddress(text);
  const isWildcard = text.startsWith('*.');
  const domain = asciiDomain(isWildcard ? text.slice(2) : text);
  if (domain === undefined || !domain.includes('.')) return undefined;
  return isWildcard ? `*.${domain}` : domain;
}

const isListed = ({ address, domain }: Author, senders: readonly string[]): boolean =>
  address !== '' &&
  senders.some((one) =>
    one.startsWith('*.') ? domain.endsWith(one.slice(1)) : one === address || one === domain,
  );

export type AuthorFacts = {
  /** null or absent when this installation authenticates nobody. */
  authentication?: Authentication | null | undefined;
  headers: Parameters<typeof authorOf>[0];
};

/** `later`: DNS did not answer, so the sender should try again. */
export function senderDecision(
  { senders, require_authenticated, accept_forwarded }: StoredAllowedSenders,
  { authentication, headers }: AuthorFacts,
): 'allowed' | 'refused' | 'later' {
  const author = authorOf(headers);
  if (!isListed(author, senders)) return 'refused';
  if (!require_authenticated) return 'allowed';
  const proof = proofOf(author, authentication, accept_forwarded);
  return proof === 'proven' ? 'allowed' : proof === 'later' ? 'later' : 'refused';
}

/**
 * Whether DMARC or an aligned DKIM signature proves the domain of the author.
 * @param acceptForwarded whether the seal of a trusted forwarder (ARC) does, too
 */
export function proofOf(
  author: Author,
  authentication: Authentication | null | undefined,
  acceptForwarded = false,
): 'proven' | 'unproven' | 'later' {
  if (!authentication || author.address === '') return 'unproven';
  const { dmarc, dkim, arc } = authentication;
  const isOtherDomain = dmarc.domain !== null && dmarc.domain !== author.domain;
  if (isOtherDomain) return 'unproven'; // two readers of From disagree
  const signed = (result: string) => dkim.some((one) => one.aligned && one.result === result);
  if (dmarc.domain !== null && (dmarc.result === 'pass' || signed('pass'))) return 'proven';
  if (acceptForwarded && dmarc.override !== null) return 'proven';
  const mayPassLater =
    dmarc.result === 'temperror' ||
    signed('temperror') ||
    (acceptForwarded && arc.result === 'temperror');
  return mayPassLater ? 'later' : 'unproven';
}

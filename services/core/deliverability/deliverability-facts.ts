/** What the last check found about the deliverability of a domain. */
import { z } from 'zod';
import { cutText } from '../text/text.ts';

/** Texts of the TXT records of a name; null when the DNS did not respond. */
const Texts = z.array(z.string()).nullable();

const MX_OUTCOMES = [
  'greeted',
  'no_address',
  'not_public',
  'refused',
  'no_response',
  'no_greeting',
  'not_checked',
] as const;
/** What TLSA records say of the certificate, see dane.ts. */
export const DANE_OUTCOMES = ['none', 'matches', 'differs', 'unusable', 'not_checked'] as const;
const TLS_OUTCOMES = ['valid', 'invalid', 'not_offered', 'not_checked'] as const;

/** One mail server, asked on port 25. */
export const MxAnswer = z.object({
  host: z.string(),
  outcome: z.enum(MX_OUTCOMES),
  tls: z.enum(TLS_OUTCOMES),
  detail: z.string().nullable().describe('of the certificate or of the failure'),
  dane: z
    .object({
      outcome: z.enum(DANE_OUTCOMES),
      value: z.string().nullable().describe('of the TLSA record for its key; null without TLS'),
    })
    .optional()
    .describe('absent in answers of releases that did not ask for TLSA records'),
});
export type MxAnswer = z.infer<typeof MxAnswer>;

export const DeliverabilityFacts = z.object({
  checked_at: z.date(),
  mta_sts: Texts,
  mta_sts_host: z.array(z.string()).nullable().describe('addresses of the policy host'),
  tls_rpt: Texts,
  dmarc: Texts,
  dmarc_name: z
    .string()
    .describe('where the DMARC record was found, at the domain or at one above it'),
  mx: z.array(MxAnswer),
});
export type DeliverabilityFacts = z.infer<typeof DeliverabilityFacts>;

/** More mail servers than any domain needs. */
export const MX_ASKED_MAX = 5;
const TEXTS_KEPT = 5;
const TEXT_MAX_CHARS = 500;

/** The texts that are stored: a zone can have megabytes of them. */
export const keptTexts = (texts: readonly string[], version: string): string[] =>
  texts
    .toSorted((one, other) => Number(other.startsWith(version)) - Number(one.startsWith(version)))
    .slice(0, TEXTS_KEPT)
    .map((text) => cutText(text, TEXT_MAX_CHARS));

/**
 * Names that people may choose for addresses and domains, as far as text alone tells (RFC 5321
 * §4.1.2, RFC 6531 §3.3, RFC 1035 §2.3.4).
 */
import type { FieldRule } from '../app-error.ts';
import { asciiDomain, normaliseLocalPart } from '../mail/email-address.ts';
import { CATCH_ALL, DOMAIN_MAX_LABELS, DOMAIN_MIN_LABELS } from './resolution.ts';

export type Checked<T> = T | { fault: FieldRule };

const LOCAL_PART_MAX_OCTETS = 64; // RFC 5321 §4.5.3.1.1
const DOMAIN_MAX_CHARS = 253; // RFC 1035 §2.3.4, without the final dot

/**
 * Atext without the plus, which begins a tag, and without the star, which is a catch-all; beyond
 * ASCII what can be seen.
 */
const DOT_STRING =
  /^(?!.*[\p{C}\p{Z}])[a-z0-9!#$%&'/=?^_`{|}~\u0080-\u{10ffff}-]+(\.[a-z0-9!#$%&'/=?^_`{|}~\u0080-\u{10ffff}-]+)*$/u;

const HOST_LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/** A local part in its one spelling, or `*`. */
export function checkLocalPart(text: string): Checked<{ localPart: string }> {
  const localPart = normaliseLocalPart(text);
  if (localPart === '') return { fault: 'too_small' };
  if (new TextEncoder().encode(localPart).byteLength > LOCAL_PART_MAX_OCTETS)
    return { fault: 'too_long' };
  return localPart === CATCH_ALL || DOT_STRING.test(localPart)
    ? { localPart }
    : { fault: 'invalid_value' };
}

/** A domain that can be somebody's own, in A-labels: at least two labels, no literal. */
export function checkDomain(text: string): Checked<{ domain: string }> {
  const domain = asciiDomain(text);
  if (domain === undefined) return { fault: text === '' ? 'too_small' : 'invalid_value' };
  if (domain.length > DOMAIN_MAX_CHARS) return { fault: 'too_long' };
  const labels = domain.split('.');
  const isHost =
    labels.every((label) => HOST_LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? '');
  return isHost && labels.length >= DOMAIN_MIN_LABELS && labels.length <= DOMAIN_MAX_LABELS
    ? { domain }
    : { fault: 'invalid_value' };
}

/** What stands behind the @: a domain, or `*.` and a domain for all its sub-domains. */
export function checkPlace(text: string): Checked<{ place: string; domain: string }> {
  const isWildcard = text.startsWith('*.');
  const checked = checkDomain(isWildcard ? text.slice(2) : text);
  return 'fault' in checked
    ? checked
    : { place: isWildcard ? `*.${checked.domain}` : checked.domain, domain: checked.domain };
}

/**
 * Names that stand for whoever runs a domain (RFC 2142, RFC 5321 §4.5.1), or by which certificate
 * authorities let its owner prove himself:
 * on the domain that all share they are nobody's.
 */
const RESERVED: ReadonlySet<string> = new Set([
  'postmaster',
  'abuse',
  'hostmaster',
  'webmaster',
  'admin',
  'administrator',
  'root',
  'noc',
  'security',
  'ssladmin',
  'sslwebmaster',
  'sysadmin',
  'is',
  'it',
  'mis',
  'mailer-daemon',
  'mailerdaemon',
  'noreply',
  'no-reply',
  'nobody',
  'bounce',
  'bounces',
  'dmarc',
  'tlsrpt',
  'www',
  'ftp',
  'uucp',
  'usenet',
  'news',
]);
/**
 * On the shared domain, a name that looks like another would deceive: only ASCII letters, digits,
 * dot, hyphen and underscore.
 */
export const isPlain = (localPart: string): boolean => /^[a-z0-9._-]+$/.test(localPart);

export const isReserved = (localPart: string): boolean => RESERVED.has(localPart);

/**
 * Whether it looks like those that Inlet makes: nobody chooses one, so that a generated name never
 * becomes another's (D8).
 */
export const looksGenerated = (localPart: string): boolean =>
  /^[0-9a-hjkmnp-tv-z]{16}$/.test(localPart);

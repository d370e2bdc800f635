/**
 * Checks of the names that users choose for addresses and domains (RFC 5321 §4.1.2, RFC 6531 §3.3,
 * RFC 1035 §2.3.4).
 */
import type { FieldRule } from '../error/app-error.ts';
import { asciiDomain, normaliseLocalPart } from '../mail/fields/email-address.ts';
import { CATCH_ALL, DOMAIN_MAX_LABELS, DOMAIN_MIN_LABELS } from './resolution.ts';

export type Checked<T> = T | { fault: FieldRule };

const LOCAL_PART_MAX_OCTETS = 64; // RFC 5321 §4.5.3.1.1
const DOMAIN_MAX_CHARS = 253; // RFC 1035 §2.3.4, without the final dot

/**
 * Atext without the plus (starts a tag) and the star (catch-all); beyond ASCII, every visible
 * character.
 */
const DOT_STRING =
  /^(?!.*[\p{C}\p{Z}])[a-z0-9!#$%&'/=?^_`{|}~\u0080-\u{10ffff}-]+(\.[a-z0-9!#$%&'/=?^_`{|}~\u0080-\u{10ffff}-]+)*$/u;

const HOST_LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/** A normalized local part, or `*`. */
export function checkLocalPart(text: string): Checked<{ localPart: string }> {
  const localPart = normaliseLocalPart(text);
  if (localPart === '') return { fault: 'too_small' };
  if (new TextEncoder().encode(localPart).byteLength > LOCAL_PART_MAX_OCTETS)
    return { fault: 'too_long' };
  return localPart === CATCH_ALL || DOT_STRING.test(localPart)
    ? { localPart }
    : { fault: 'invalid_value' };
}

/** A domain that an account can claim, in A-labels: at least two labels, not an address literal. */
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

/** The part after the @: a domain, or `*.` and a domain for all its subdomains. */
export function checkDomainPart(text: string): Checked<{ domainPart: string; domain: string }> {
  const isWildcard = text.startsWith('*.');
  const checked = checkDomain(isWildcard ? text.slice(2) : text);
  return 'fault' in checked
    ? checked
    : { domainPart: isWildcard ? `*.${checked.domain}` : checked.domain, domain: checked.domain };
}

/**
 * Names of the administrators of a domain (RFC 2142, RFC 5321 §4.5.1), or names to which
 * certificate authorities send validation mail. No account may have them on the shared domain.
 */
const RESERVED: ReadonlySet<string> = new Set(
  (
    'postmaster abuse hostmaster webmaster admin administrator root noc security ssladmin ' +
    'sslwebmaster sysadmin is it mis mailer-daemon mailerdaemon noreply no-reply nobody ' +
    'bounce bounces dmarc tlsrpt www ftp uucp usenet news'
  ).split(' '),
);
/**
 * On the shared domain, a name that looks like another would deceive: only ASCII letters, digits,
 * dot, hyphen and underscore.
 */
export const isPlain = (localPart: string): boolean => /^[a-z0-9._-]+$/.test(localPart);

export const isReserved = (localPart: string): boolean => RESERVED.has(localPart);

/**
 * Whether it looks like a generated name. Users cannot choose one, so a generated name never
 * belongs to another account later (D8).
 */
export const looksGenerated = (localPart: string): boolean =>
  /^[0-9a-hjkmnp-tv-z]{16}$/.test(localPart);

/** What a webhook URL may be (spec 5.2.7, D9, D27): https, a public host, no credentials, no fragment. */
import type { FieldRule } from '../app-error.ts';
import { networkRefusal } from './public-network.ts';
import { isInNetworks } from '../network.ts';

export const WEBHOOK_URL_MAX_CHARS = 2048; // D9

export type CheckedUrl = { url: string } | { fault: FieldRule };

/** Names that never leave a site: RFC 6761 §6.3, RFC 6762 §3, RFC 8375, and ICANN's `internal`. */
const LOCAL_SUFFIXES = ['local', 'internal', 'home.arpa'];

const LOOPBACK = ['127.0.0.1', '::1'];

/**
 * The URL in its normal form, or the rule that it breaks. Only what a name or literal tells is checked here:
 * the dispatcher checks again what a name resolves to, at every connection.
 */
export function checkWebhookUrl(text: string, allowed: readonly string[]): CheckedUrl {
  if (text.length > WEBHOOK_URL_MAX_CHARS) return { fault: 'too_long' };
  const url = URL.parse(text);
  if (url === null) return { fault: 'invalid_url' };
  if (url.protocol !== 'https:') return { fault: 'not_https' };
  // The parser forgives what a person should not have written: no slashes, backslashes, blanks, an empty user or fragment.
  if (!/^https:\/\/[^/?#\\@\s]+([/?][^#\\\s]*)?$/i.test(text)) return { fault: 'invalid_url' };
  if (!hostMayBePublic(url.hostname, allowed)) return { fault: 'not_public' };
  const kept = url.href === `${text}/` ? text : url.href; // a bare origin stays as it was written
  return kept.length > WEBHOOK_URL_MAX_CHARS ? { fault: 'too_long' } : { url: kept };
}

function hostMayBePublic(hostname: string, allowed: readonly string[]): boolean {
  if (hostname.startsWith('[')) return networkRefusal(hostname.slice(1, -1), allowed) === undefined;
  if (/^[\d.]+$/.test(hostname)) return networkRefusal(hostname, allowed) === undefined; // the parser has made every IPv4 spelling dotted decimal
  const name = hostname.replace(/\.$/, '');
  if (name === 'localhost' || name.endsWith('.localhost'))
    return LOOPBACK.some((address) => isInNetworks(address, allowed));
  const staysInside =
    !name.includes('.') || LOCAL_SUFFIXES.some((suffix) => name.endsWith(`.${suffix}`));
  return !staysInside || allowed.length > 0; // opened networks have names of their own
}

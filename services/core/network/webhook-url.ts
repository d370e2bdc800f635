/**
 * The rules for webhook URLs (spec 5.2.7, D9, D27): https, a public host, no credentials, no
 * fragment.
 */
import type { FieldRule } from '../error/app-error.ts';
import { networkRefusal } from './public-network.ts';
import { isInNetworks } from './network.ts';

export const WEBHOOK_URL_MAX_CHARS = 2048; // D9

type CheckedUrl = { url: string } | { fault: FieldRule };

/** Names of local networks: RFC 6761 §6.3, RFC 6762 §3, RFC 8375, and ICANN's `internal`. */
const LOCAL_SUFFIXES = ['local', 'internal', 'home.arpa'];

const LOOPBACK = ['127.0.0.1', '::1'];

/**
 * The normalized URL, or the rule that it breaks. This checks only the name or IP address in the
 * URL. The dispatcher checks the addresses of a name at every connection.
 */
export function checkWebhookUrl(text: string, allowed: readonly string[]): CheckedUrl {
  if (text.length > WEBHOOK_URL_MAX_CHARS) return { fault: 'too_long' };
  const url = URL.parse(text);
  if (url === null) return { fault: 'invalid_url' };
  if (url.protocol !== 'https:') return { fault: 'not_https' };
  // The URL parser accepts some mistakes: missing slashes, backslashes, spaces, an empty user or
  // fragment.
  if (!/^https:\/\/[^/?#\\@\s]+([/?][^#\\\s]*)?$/i.test(text)) return { fault: 'invalid_url' };
  if (!hostMayBePublic(url.hostname, allowed)) return { fault: 'not_public' };
  const kept = url.href === `${text}/` ? text : url.href; // no slash is added to a bare origin
  return kept.length > WEBHOOK_URL_MAX_CHARS ? { fault: 'too_long' } : { url: kept };
}

/** The origin of a URL that has nothing else, by the same rules, or the rule that it breaks. */
export function checkOrigin(
  text: string,
  allowed: readonly string[],
): { origin: string } | { fault: FieldRule } {
  const checked = checkWebhookUrl(text, allowed);
  if ('fault' in checked) return checked;
  const { origin, pathname, search } = new URL(checked.url);
  return pathname === '/' && search === '' ? { origin } : { fault: 'invalid_url' };
}

function hostMayBePublic(hostname: string, allowed: readonly string[]): boolean {
  if (hostname.startsWith('[')) return networkRefusal(hostname.slice(1, -1), allowed) === undefined;
  // the parser has normalized every IPv4 spelling
  if (/^[\d.]+$/.test(hostname)) return networkRefusal(hostname, allowed) === undefined;
  const name = hostname.replace(/\.$/, '');
  if (name === 'localhost' || name.endsWith('.localhost'))
    return LOOPBACK.some((address) => isInNetworks(address, allowed));
  const staysInside =
    !name.includes('.') || LOCAL_SUFFIXES.some((suffix) => name.endsWith(`.${suffix}`));
  return !staysInside || allowed.length > 0; // allowed networks may have local names
}

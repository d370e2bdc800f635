/** One spelling for each mailbox, so that lookups, caches and unique indexes agree. */

/**
 * Lower case throughout (local parts of inbound addresses are case-insensitive here), Unicode in
 * NFC, the domain in A-labels (RFC 5891) without a trailing dot. `undefined` when the text is not
 * an address.
 */
export function normaliseAddress(text: string): string | undefined {
  const plain = withoutQuotes(text);
  const at = plain.lastIndexOf('@');
  if (at < 1) return undefined;
  const domain = asciiDomain(plain.slice(at + 1));
  return domain === undefined ? undefined : `${normaliseLocalPart(plain.slice(0, at))}@${domain}`;
}

const QUOTED = /^"((?:[^"\\]|\\.)*)"(?=@[^@]*$)/;
const DOT_STRING = /^[^\s"(),.:;<>@[\\\]]+(?:\.[^\s"(),.:;<>@[\\\]]+)*$/;

/** A local part that needs no quotes names the same mailbox without them (RFC 5321 §4.1.2). */
export const withoutQuotes = (address: string): string =>
  address.replace(QUOTED, (quoted, content: string) => {
    const plain = content.replace(/\\(.)/g, '$1');
    return DOT_STRING.test(plain) ? plain : quoted;
  });

/**
 * NFC again at the end: a lower-case letter may compose with an accent where its upper-case form
 * did not.
 */
export const normaliseLocalPart = (text: string): string =>
  text.normalize('NFC').toLowerCase().normalize('NFC');

/**
 * A-labels of a domain: `bücher.example` → `xn--bcher-kva.example`. `undefined` when it is not a
 * host name, for example because a label is empty.
 */
export function asciiDomain(domain: string): string | undefined {
  const trimmed = domain.endsWith('.') ? domain.slice(0, -1) : domain;
  if (/[\s/?#@:\\%*]/.test(trimmed)) return undefined;
  const isPlain = /^[a-z0-9.-]+$/.test(trimmed) && !trimmed.includes('xn--');
  const host = isPlain ? trimmed : hostOf(trimmed); // the common case saves parsing a URL
  return host?.split('.').every((label) => label !== '') ? host : undefined;
}

/**
 * A URL's host name: the parser turns ideographic full stops into dots and small asterisks into
 * `*`.
 */
function hostOf(domain: string): string | undefined {
  const host = URL.parse(`http://${domain}/`)?.hostname.replace(/\.$/, '');
  return host?.includes('*') ? undefined : host; // `*` names a catch-all: see resolution.ts
}

/** Addresses that every domain has for reports of problems (RFC 5321 §4.5.1, RFC 2142 §4). */
export const isRoleAddress = (address: string): boolean =>
  /^(postmaster|abuse)(@|$)/i.test(address);

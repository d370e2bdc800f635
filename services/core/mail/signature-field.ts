/**
 * Reads what names the key of a DKIM signature or an ARC seal. A field with a fault proves nothing,
 * whatever a more lenient reader would say (D111): its key is never looked up.
 */
import { dnsName } from '../network/dns-name.ts';

/** Reasons of `permerror`, for people. */
export const SIGNATURE_FAULTS = {
  malformed: 'the list of tags is malformed',
  repeated: 'a tag is repeated',
  domain: 'd= is not a DNS name',
  selector: 's= is not a DNS name',
  identity: 'i= is not an identity within the domain of d=',
  tooLong: 's= and d= together are too long for a DNS name',
  head: 'programs read the headers differently',
} as const;
export type SignatureFault = (typeof SIGNATURE_FAULTS)[keyof typeof SIGNATURE_FAULTS];

const FAULTS: ReadonlySet<unknown> = new Set(Object.values(SIGNATURE_FAULTS));
export const isSignatureFault = (reason: unknown): reason is SignatureFault => FAULTS.has(reason);

type SignatureKey = {
  /** As written. */
  domain: string;
  selector: string;
  /** Where its key is in the DNS. */
  keyName: string;
};

/** @param field a whole DKIM-Signature, ARC-Seal or ARC-Message-Signature field */
export function readSignature(field: string): SignatureKey | SignatureFault {
  const colon = field.indexOf(':');
  const tags = tagsOf(field.slice(colon + 1));
  if (!(tags instanceof Map)) return tags;
  const [domain = '', selector = ''] = [tags.get('d'), tags.get('s')];
  if (dnsName(domain) === undefined) return SIGNATURE_FAULTS.domain;
  if (dnsName(selector) === undefined) return SIGNATURE_FAULTS.selector;
  const keyName = dnsName(`${selector}._domainkey.${domain}`);
  if (keyName === undefined) return SIGNATURE_FAULTS.tooLong;
  if (NUMBERS.some((name) => !DIGITS.test(tags.get(name) ?? '0')))
    return SIGNATURE_FAULTS.malformed;
  const identity = tags.get('i');
  const isDkim = /^dkim-signature\s*$/i.test(field.slice(0, colon)); // i= of ARC is a number (RFC 8617 §4.1)
  if (isDkim && identity !== undefined && !isWithin(identity, domain))
    return SIGNATURE_FAULTS.identity;
  return { domain, selector, keyName };
}

/** Readers disagree how much `l=5abc` covers, and when `x=1e3` expires (RFC 6376 §3.5). */
const NUMBERS = ['l', 't', 'x'];
const DIGITS = /^\d{1,76}$/;
const TAG_NAME = /^[A-Za-z][A-Za-z0-9_]*$/;
/** Only a fold and a tab may be in a list of tags (RFC 6376 §3.2). */
const CONTROL = /[^\t\r\n -~\u0080-\uffff]/;
const trimmed = (text: string) => text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');

/**
 * RFC 6376 §3.2: a repeated tag makes the whole list invalid. Readers that ignore case would take
 * `D=` for `d=`, so these two are the same tag here. Superfluous semicolons do no harm.
 */
function tagsOf(list: string): Map<string, string> | SignatureFault {
  if (CONTROL.test(list)) return SIGNATURE_FAULTS.malformed;
  const tags = new Map<string, string>();
  const seen = new Set<string>();
  for (const spec of list.split(';')) {
    if (trimmed(spec) === '') continue;
    const equals = spec.indexOf('=');
    const name = trimmed(spec.slice(0, Math.max(0, equals)));
    if (!TAG_NAME.test(name)) return SIGNATURE_FAULTS.malformed;
    if (seen.has(name.toLowerCase())) return SIGNATURE_FAULTS.repeated;
    seen.add(name.toLowerCase());
    tags.set(name, trimmed(spec.slice(equals + 1)));
  }
  return tags;
}

/** The domain of i= is that of d= or a subdomain of it (RFC 6376 §3.5, §6.1.1). */
function isWithin(identity: string, domain: string): boolean {
  const mailbox = unquoted(identity);
  const at = mailbox.lastIndexOf('@');
  const own = dnsName(mailbox.slice(at + 1));
  return at >= 0 && own !== undefined && `.${own}`.endsWith(`.${dnsName(domain)}`);
}

/** dkim-quoted-printable (RFC 6376 §2.11): white space has no meaning. */
function unquoted(text: string): string {
  const bytes = Buffer.from(text.replace(/[ \t\r\n]+/g, '')).toString('latin1');
  const decoded = bytes.replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
  return Buffer.from(decoded, 'latin1').toString();
}

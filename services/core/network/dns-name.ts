/**
 * Which texts are names in the DNS. Every name is checked here before it is looked up (D110): a
 * resolver may end a name at a NUL, read an escape, or cut a label, and so ask somebody else.
 */
import { domainToASCII, domainToUnicode } from 'node:url';

const LABEL = /^[A-Za-z0-9_-]{1,63}$/; // RFC 1035 §2.3.4; `_` by RFC 8552
const NAME_MAX_CHARS = 253; // RFC 1035 §3.1: 255 octets with lengths and the root
/** A character beyond the basic plane has two units, and at least one letter in its A-label. */
const UNITS_MAX = 2 * NAME_MAX_CHARS;

/**
 * The name in lower case, with A-labels for U-labels (RFC 5890 §2.3.2.1). Undefined for any text
 * that is not a name, such as one with a final dot: an absolute name is the caller's to shorten.
 */
export function dnsName(text: string): string | undefined {
  if (text.length > UNITS_MAX) return undefined;
  const labels: string[] = [];
  for (const label of text.split('.')) {
    const ascii = LABEL.test(label) ? label.toLowerCase() : aLabel(label);
    if (ascii === undefined) return undefined;
    labels.push(ascii);
  }
  const name = labels.join('.');
  return name.length <= NAME_MAX_CHARS ? name : undefined;
}

/** The name without the final dot of an absolute name (RFC 1034 §3.1); see {@link dnsName}. */
export const absoluteDnsName = (text: string): string | undefined =>
  dnsName(text.replace(/\.$/, ''));

/** Only a label that comes back unchanged: no character of it is left out or replaced (RFC 5891 §4.4). */
function aLabel(label: string): string | undefined {
  const folded = label.normalize('NFC').toLowerCase();
  const ascii = domainToASCII(folded);
  const isULabel =
    ascii.startsWith('xn--') && LABEL.test(ascii) && domainToUnicode(ascii) === folded;
  return isULabel ? ascii : undefined;
}

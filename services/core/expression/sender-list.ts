/** A list of senders in an expression: `sender in lists.partners`. */
import { ipIn, isListedIp } from './listed-networks.ts';

/** The library recognizes the type by its constructor. */
export function SenderList(): void {
  // see senderList
}

/**
 * The entries are normalized addresses, domains, and domains with all their subdomains
 * (`*.example.com`); or IP addresses and networks.
 */
export type SenderList = { entries: ReadonlySet<string> };

/** By name. */
export type SenderLists = ReadonlyMap<string, SenderList>;

export const senderList = (entries: ReadonlySet<string>): SenderList =>
  Object.assign(Object.create(SenderList.prototype as object) as object, { entries });

/** @param entries of each list, by its name */
export const senderLists = (entries: ReadonlyMap<string, ReadonlySet<string>>): SenderLists =>
  new Map([...entries].map(([name, list]) => [name, senderList(list)]));

const SENDER_MAX_CHARS = 320; // RFC 5321 §4.5.3.1: 64 of the local part, `@`, 255 of the domain

/**
 * Its time does not depend on the number of entries.
 * @param sender an address, a domain or an IP address; any other text is not listed
 * @param onRead called with the number of characters before they are read
 */
export function isListed(
  sender: string,
  { entries }: SenderList,
  onRead?: (chars: number) => void,
): boolean {
  if (sender.length > SENDER_MAX_CHARS) return false;
  const ip = ipIn(sender);
  if (ip) return isListedIp(ip, entries, onRead);
  const text = sender.toLowerCase();
  if (entries.has(text)) return true;
  let domain = text.slice(text.lastIndexOf('@') + 1);
  if (text.includes('@') && entries.has(domain)) return true;
  if (domain.includes('..')) return false;
  for (let dot = domain.indexOf('.'); dot >= 0; dot = domain.indexOf('.')) {
    onRead?.(domain.length);
    domain = domain.slice(dot + 1);
    if (entries.has(`*.${domain}`)) return true;
  }
  return false;
}

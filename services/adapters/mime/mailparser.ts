/**
 * mailparser reads From a second time, independently of Inlet's reader. Its library libmime knows
 * types of files.
 */
import { domainToASCII } from 'node:url';

import libmime from 'libmime';
import { type AddressObject, simpleParser } from 'mailparser';

import { readAddressField } from '../../core/mail/fields/address-field.ts';
import { splitMail } from '../../core/mail/raw-mail.ts';

/** application/octet-stream for an extension that is unknown. */
export const typeOfFilename = (filename: string): string => libmime.detectMimeType(filename);

const FROM = /^from[ \t]*:((?:[^\n]*)(?:\n[ \t][^\n]*)*)/gim;
/** One address, alone or in brackets behind a name: every program reads it alike. */
const PLAIN =
  /^(?:"[^"\\@<>]*"\s*|[^"\\<>()@,;:]*)<[^\s<>()@,;:"\\]+@[^\s<>()@,;:"\\]+>$|^[^\s<>()@,;:"\\]+@[^\s<>()@,;:"\\]+$/;
const FIELD_MAX_CHARS = 10_000;

/**
 * Whether mailparser finds another author in an email than Inlet does. Only a From that is not plain
 * is read again.
 */
export async function readsOtherAuthor(raw: Buffer, from: string | null): Promise<boolean> {
  const head = splitMail(raw).head.toString('latin1');
  const field = [...head.matchAll(FROM)].at(-1)?.[1]?.trim();
  if (from === null || field === undefined || field.length > FIELD_MAX_CHARS || PLAIN.test(field))
    return false;
  const parsed = await simpleParser(Buffer.from(`From: ${field}\r\n\r\n`, 'latin1')).catch(
    () => undefined,
  );
  const theirs = [parsed?.from ?? []].flat().flatMap(addressesOf).filter(isAddress);
  const ours = readAddressField(from)
    .mailboxes.map(({ address }) => address)
    .filter(isAddress);
  return parsed !== undefined && !isSame(theirs, ours);
}

/** `MAILER-DAEMON` is none. */
const isAddress = (text: string): boolean => text.includes('@');

/** The members of groups are among them. */
const addressesOf = ({ value }: AddressObject): string[] =>
  value.flatMap(({ address, group }) => [
    ...(address ? [address] : []),
    ...(group ?? []).flatMap((member) => member.address ?? []),
  ]);

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  [...new Set(one.map(folded))].toSorted().join('\n') ===
  [...new Set(other.map(folded))].toSorted().join('\n');

/** In any case, and with a domain in ASCII. */
function folded(address: string): string {
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  return `${address.slice(0, at)}@${domainToASCII(domain) || domain}`.toLowerCase();
}

/** The author of an email, if there is exactly one. */
import { normaliseAddress } from './email-address.ts';

/** Both are empty when there is not exactly one. */
export type Author = { address: string; domain: string };

const FROM_MAX_CHARS = 1_000;

/** One address, with or without a name that can be told from it. */
const ONE_AUTHOR = /^(?:(?:"[^"<>]*"|[^"<>@,;:]+) <([^<>"\s,]+)>|([^<>"\s,;:]+))$/;
/**
 * The whole field has one address: in angle brackets at its end, or alone, perhaps before a comment.
 * Others read two addresses where the parser of the payload reads a name and one.
 */
const ONE_ADDRESS = /^(?:[^<>]*<[^<>\s]+>|[^\s<>()]+(?:\s+\([^()<>]*\))?)$/;
const NOBODY: Author = { address: '', domain: '' };

/**
 * Empty unless the email has exactly one From with one address: a name that looks like an address
 * is never taken for one.
 */
export function authorOf({
  from,
  all,
}: {
  from: string | null;
  all: readonly { name: string; value: string }[];
}): Author {
  if (from === null || from.length > FROM_MAX_CHARS) return NOBODY;
  const [field, another] = all.filter(({ name }) => name.toLowerCase() === 'from');
  if (field === undefined || another !== undefined) return NOBODY;
  if (!ONE_ADDRESS.test(field.value.slice(0, FROM_MAX_CHARS).trim())) return NOBODY;
  const [, named, bare] = ONE_AUTHOR.exec(from) ?? [];
  const address = normaliseAddress(named ?? bare ?? '');
  if (address === undefined) return NOBODY;
  return { address, domain: address.slice(address.lastIndexOf('@') + 1) };
}

/** The author of an email, if there is exactly one. */
import { normaliseAddress } from './email-address.ts';

/** Both are empty when there is not exactly one. */
export type Author = { address: string; domain: string };

const FROM_MAX_CHARS = 1_000;

/** One address, with or without a name that can be told from it. */
const ONE_AUTHOR = /^(?:(?:"[^"<>]*"|[^"<>@,;:]+) <([^<>"\s,]+)>|([^<>"\s,;:]+))$/;
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
  all: readonly { name: string }[];
}): Author {
  if (from === null || from.length > FROM_MAX_CHARS) return NOBODY;
  if (all.filter(({ name }) => name.toLowerCase() === 'from').length !== 1) return NOBODY;
  const [, named, bare] = ONE_AUTHOR.exec(from) ?? [];
  const address = normaliseAddress(named ?? bare ?? '');
  if (address === undefined) return NOBODY;
  return { address, domain: address.slice(address.lastIndexOf('@') + 1) };
}

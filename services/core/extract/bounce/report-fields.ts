/** Reads what machines write into parts of reports: `Name: value` lines in groups (RFC 3464 §2.1.1, RFC 5965 §3). */
const TEXT_MAX_BYTES = 256 * 1024;
const VALUE_MAX_CHARS = 1_000;

/** The fields of a group by their names in lower case, in the order of the part. */
export type FieldGroup = ReadonlyMap<string, readonly string[]>;

const UTF8 = new TextDecoder();

/** The beginning of a part as text. Such parts are ASCII or UTF-8. */
export const partText = (content: Uint8Array): string =>
  UTF8.decode(content.subarray(0, TEXT_MAX_BYTES));

/** Groups of fields that empty lines separate. A line that is not a field is left out. */
export function fieldGroups(text: string): FieldGroup[] {
  const groups: Map<string, string[]>[] = [];
  let group: Map<string, string[]> | undefined;
  let values: string[] | undefined;
  for (const line of text.split('\n').map((one) => one.trimEnd())) {
    if (line === '') {
      [group, values] = [undefined, undefined];
      continue;
    }
    const colon = line.indexOf(':');
    if (/^[ \t]/.test(line)) {
      const last = values?.at(-1);
      if (values && last !== undefined && last.length < VALUE_MAX_CHARS)
        values[values.length - 1] = `${last} ${line.trim()}`.slice(0, VALUE_MAX_CHARS);
    } else if (colon > 0) {
      if (!group) groups.push((group = new Map<string, string[]>()));
      const name = line.slice(0, colon).trimEnd().toLowerCase();
      values = group.get(name) ?? [];
      group.set(name, values);
      values.push(line.slice(colon + 1, colon + 1 + VALUE_MAX_CHARS).trim());
    }
  }
  return groups;
}

/** The first value of a field. */
export const fieldOf = (group: FieldGroup, name: string): string | undefined =>
  group.get(name)?.[0] || undefined;

/** `rfc822; ann@example.org` without its type (RFC 3464 §2.1.2). */
export const withoutType = (value: string): string => value.slice(value.indexOf(';') + 1).trim();

/** An address of a report, without angle brackets; undefined for other text. */
export function reportedAddress(value: string): string | undefined {
  const address = value.trim().replace(/^</, '').replace(/>$/, '');
  const at = address.indexOf('@', 1); // both sides have text
  const isAddress = at !== -1 && at < address.length - 1 && !/[\s<>]/.test(address);
  return isAddress && address.length <= ADDRESS_MAX_CHARS ? address : undefined;
}

const ADDRESS_MAX_CHARS = 320; // 64 of the local part, @, 255 of the domain

/** A Message-ID with its angle brackets, as in the payload's headers. */
export const messageIdOf = (value: string | undefined): string | null =>
  /<[^<>\s]{1,900}>/.exec(value ?? '')?.[0] ?? null;

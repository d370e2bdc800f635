/**
 * How much of an email expressions see, and whether one has read what was cut: then its result is not
 * sure, and padding could avoid a rule (D174).
 */
/** Longer texts are cut, so that the time of an expression has a bound. */
export const TEXT_MAX_CHARS = 4_096;
/** What expressions see of a list. */
export const SEEN_MAX = { attachments: 200, recipients: 100, headers: 500 } as const;
/** Called when an expression reads what was cut. */
export type OnCut = () => void;

export const isLong = (text: string | null): boolean => (text?.length ?? 0) > TEXT_MAX_CHARS;

export function cut(text: string | null, onCut?: OnCut): string {
  if (!isLong(text)) return text ?? '';
  onCut?.();
  return text?.slice(0, TEXT_MAX_CHARS) ?? '';
}

/** The same object with a member whose reads are told. */
export const onReadOf = <T extends object>(of: T, name: string, value: unknown, onRead: OnCut): T =>
  Object.defineProperty(of, name, {
    enumerable: true,
    get: () => {
      onRead();
      return value;
    },
  });

/** An object of texts. Reads of those that were cut are told. */
export function watched<Name extends string>(
  texts: Readonly<Record<Name, string | null>>,
  onRead: OnCut,
): Record<Name, string> {
  const fields = {} as Record<Name, string>;
  for (const [name, text] of Object.entries<string | null>(texts))
    if (isLong(text)) onReadOf(fields, name, cut(text), onRead);
    else fields[name as Name] = text ?? '';
  return fields;
}

/** Reads of the keys for which `isCut` is true are told, and with `hasMore` those of all keys. */
function watchedMap(
  map: Map<string, string>,
  onRead: OnCut,
  isCut: (key: string) => boolean,
  hasMore: boolean,
): ReadonlyMap<string, string> {
  const inner = new Map(map);
  return Object.assign(map, {
    get: (key: string) => {
      if (isCut(key)) onRead();
      return inner.get(key);
    },
    has: (key: string) => {
      if (hasMore && !inner.has(key)) onRead();
      return inner.has(key);
    },
    keys: () => {
      if (hasMore) onRead();
      return inner.keys();
    },
  });
}

/** Names in lower case; the values of a repeated header are lines. */
export function headerMap(
  all: readonly { name: string; value: string }[],
  onRead: OnCut,
): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  const cutValues = new Set<string>();
  let hasMore = false;
  for (const { name, value } of all) {
    const key = cut(name).toLowerCase();
    const before = map.get(key);
    if (before === undefined && map.size >= SEEN_MAX.headers) {
      hasMore = true;
      continue;
    }
    const whole = before === undefined ? value : `${before}\n${value}`;
    if (isLong(whole)) cutValues.add(key);
    map.set(key, cut(whole));
  }
  const names = new Set(map.keys()); // reads of the map are told
  return hasMore || cutValues.size > 0
    ? watchedMap(map, onRead, (key) => cutValues.has(key) || (hasMore && !names.has(key)), hasMore)
    : map;
}

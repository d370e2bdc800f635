/**
 * Fields of a spec that somebody set and that have no effect: the API server dropped them, because
 * its definition of the kind did not know them, or this version of Inlet does not know them
 * (docs/upgrade.md, Fields that a version does not know).
 */
type Fields = { readonly [name: string]: unknown };

/** An entry of `metadata.managedFields`: what one manager has set, as FieldsV1. */
export type ManagedFields = {
  subresource?: string;
  fieldsV1?: Fields;
};

const NAMED_MAX = 5;
/** In FieldsV1, before the name of a field. Items of lists have other prefixes. */
const FIELD = 'f:';

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Paths such as `spec.rules`, each once. When the API server drops a field, `managedFields` goes on
 * naming it until its manager applies the resource again, also after an upgrade to a definition
 * that knows it. Items of a list are not named there, so a field within one is found only while the
 * API server still has it.
 * @param spec as the API server has it
 * @param read the same, as its schema has read it
 */
export function droppedFields(
  spec: unknown,
  read: unknown,
  managed: readonly ManagedFields[] = [],
): string[] {
  const claimed = managed
    .filter(({ subresource }) => subresource === undefined)
    .flatMap(({ fieldsV1 }) => missing(fieldsV1?.['f:spec'], spec, 'spec'));
  return [...new Set([...claimed, ...unread(spec, read, 'spec')])];
}

/** Why the resource is not what its manifest asks for. */
export function droppedMessage(paths: readonly string[]): string {
  const named = paths.slice(0, NAMED_MAX).join(', ');
  const others = paths.length > NAMED_MAX ? ` and ${paths.length - NAMED_MAX} more` : '';
  return (
    `${named}${others} had no effect: Inlet or its CRDs did not know them when they were stored. ` +
    'Upgrade both and apply the manifest again, or apply it without them'
  );
}

/** Fields that a manager has set, and that the value does not have. */
function missing(claims: unknown, value: unknown, path: string): string[] {
  if (!isObject(claims) || !isObject(value)) return [];
  return Object.entries(claims)
    .filter(([key]) => key.startsWith(FIELD))
    .flatMap(([key, below]) => {
      const name = key.slice(FIELD.length);
      const at = `${path}.${name}`;
      return name in value ? missing(below, value[name], at) : [at];
    });
}

/** Fields of a value that are gone once its schema has read it. */
function unread(value: unknown, read: unknown, path: string): string[] {
  if (Array.isArray(value) && Array.isArray(read))
    return value.flatMap((item, at) => unread(item, read[at], `${path}[${at}]`));
  if (!isObject(value) || !isObject(read)) return [];
  return Object.entries(value).flatMap(([name, part]) =>
    name in read ? unread(part, read[name], `${path}.${name}`) : [`${path}.${name}`],
  );
}

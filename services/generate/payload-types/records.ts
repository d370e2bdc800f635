/** The payload's schema as records that every language can print: each object has a name. */

export type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: string[];
  const?: string;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
};

export type FieldType =
  | { kind: 'string' | 'time' | 'integer' | 'number' | 'boolean' }
  | { kind: 'values'; values: readonly string[] }
  | { kind: 'record'; name: string }
  | { kind: 'list' | 'nullable'; of: FieldType };

export type Field = { name: string; about: string; type: FieldType; isRequired: boolean };

export type RecordType = { name: string; fields: Field[] };

const ROOT = 'WebhookPayload';

/** The payload and all objects in it. A record follows those that it contains. */
export function payloadRecords(components: Readonly<Record<string, Schema>>): RecordType[] {
  const records = new Map<string, RecordType>();

  function add(name: string, schema: Schema): FieldType {
    const { properties = {}, required = [] } = schema;
    const prefix = name === ROOT ? 'Payload' : name;
    const fields = Object.entries(properties).map(([field, one]) => ({
      name: field,
      about: one.description ?? '',
      type: typeOf(one, prefix + pascal(field)),
      isRequired: required.includes(field),
    }));
    const isNew = !records.has(name);
    if (!isNew && JSON.stringify(records.get(name)?.fields) !== JSON.stringify(fields))
      throw new Error(`two records are named ${name}`);
    if (isNew) records.set(name, { name, fields });
    return { kind: 'record', name };
  }

  function typeOf(schema: Schema, name: string): FieldType {
    const component = schema.$ref?.split('/').at(-1);
    if (component !== undefined) return add(component, components[component] ?? {});
    const alternatives =
      schema.anyOf ?? [schema.type ?? []].flat().map((type) => ({ ...schema, type }));
    const [first, ...others] = alternatives.filter(({ type }) => type !== 'null');
    if (first === undefined || others.length > 0) throw new Error(`${name}: unknown schema`);
    const type = schema.anyOf ? typeOf(first, name) : single(first, name);
    return alternatives.length > 1 ? { kind: 'nullable', of: type } : type;
  }

  function single(schema: Schema, name: string): FieldType {
    const { type, format, items = {} } = schema;
    if (schema.const !== undefined) return { kind: 'values', values: [schema.const] };
    if (schema.enum) return { kind: 'values', values: schema.enum };
    if (type === 'array') return { kind: 'list', of: typeOf(items, name.replace(/s$/, '')) };
    if (type === 'object') return add(name, schema);
    if (type === 'string') return { kind: format === 'date-time' ? 'time' : 'string' };
    if (type === 'integer' || type === 'number' || type === 'boolean') return { kind: type };
    throw new Error(`${name}: unknown type ${String(type)}`);
  }

  add(ROOT, components[ROOT] ?? {});
  return [...records.values()];
}

/** `retry_count` → `RetryCount`. */
export const pascal = (name: string): string =>
  name
    .split('_')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');

/** Lines of at most 108 characters, or of one longer word. Empty for an empty text. */
export const wrapped = (text: string): string[] => text.match(/\S.{0,107}(?=\s|$)|\S+/g) ?? [];

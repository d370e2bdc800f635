/** Schemas of the OpenAPI document as HTML tables. */
import { escapeHtml } from '../sites/html-page.ts';
import { type Components, resolved, type Schema } from './schemas.ts';

/** All fields of a schema. Nested fields have their full path as name. */
export function createSchemaTable(components: Components): (schema: Schema) => string {
  const rows = (schema: Schema, prefix: string): string => {
    const { properties = {}, required = [] } = alternative(resolved(components, schema));
    return Object.entries(properties)
      .map(([name, unresolved]) => {
        const path = `${prefix}${name}`;
        const field = resolved(components, unresolved);
        const inner = field.items ? rows(field.items, `${path}[].`) : rows(field, `${path}.`);
        return row(path, field, required.includes(name), field.description ?? '') + inner;
      })
      .join('');
  };

  /** The object of a field that may be null. */
  const alternative = (schema: Schema): Schema => {
    const [found] = ((schema.anyOf ?? []) as Schema[])
      .map((one) => resolved(components, one))
      .filter(({ properties }) => properties);
    return found ?? schema;
  };

  return (schema) => `<div class="scroll"><table class="fields">${rows(schema, '')}</table></div>`;
}

export const row = (name: string, schema: Schema, isRequired: boolean, about: string): string =>
  `<tr><td><code>${escapeHtml(name)}</code></td>` +
  `<td>${escapeHtml(kindOf(schema))}${isRequired ? '' : ', optional'}</td>` +
  `<td>${withCode(about)}${schema['x-stability-level'] === 'beta' ? ' (beta)' : ''}</td></tr>`;

function kindOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? '';
  if (Array.isArray(schema.enum)) return schema.enum.map(String).join(' | ');
  if (schema.const !== undefined) return String(schema.const);
  if (Array.isArray(schema.anyOf)) return (schema.anyOf as Schema[]).map(kindOf).join(' | ');
  const type = [schema.type ?? 'any'].flat().join(' | ');
  const format = typeof schema.format === 'string' ? ` ${schema.format}` : '';
  const items = schema.items && type === 'array' ? ` of ${kindOf(schema.items)}` : '';
  const bounds = [schema.minimum ?? schema.minLength, schema.maximum ?? schema.maxLength].map(
    (bound) =>
      typeof bound === 'number' && Math.abs(bound) < Number.MAX_SAFE_INTEGER ? String(bound) : '',
  );
  const range = bounds.some((bound) => bound !== '') ? ` (${bounds.join('…')})` : '';
  return `${type}${format}${items}${range}`;
}

/** Escaped, with `code` between backticks. */
export const withCode = (text: string): string =>
  escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');

/** Markdown reference of the custom resources, generated from their CustomResourceDefinitions. */
import { definitionOf } from '../core/kube/crd.ts';
import { type Kind, KIND_NAMES, KINDS } from '../core/kube/custom-resource.ts';

type Schema = {
  type?: string;
  format?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  minItems?: number;
  pattern?: string;
  'x-kubernetes-validations'?: { rule: string; message?: string }[];
};
type Version = { schema: { openAPIV3Schema: Schema } };
type Field = { path: string; schema: Schema; isRequired: boolean };

/** Fields of nearly all kinds, which the page describes once. */
const COMMON = /^(accountRef|environment|observedGeneration|conditions)\b/;

/** One section for each kind: fields of spec and status, and rules. */
export function customResourceReference(): string {
  const described = new Map<string, string>();
  return KIND_NAMES.map((kind) => sectionOf(kind, KINDS[kind], described)).join('\n\n');
}

/** @param described the kind whose section has the fields of an object, by their schema */
export function sectionOf(
  kind: string,
  of: Kind,
  described: Map<string, string> = new Map(),
): string {
  const { versions } = definitionOf(kind, of).spec as { versions: [Version] };
  const [{ schema }] = versions;
  const { spec = {}, status = {} } = schema.openAPIV3Schema.properties ?? {};
  return [
    `## ${kind}`,
    `${sentence(schema.openAPIV3Schema.description ?? '')} Short name \`${of.shortName}\`, ` +
      `plural \`${of.plural}\`.`,
    `### ${kind} spec`,
    specTable(describedOnce(ownFieldsOf(spec), kind, described)),
    rulesOf(spec),
    `### ${kind} status`,
    statusTable(ownFieldsOf(status)),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

const ownFieldsOf = (schema: Schema): Field[] =>
  fieldsOf(schema).filter(({ path }) => !COMMON.test(path));

/** Without the fields of an object that another kind has, too: a link leads there. */
function describedOnce(
  fields: readonly Field[],
  kind: string,
  described: Map<string, string>,
): Field[] {
  let within = '\0';
  return fields.flatMap((field) => {
    const { path, schema } = field;
    if (path.startsWith(within)) return [];
    const inner = schema.items ?? schema;
    if (Object.keys(inner.properties ?? {}).length < 2) return [field];
    const key = JSON.stringify(inner.properties);
    const other = described.get(key);
    if (other === undefined || other === kind) {
      described.set(key, kind);
      return [field];
    }
    within = `${path}${schema.items ? '[]' : ''}.`;
    const link = `[as in ${other}](#${other.toLowerCase()}-spec)`;
    return [{ ...field, schema: { ...schema, description: `${schema.description}; ${link}` } }];
  });
}

/** Every field below a schema, parents before their children. */
function fieldsOf(schema: Schema, prefix = ''): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    const isRequired = schema.required?.includes(name) ?? false;
    const inner = property.items ?? property;
    const innerPrefix = property.items ? `${path}[].` : `${path}.`;
    return [{ path, schema: property, isRequired }, ...fieldsOf(inner, innerPrefix)];
  });
}

const specTable = (fields: Field[]): string =>
  table(
    ['field', 'type', 'default', 'rules', 'description'],
    fields.map(({ path, schema, isRequired }) => [
      `\`${path}\``,
      typeOf(schema),
      defaultOf(schema, isRequired),
      limitsOf(schema),
      schema.description ?? '',
    ]),
  );

const statusTable = (fields: Field[]): string =>
  table(
    ['field', 'type', 'description'],
    fields.map(({ path, schema }) => [`\`${path}\``, typeOf(schema), schema.description ?? '']),
  );

/** Rules over several fields of the spec. Those of one field are in its row. */
function rulesOf({ 'x-kubernetes-validations': rules = [] }: Schema): string {
  const lines = rules.map(({ rule, message = rule }) => `- ${message}`);
  return lines.length > 0 ? `The API server also checks:\n\n${lines.join('\n')}` : '';
}

function typeOf({ type = 'object', format, items }: Schema): string {
  if (items) return `list of ${items.type}`;
  return format === 'date-time' ? 'date and time' : type;
}

function defaultOf({ default: value }: Schema, isRequired: boolean): string {
  if (isRequired) return 'required';
  return value === undefined ? '' : `\`${JSON.stringify(value).replaceAll('"', '')}\``;
}

function limitsOf(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern } = schema;
  return [
    (schema.enum ?? schema.items?.enum)?.map((value) => `\`${String(value)}\``).join(', '),
    range(minimum, maximum, ''),
    range(minLength, maxLength, ' characters'),
    range(minItems, maxItems, ' entries'),
    pattern && `matches \`${pattern}\``,
    ...(schema['x-kubernetes-validations'] ?? []).map(({ rule, message = rule }) =>
      message.replace(/^(must be a name of a Secret): .*/, '$1'),
    ),
  ]
    .filter(Boolean)
    .join('; ');
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`;
  if (least !== undefined) return `at least ${least}${unit}`;
  return most === undefined ? '' : `at most ${most}${unit}`;
}

const sentence = (text: string): string =>
  text && `${text[0]?.toUpperCase()}${text.slice(1).replace(/\.?$/, '.')}`;

const cell = (text: string): string => text.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ');
const table = (head: string[], rows: string[][]): string =>
  [head, head.map(() => '---'), ...rows.map((row) => row.map(cell))]
    .map((row) => `| ${row.join(' | ')} |`.replaceAll(/ +\|/g, ' |'))
    .join('\n');

/**
 * Writes the OpenAPI document as TypeScript: a type for each schema, for the dashboard, the command and the
 * published client; and for the first two `Calls`, which maps `GET /deliveries/{event_id}` to its
 * parameters, body and response.
 */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  maximum?: number;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
};
type Content = Record<string, { schema?: Schema }>;
export type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Schema;
};
export type Operation = {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  'x-permission'?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
};
export type TypedDocument = {
  info: { version: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

const HEAD =
  '/** The types of the REST API, from its OpenAPI document: `npm run golden` updates them. */\n';
const CALLS_HEAD =
  '/** The calls of the REST API, from its OpenAPI document: `npm run golden` updates them. */\n';

export const schemaTypesOf = ({ components }: TypedDocument): string =>
  [
    HEAD,
    ...Object.entries(components.schemas).map(
      ([name, schema]) =>
        `${docComment(schema.description)}export type ${name} = ${typeOf(schema, true)};\n`,
    ),
  ].join('\n');

export function callTypesOf({ paths, components }: TypedDocument): string {
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const facts = [
        `params: ${parametersOf(operation, 'path')};`,
        `query: ${parametersOf(operation, 'query')};`,
        `body: ${bodyOf(operation)};`,
        `response: ${responseOf(operation)};`,
      ];
      const name = `  '${method.toUpperCase()} ${path}'`;
      const line = `${name}: { ${facts.join(' ').slice(0, -1)} };\n`;
      return line.length <= LINE_COLUMNS
        ? line
        : `${name}: {\n${facts.map((one) => `    ${one}\n`).join('')}  };\n`;
    }),
  );
  const text = `export type Calls = {\n${calls.join('')}};\n`;
  const names = usedNames(text, components.schemas);
  return `${CALLS_HEAD}${typeImport(names, './api-types.generated.ts')}\n${text}`;
}

const LINE_COLUMNS = 120;

/** With as many names on a line as fit. */
export function typeImport(names: readonly string[], from: string): string {
  const lines = names.reduce<string[]>((before, name) => {
    const last = before.at(-1) ?? '';
    const longer = last === '' ? `  ${name},` : `${last} ${name},`;
    return longer.length <= LINE_COLUMNS
      ? [...before.slice(0, -1), longer]
      : [...before, `  ${name},`];
  }, []);
  return `import type {\n${lines.join('\n')}\n} from '${from}';\n`;
}

/** The schemas that a text names as types. */
export const usedNames = (text: string, schemas: object): string[] => {
  const words = new Set(text.replaceAll(/\/\*\*[^]*?\*\/|"[^"\n]*"|'[^'\n]*'/g, '').match(/\w+/g));
  return Object.keys(schemas).filter((name) => words.has(name));
};

function parametersOf({ parameters = [] }: Operation, place: string): string {
  const fields = parameters.filter((one) => one.in === place);
  if (fields.length === 0) return 'unknown';
  const lines = fields.map(
    ({ name, required = false, schema }) =>
      `${name}${required ? '' : '?'}: ${typeOf(schema)}${required ? '' : ' | undefined'}`,
  );
  return `{ ${lines.join('; ')} }`;
}

const bodyOf = ({ requestBody }: Operation): string => {
  const schema = requestBody?.content['application/json']?.schema;
  return schema ? typeOf(schema) : 'undefined';
};

function responseOf({ responses }: Operation): string {
  const [, response] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  const schema = response?.content?.['application/json']?.schema;
  return schema ? typeOf(schema) : 'unknown';
}

/** @param isDocumented each field has a line of its own, below its description */
export function typeOf(schema: Schema, isDocumented = false): string {
  const inner = (one: Schema) => typeOf(one, isDocumented);
  if (schema.$ref) return schema.$ref.split('/').at(-1) ?? 'unknown';
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const union = schema.anyOf ?? schema.oneOf;
  if (union) return [...new Set(union.map(inner))].join(' | ');
  if (schema.allOf) return schema.allOf.map(inner).join(' & ');
  const types = [schema.type ?? []].flat();
  if (types.length > 1) return types.map((type) => inner({ ...schema, type })).join(' | ');
  return single(types[0], schema, isDocumented);
}

function single(type: string | undefined, schema: Schema, isDocumented: boolean): string {
  if (type === 'integer') return 'number';
  if (type === 'string' || type === 'number' || type === 'boolean' || type === 'null') return type;
  const inner = (one: Schema) => typeOf(one, isDocumented);
  if (type === 'array') return `(${schema.items ? inner(schema.items) : 'unknown'})[]`;
  if (type !== 'object') return 'unknown';
  const { properties = {}, required = [], additionalProperties } = schema;
  const fields = Object.entries(properties).map(([name, field]) => {
    const text = required.includes(name)
      ? `${key(name)}: ${inner(field)}`
      : `${key(name)}?: ${inner(field)} | undefined`;
    return isDocumented ? `${docComment(field.description)}${text};` : text;
  });
  if (fields.length > 0)
    return isDocumented ? `{\n${indented(fields.join('\n'))}\n}` : `{ ${fields.join('; ')} }`;
  const values = typeof additionalProperties === 'object' ? inner(additionalProperties) : 'unknown';
  return `{ [name: string]: ${values} }`;
}

const key = (name: string) => (/^\w+$/.test(name) ? name : `'${name}'`);

export const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, '  ');

/** Empty without a text. */
export function docComment(text = ''): string {
  const lines = text.replaceAll('*/', '*').split('\n');
  if (text === '') return '';
  if (lines.length === 1) return `/** ${text} */\n`;
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`;
}

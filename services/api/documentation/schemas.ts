/** Turns zod schemas into the schemas of the OpenAPI document. Named ones become components. */
import { z } from 'zod';

import { apiSchemas } from '../../core/resource/api-reference.ts';

export type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  [keyword: string]: unknown;
};

export type Components = Record<string, Schema>;

/** `input`: what a request may contain. `output`: what a response contains. */
type Direction = 'input' | 'output';

const ROOT = '#/components/schemas/';

/** Descriptions from the global registry, and the names of the components. */
const metadata: Pick<typeof z.globalRegistry, 'get'> = {
  get: (schema) => {
    const id = apiSchemas.get(schema)?.id;
    const meta = z.globalRegistry.get(schema);
    return id === undefined ? meta : { ...meta, id };
  },
};

/** Collects the components of one document. */
export function createSchemas() {
  const components: Components = {};

  function add(name: string, schema: Schema): Schema {
    const text = JSON.stringify(schema);
    if (components[name] !== undefined && JSON.stringify(components[name]) !== text)
      throw new Error(`two schemas are named ${name}`);
    components[name] = schema;
    return { $ref: ROOT + name };
  }

  function convert(schema: z.ZodType, io: Direction): Schema {
    const { $schema: _dialect, $defs = {}, ...root } = rewritten(converted(schema, io));
    for (const [name, definition] of Object.entries($defs as Components)) add(name, definition);
    return root;
  }

  return {
    components,
    /** A reference to the component of this schema, which is `name` unless it has its own. */
    reference(schema: z.ZodType, io: Direction, name: string): Schema {
      const root = io === 'input' ? describeDefaults(convert(schema, io)) : convert(schema, io);
      return root.$ref === undefined ? add(name, root) : root;
    },
    /** The schema itself, for parameters. */
    inline: (schema: z.ZodType): Schema => convert(schema, 'input'),
  };
}
export type Schemas = ReturnType<typeof createSchemas>;

const converted = (schema: z.ZodType, io: Direction): Schema =>
  z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    metadata: metadata as typeof z.globalRegistry,
    override: ({ jsonSchema }) => {
      if (io === 'input') return; // these rules are checked
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      // responses may gain fields; the values of a map stay described
      if (jsonSchema.propertyNames === undefined) delete jsonSchema.additionalProperties;
    },
  }) as Schema;

/** In a body, generated types require a field that has a default. So the description states it. */
const describeDefaults = ({ properties = {}, ...schema }: Schema): Schema => ({
  ...schema,
  properties: Object.fromEntries(
    Object.entries(properties).map(([name, { default: value, ...field }]) => [
      name,
      value === undefined
        ? field
        : { ...field, description: `${field.description}; default: ${String(value)}` },
    ]),
  ),
});

const rewritten = (schema: Schema): Schema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', `"${ROOT}`)) as Schema;

/** The component that a reference names. Keywords next to `$ref`, such as a description, win. */
export function resolved(components: Components, schema: Schema): Schema {
  const { $ref, ...siblings } = schema;
  if ($ref === undefined) return schema;
  return { ...components[nameIn($ref)], ...siblings };
}

export const nameIn = (reference: string): string => reference.split('/').at(-1) ?? '';

/**
 * Whether programs that were written for one JSON schema work with another one. The direction
 * decides: a request may not have to change, and a response must keep what it had.
 */

export type Schema = {
  $ref?: string;
  type?: string | readonly string[];
  nullable?: boolean;
  enum?: readonly unknown[];
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  not?: Schema;
  'x-stability-level'?: string;
  'x-kubernetes-validations'?: readonly { rule: string }[];
  [keyword: string]: unknown;
};
export type Named = Readonly<Record<string, Schema>>;

/** `request`: programs write it. `response`: programs read it, as they read webhooks. */
export type Direction = 'request' | 'response';

/** The changelog names a break by its subject. */
export type Break = { subject: string; what: string };

export type Sides<T> = { before: T; after: T };

/** Smallest and largest values: an additional or a stricter one is a break of requests. */
const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
/** What says how a value is written. */
const FORMS = ['pattern', 'format', 'contentEncoding', 'multipleOf'];

export const isBeta = (of: { 'x-stability-level'?: string } | undefined): boolean =>
  of?.['x-stability-level'] === 'beta';

/**
 * @param named the schemas that references name, on both sides
 * @returns a function that adds the breaks of one schema to `breaks`. A named schema is compared
 *   once for each direction, and its breaks have its name.
 */
export function createSchemaComparison(named: Sides<Named>, breaks: Break[]) {
  const compared = new Set<string>();
  const report = (subject: string, what: string) => void breaks.push({ subject, what });

  function compare(sides: Sides<Schema>, direction: Direction, at: string): void {
    if (isBeta(sides.before)) return;
    if (isBeta(sides.after)) return report(at, 'is no longer stable');
    const name = nameIn(sides.before);
    if (name !== undefined) {
      if (named.after[name] === undefined) return report(name, 'is removed or has another name');
      if (nameIn(sides.after) === name) {
        if (compared.has(`${direction} ${name}`)) return undefined;
        compared.add(`${direction} ${name}`);
        at = `${direction} ${name}`;
      }
    }
    compareResolved(
      { before: resolved(sides.before, named.before), after: resolved(sides.after, named.after) },
      direction,
      at,
    );
  }

  function compareResolved(sides: Sides<Schema>, direction: Direction, at: string): void {
    const { before, after } = {
      before: alternatives(sides.before, named.before),
      after: alternatives(sides.after, named.after),
    };
    const takes = { before: before.isNullable, after: after.isNullable };
    if (direction === 'request' && takes.before && !takes.after) report(at, 'may not be null');
    if (direction === 'response' && !takes.before && takes.after) report(at, 'may be null');
    const [one, ...others] = before.schemas;
    const [same, ...more] = after.schemas;
    if (one && same && others.length === 0 && more.length === 0)
      return compareSingle({ before: one, after: same }, direction, at);
    const candidates = byKind(after.schemas);
    for (const [kind, schema] of byKind(before.schemas)) {
      const match = candidates.get(kind);
      if (match) compare({ before: schema, after: match }, direction, `${at}(${kind})`);
      else report(`${at}(${kind})`, 'is removed');
    }
    // a response may have further alternatives, as it may have further values
  }

  function compareSingle(references: Sides<Schema>, direction: Direction, at: string): void {
    if (nameIn(references.before) !== undefined) return compare(references, direction, at);
    const { before, after } = {
      before: references.before,
      after: resolved(references.after, named.after),
    };
    const from = typesOf(before);
    const to = typesOf(after);
    const isKept = direction === 'request' ? takesAll(to, from) : takesAll(from, to);
    if (!isKept) return report(at, `is ${to.join(' or ') || 'anything'}, not ${from.join(' or ')}`);
    compareValues({ before, after }, direction, at);
    compareFields({ before, after }, direction, at);
    if (before.items)
      compare({ before: before.items, after: after.items ?? {} }, direction, `${at}[]`);
    compareMaps({ before, after }, direction, at);
    if (direction === 'request') compareRules({ before, after }, at);
  }

  function compareValues({ before, after }: Sides<Schema>, direction: Direction, at: string): void {
    const values = { before: valuesOf(before), after: valuesOf(after) };
    for (const value of values.before ?? [])
      if (values.after ? !values.after.includes(value) : direction === 'response')
        report(`${at}=${JSON.parse(value)}`, 'is removed');
    for (const form of FORMS)
      if (before[form] !== after[form])
        if (direction === 'response' ? before[form] !== undefined : after[form] !== undefined)
          report(at, `has another ${form}`);
    if (direction === 'response') return;
    if (!values.before && values.after) report(at, `takes only ${values.after.join(', ')}`);
    for (const [keywords, isStricter] of [
      [LOWER, (was: number, is: number) => is > was],
      [UPPER, (was: number, is: number) => is < was],
    ] as const)
      for (const keyword of keywords) {
        const [was, is] = [before[keyword], after[keyword]] as [number?, number?];
        if (is !== undefined && (was === undefined || isStricter(was, is)))
          report(at, `has another ${keyword}: ${is}`);
      }
    if (before.default !== undefined && !isSame(before.default, after.default))
      report(at, 'has another default');
  }

  function compareFields({ before, after }: Sides<Schema>, direction: Direction, at: string): void {
    for (const [name, field] of Object.entries(before.properties ?? {})) {
      const path = `${at}.${name}`;
      const now = after.properties?.[name];
      if (isBeta(field)) continue;
      if (now === undefined) {
        report(path, 'is removed');
        continue;
      }
      compare({ before: field, after: now }, direction, path);
      const was = before.required?.includes(name);
      const is = after.required?.includes(name);
      if (direction === 'response' && was && !is) report(path, 'may be absent');
      if (direction === 'request' && !was && is) report(path, 'is required');
    }
    if (direction === 'request')
      for (const name of after.required ?? [])
        if (before.properties?.[name] === undefined) report(`${at}.${name}`, 'is new and required');
  }

  /** Objects whose keys are chosen by who writes them. */
  function compareMaps(sides: Sides<Schema>, direction: Direction, at: string): void {
    const [before, after] = [sides.before, sides.after].map((one) => one.additionalProperties);
    if (direction === 'request' && before !== false && before !== undefined && after === false)
      return report(`${at}{}`, 'is refused');
    if (typeof before === 'object')
      compare({ before, after: typeof after === 'object' ? after : {} }, direction, `${at}{}`);
    const keys = [sides.before, sides.after].map((one) => one.propertyNames as Schema | undefined);
    if (direction === 'request' && keys[1] !== undefined)
      compare({ before: keys[0] ?? { type: 'string' }, after: keys[1] }, direction, `${at}{key}`);
  }

  /** Rules for several fields. One that is about a new field refuses nothing that was accepted. */
  function compareRules({ before, after }: Sides<Schema>, at: string): void {
    const known = new Set(rulesOf(before));
    for (const rule of rulesOf(after))
      if (
        !known.has(rule) &&
        fieldsIn(rule, after).every((name) => name in (before.properties ?? {}))
      )
        report(at, `has another rule: ${rule}`);
  }

  return compare;
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

const nameIn = ({ $ref }: Schema): string | undefined => $ref?.split('/').at(-1);

function resolved(schema: Schema, named: Named): Schema {
  const name = nameIn(schema);
  if (name === undefined) return schema;
  const { $ref: _, ...siblings } = schema;
  return { ...named[name], ...siblings };
}

/** A schema without its null, and its alternatives, if it has several. */
function alternatives(schema: Schema, named: Named): { schemas: Schema[]; isNullable: boolean } {
  const { anyOf = schema.oneOf, oneOf: _, ...rest } = schema;
  if (anyOf === undefined) {
    const types = [schema.type ?? []].flat();
    const isNullable = schema.nullable === true || types.includes('null');
    return {
      schemas: types.length === 1 && isNullable && !schema.nullable ? [] : [schema],
      isNullable,
    };
  }
  const parts = anyOf.map((part) =>
    nameIn(part) === undefined ? { ...rest, ...part } : { ...part },
  );
  const found = parts.map((part) =>
    part.$ref !== undefined && !isUnion(resolved(part, named))
      ? { schemas: [part], isNullable: isNull(resolved(part, named)) }
      : alternatives(resolved(part, named), named),
  );
  return {
    schemas: found.flatMap(({ schemas }) => schemas),
    isNullable: found.some(({ isNullable }) => isNullable),
  };
}
const isUnion = ({ anyOf, oneOf }: Schema) => (anyOf ?? oneOf) !== undefined;
const isNull = ({ type, nullable }: Schema) =>
  nullable === true || [type ?? []].flat().includes('null');

/** What tells the alternatives of a schema apart: a name, the constants of an object, or a type. */
function kindOf(schema: Schema): string {
  const name = nameIn(schema);
  if (name !== undefined) return name;
  const constants = Object.entries(schema.properties ?? {}).flatMap(([field, value]) =>
    'const' in value ? [`${field}=${String(value.const)}`] : [],
  );
  const types = typesOf(schema).join(' or ') || 'anything';
  return constants.join(',') || [types, schema.format].filter(Boolean).join(' ');
}

/** The second one of a kind has a number. */
function byKind(schemas: readonly Schema[]): Map<string, Schema> {
  const found = new Map<string, Schema>();
  for (const schema of schemas) {
    const kind = kindOf(schema);
    const same = [...found.keys()].filter((key) => key.split(' #')[0] === kind).length;
    found.set(same === 0 ? kind : `${kind} #${same + 1}`, schema);
  }
  return found;
}

const typesOf = ({ type }: Schema): string[] => [type ?? []].flat().filter((one) => one !== 'null');

/** Whether `wide` has every type of `narrow`. No type is every type. */
const takesAll = (wide: readonly string[], narrow: readonly string[]): boolean =>
  wide.length === 0 ||
  (narrow.length > 0 &&
    narrow.every((one) => wide.includes(one) || (one === 'integer' && wide.includes('number'))));

/** As JSON, without null, which is a type. */
function valuesOf(schema: Schema): string[] | undefined {
  const values = 'const' in schema ? [schema.const] : schema.enum;
  return values?.filter((value) => value !== null).map((value) => JSON.stringify(value));
}

function rulesOf(schema: Schema): string[] {
  const { not } = schema;
  const refused = not === undefined ? [] : (not.anyOf ?? [not]);
  const rules = schema['x-kubernetes-validations'] ?? [];
  return [...refused.map((one) => `not ${JSON.stringify(one)}`), ...rules.map(({ rule }) => rule)];
}

/** The fields of a schema that a rule names. */
const fieldsIn = (rule: string, { properties = {} }: Schema): string[] =>
  Object.keys(properties).filter((name) => new RegExp(`\\b${name}\\b`).test(rule));

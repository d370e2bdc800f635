/**
 * The OpenAPI document as files that can be read and compared: one for each tag with its calls and the
 * schemas that no tag before it uses, and `document` with the rest. A field has one line where it fits.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { Document, isCollection, parse, visit } from 'yaml';

export const OPENAPI_FOLDER = join(import.meta.dirname, '../api/documentation/openapi');
const ENDING = '.golden.yaml';
const REST = 'document';
const COLUMNS = 120;
/** A field with its description may have a longer line than what has fields. */
const COLUMNS_OF_FIELD = 200;
const LEVELS_OF_FIELD = 2;

type Json = Record<string, unknown>;
type Paths = Record<string, Record<string, { tags: string[] }>>;
type Whole = Json & {
  tags: { name: string }[];
  paths: Paths;
  components: Json & { schemas: Json };
};
type Part = Partial<Omit<Whole, 'components'>> & { components?: Json & { schemas?: Json } };

/** File names and texts. */
export function openApiFiles(whole: object): Map<string, string> {
  const { paths, components, ...rest } = whole as Whole;
  const { schemas, ...others } = components;
  const left = new Set(Object.keys(schemas));
  const take = (from: unknown): Json => {
    const names = [...reachedFrom(from, schemas)].filter((name) => left.delete(name));
    return Object.fromEntries(names.toSorted().map((name) => [name, schemas[name]]));
  };
  const parts = new Map<string, Part>();
  for (const { name } of rest.tags) {
    const ofTag = Object.fromEntries(
      Object.entries(paths).filter(([, methods]) =>
        Object.values(methods).some(({ tags }) => tags[0] === name),
      ),
    );
    if (Object.keys(ofTag).length === 0) continue;
    parts.set(name, { paths: ofTag, components: { schemas: take(ofTag) } });
  }
  parts.set(REST, {
    ...rest,
    components: { ...others, schemas: take([rest, others, [...left].map(referenceTo)]) },
  });
  return new Map([...parts].map(([name, part]) => [`${name}${ENDING}`, yamlOf(part)]));
}

/** The whole document; its calls are in another order. */
export async function readOpenApi<Form = Whole>(): Promise<Form> {
  const names = (await readdir(OPENAPI_FOLDER)).filter((name) => name.endsWith(ENDING));
  const parts = await Promise.all(
    names.map(async (name) => parse(await readFile(join(OPENAPI_FOLDER, name), 'utf8')) as Part),
  );
  const schemas = parts.flatMap(({ components }) => Object.entries(components?.schemas ?? {}));
  return {
    ...Object.assign({}, ...parts),
    paths: Object.assign({}, ...parts.map(({ paths }) => paths)) as Paths,
    components: {
      ...Object.assign({}, ...parts.map(({ components }) => components)),
      schemas: Object.fromEntries(schemas.toSorted(([one], [other]) => (one < other ? -1 : 1))),
    },
  } as Form;
}

const SCHEMAS = '#/components/schemas/';
const referenceTo = (name: string) => ({ $ref: SCHEMAS + name });

/** Names of the schemas that a part refers to, also through others. */
function reachedFrom(part: unknown, schemas: Json, found = new Set<string>()): Set<string> {
  for (const [, name = ''] of JSON.stringify(part).matchAll(
    /"\$ref":"#\/components\/schemas\/(\w+)"/g,
  ))
    if (!found.has(name)) reachedFrom(schemas[name], schemas, found.add(name));
  return found;
}

function yamlOf(part: Part): string {
  const document = new Document(part, { aliasDuplicateObjects: false });
  visit(document, {
    Collection(_, node, path) {
      const value: unknown = node.toJSON();
      const text = JSON.stringify(value);
      const width = path.filter(isCollection).length * 2 + text.length;
      const most = levelsOf(value) > LEVELS_OF_FIELD ? COLUMNS : COLUMNS_OF_FIELD;
      node.flow = width < most && !text.includes('\\n');
      return undefined;
    },
  });
  return document.toString({ lineWidth: 0 });
}

const levelsOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + Math.max(0, ...Object.values(value).map(levelsOf))
    : 0;

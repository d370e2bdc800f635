/** No caller can make Inlet store or compare a text of any length: fields of requests are bounded. */
import { expect, test } from 'vitest';

import { readOpenApi } from '../../support/openapi-files.ts';

type Schema = {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown;
  const?: unknown;
  pattern?: string;
  maxLength?: number;
  format?: string;
};
type Operation = {
  parameters?: { in: string; name: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
};
type OpenApi = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

/** Texts that are parsed or compared, and not stored. */
const PARSED = /\.(start_date|end_date|since|signature)$/;

test('each text in a query or body has a pattern, a length or a list of values', async () => {
  const document = await readOpenApi<OpenApi>();

  function* unbounded(of: Schema, path: string): Generator<string> {
    if (of.$ref !== undefined) {
      const named = document.components.schemas[of.$ref.split('/').at(-1) ?? ''];
      if (named !== undefined) yield* unbounded(named, path);
      return;
    }
    const isText = [of.type].flat().includes('string');
    const bound = of.enum ?? of.const ?? of.pattern ?? of.maxLength ?? of.format;
    if (isText && bound === undefined) yield path;
    for (const [name, field] of Object.entries(of.properties ?? {}))
      yield* unbounded(field, `${path}.${name}`);
    for (const part of [of.items ?? [], of.anyOf ?? []].flat()) yield* unbounded(part, path);
  }

  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, of]) => [`${method} ${path}`, of] as const),
  );
  const found = operations.flatMap(([call, { parameters = [], requestBody }]) => [
    ...parameters
      .filter((parameter) => parameter.in === 'query')
      .flatMap(({ name, schema }) => [...unbounded(schema, `${call}.${name}`)]),
    ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => [
      ...unbounded(schema, call),
    ]),
  ]);
  expect(operations.length).toBeGreaterThan(50);
  expect(found.filter((path) => !PARSED.test(path))).toEqual([]);
});

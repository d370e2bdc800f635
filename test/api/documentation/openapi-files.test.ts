/** The golden files of the OpenAPI document are the whole document, and nothing else is with them. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { OPENAPI_FOLDER, openApiFiles, readOpenApi } from '../../support/openapi-files.ts';

const refersTo = (name: string) => ({ schema: { $ref: `#/components/schemas/${name}` } });

test('the folder holds the files of its document and nothing else', async () => {
  const names = (await readdir(OPENAPI_FOLDER)).toSorted();
  const files = names.map(async (name) => [
    name,
    await readFile(join(OPENAPI_FOLDER, name), 'utf8'),
  ]);
  expect(Object.fromEntries(await Promise.all(files))).toEqual(
    Object.fromEntries(openApiFiles(await readOpenApi())),
  );
});

test('each schema is in the file of the first tag that uses it, every call in that of its tag', () => {
  const call = (tag: string, name: string) => ({ get: { tags: [tag], ...refersTo(name) } });
  const files = openApiFiles({
    openapi: '3.1.0',
    tags: [{ name: 'a' }, { name: 'b' }, { name: 'none' }],
    paths: { '/b': call('b', 'Deep'), '/a': call('a', 'Shared') },
    webhooks: { email: refersTo('Payload') },
    components: {
      headers: {},
      schemas: {
        Deep: { properties: { one: refersTo('Shared') } },
        Shared: { type: 'string' },
        Payload: { type: 'object' },
        Unused: { type: 'object' },
      },
    },
  });
  expect([...files.keys()]).toEqual(['a.golden.yaml', 'b.golden.yaml', 'document.golden.yaml']);
  expect(files.get('a.golden.yaml')).toBe(`\
paths: { /a: { get: { tags: [ a ], schema: { $ref: "#/components/schemas/Shared" } } } }
components: { schemas: { Shared: { type: string } } }
`);
  expect(files.get('b.golden.yaml')).toContain('Deep:');
  expect(files.get('document.golden.yaml')).toMatch(/Payload[^]*Unused/);
});

/**
 * The reference in docs/custom-resources.md is generated from the schemas of the custom resources.
 * `npm run golden` updates it.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';

import { API_VERSION, KIND_NAMES, KINDS } from '../../services/core/kube/custom-resource.ts';
import { customResourceReference } from '../../services/generate/custom-resource-reference.ts';

const PAGE = join(import.meta.dirname, '../../docs/custom-resources.md');
const SECTION = /(<!-- reference -->\n)[\s\S]*?(\n<!-- \/reference -->)/;
const page = await readFile(PAGE, 'utf8');

test('docs/custom-resources.md describes every field as the API server checks it', async () => {
  expect(page).toMatch(SECTION);
  await expect(
    page.replace(
      SECTION,
      (_, start: string, end: string) => `${start}${customResourceReference()}${end}`,
    ),
  ).toMatchFileSnapshot(PAGE);
});

test('the examples on the page have specs that the schemas accept', () => {
  const examples = [...page.matchAll(/```yaml\n(apiVersion: inlet\.email[^]*?)```/g)].flatMap(
    ([, text = '']) =>
      parseAllDocuments(text).map(
        (document) =>
          document.toJS() as { apiVersion: string; kind: keyof typeof KINDS; spec: object },
      ),
  );
  expect(new Set(examples.map(({ kind }) => kind))).toEqual(new Set(KIND_NAMES));
  for (const { apiVersion, kind, spec } of examples) {
    expect(apiVersion).toBe(API_VERSION);
    expect([kind, KINDS[kind].spec.strict().safeParse(spec).error?.issues]).toEqual([
      kind,
      undefined,
    ]);
  }
});

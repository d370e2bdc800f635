/**
 * `npm run baseline`: the OpenAPI document of this checkout, without its texts, and the versions of its
 * custom resource definitions become those that later changes are compared with. At a release only.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { customResourceDefinition } from '../../services/core/kube/crd.ts';
import { KIND_NAMES } from '../../services/core/kube/custom-resource.ts';
import { readOpenApi } from '../support/openapi-files.ts';

export const BASELINE = join(import.meta.dirname, 'openapi.golden.json');
export const SERVED_BASELINE = join(import.meta.dirname, 'served-versions.golden.json');

type Version = { name: string; served: boolean; storage: boolean };
export const versionsOf = (kind: (typeof KIND_NAMES)[number]) =>
  (customResourceDefinition(kind).spec as { versions: Version[] }).versions;

const servedVersions = () =>
  Object.fromEntries(
    KIND_NAMES.map((kind) => [
      kind,
      versionsOf(kind).flatMap(({ name, served }) => (served ? [name] : [])),
    ]),
  );

const TEXTS = ['description', 'summary'];
const EXAMPLES = ['example', 'examples', 'x-codeSamples'];
/** Calls and schemas have one line each, so that a diff can be read. */
const LEVELS = 3;

/** A document without texts and examples, which oasdiff would take for a part of what they are about. */
export function comparedForm(value: unknown, levels = LEVELS): string {
  if (levels === 0 || typeof value !== 'object' || value === null || Array.isArray(value))
    return JSON.stringify(value, withoutTexts);
  const entries = Object.entries(value).map(
    ([key, part]) => `${JSON.stringify(key)}:${comparedForm(part, levels - 1)}`,
  );
  return `{\n${entries.join(',\n')}\n}`;
}

const withoutTexts = (key: string, value: unknown): unknown =>
  EXAMPLES.includes(key) || (TEXTS.includes(key) && typeof value === 'string') ? undefined : value;

if (import.meta.main) {
  await writeFile(BASELINE, `${comparedForm(await readOpenApi())}\n`);
  await writeFile(SERVED_BASELINE, `${comparedForm(servedVersions(), 1)}\n`);
}

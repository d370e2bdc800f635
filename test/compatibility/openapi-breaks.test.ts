/**
 * A change of the OpenAPI document breaks no program that was written for the last release, unless
 * docs/CHANGELOG.md has the line of oasdiff. `npm run baseline` takes the document of a release.
 */
import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { findGoTool } from '../support/go-tool.ts';
import { readOpenApi } from '../support/openapi-files.ts';
import { testDir } from '../support/servers.ts';
import { BASELINE, comparedForm } from './baseline.ts';

const CHANGELOG = join(import.meta.dirname, '../../docs/CHANGELOG.md');
const oasdiff = await findGoTool({
  name: 'oasdiff',
  given: process.env.OASDIFF_BIN,
  versionArgs: ['--version'],
  module: 'github.com/oasdiff/oasdiff@v1.37.0',
  folder: '.',
});

type Break = { id: string; operation: string; path: string; text: string };

/** What docs/project/compatibility.md lets grow: programs ignore values and fields that they do not know. */
const GROWTH = new Set(['response-property-enum-value-added', 'response-property-one-of-added']);
const isGrowth = ({ id, path }: Break): boolean =>
  GROWTH.has(id) || (path.startsWith('webhook:') && id === 'new-required-request-property');

/** The breaks in a document with this text that the changelog does not name, a line each. */
async function breaksOf(revision: string, changelog: string): Promise<string[]> {
  await using dir = await testDir();
  const paths = { revision: join(dir.path, 'openapi.json'), changelog: join(dir.path, 'log.md') };
  await writeFile(paths.revision, revision);
  await writeFile(paths.changelog, changelog);
  const options = ['--format', 'json', '--err-ignore', paths.changelog];
  const { status, stdout, stderr } = spawnSync(
    String(oasdiff),
    ['breaking', ...options, '--warn-ignore', paths.changelog, BASELINE, paths.revision],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`oasdiff: status ${status}: ${stderr}`);
  const found = (JSON.parse(stdout || '[]') as Break[] | null) ?? [];
  return found
    .filter((one) => !isGrowth(one))
    .map(({ operation, path, text }) => `${operation} ${path} ${text}`);
}

test.skipIf(oasdiff === undefined)('a break of the API is named in the changelog', async () => {
  const current = comparedForm(await readOpenApi());
  const named = await readFile(CHANGELOG, 'utf8');
  expect(await breaksOf(current, named), 'add to "### Breaking" of docs/CHANGELOG.md').toEqual([]);
});

test.skipIf(oasdiff === undefined)('a removed call is found, unless it is named', async () => {
  const baseline = JSON.parse(await readFile(BASELINE, 'utf8')) as { paths: object };
  const { '/usage': _, ...paths } = baseline.paths as Record<string, unknown>;
  const revision = JSON.stringify({ ...baseline, paths });
  expect(await breaksOf(revision, '')).toEqual([expect.stringContaining('GET /usage')]);
  const named = `### Breaking\n\n- GET /usage API path removed without deprecation\n`;
  expect(await breaksOf(revision, named)).toEqual([]);
});

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

/** What oasdiff says about a document with this text. */
async function breaksOf(revision: string, changelog: string) {
  await using dir = await testDir();
  const paths = { revision: join(dir.path, 'openapi.json'), changelog: join(dir.path, 'log.md') };
  await writeFile(paths.revision, revision);
  await writeFile(paths.changelog, changelog);
  const ignored = ['--err-ignore', paths.changelog, '--warn-ignore', paths.changelog];
  const options = ['--format', 'singleline', '--color', 'never', '--fail-on', 'WARN', ...ignored];
  const { status, stdout, stderr } = spawnSync(
    String(oasdiff),
    ['breaking', ...options, BASELINE, paths.revision],
    { encoding: 'utf8' },
  );
  return { status, output: stdout + stderr };
}

test.skipIf(oasdiff === undefined)('a break of the API is named in the changelog', async () => {
  const current = comparedForm(await readOpenApi());
  const { status, output } = await breaksOf(current, await readFile(CHANGELOG, 'utf8'));
  expect([status, output], 'add these lines below "### Breaking" of docs/CHANGELOG.md').toEqual([
    0,
    expect.any(String),
  ]);
});

test.skipIf(oasdiff === undefined)('a removed call is found, unless it is named', async () => {
  const baseline = JSON.parse(await readFile(BASELINE, 'utf8')) as { paths: object };
  const { '/usage': _, ...paths } = baseline.paths as Record<string, unknown>;
  const revision = JSON.stringify({ ...baseline, paths });
  const { status, output } = await breaksOf(revision, '');
  expect([status, output]).toEqual([1, expect.stringContaining('GET /usage')]);
  const named = `### Breaking\n\n- GET /usage API path removed without deprecation\n`;
  expect(await breaksOf(revision, named)).toMatchObject({ status: 0 });
});

/** The version of a release stands everywhere, after one command: docs/project/releasing.md. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect, test } from 'vitest';

import { VERSION } from '../../services/core/version.ts';
import {
  differingPlaces,
  VERSION_FILES,
  withVersion,
} from '../../services/generate/release/version-places.ts';

const CHECKOUT = join(import.meta.dirname, '..', '..');
const files = new Map(
  await Promise.all(
    VERSION_FILES.map(
      async (file) => [file, await readFile(join(CHECKOUT, file), 'utf8')] as const,
    ),
  ),
);
const NEXT = '1.0.0-rc.1';
const changed = withVersion(files, NEXT, '2027-01-31');

test('all places name the version of this checkout', () => {
  expect(differingPlaces(files, VERSION)).toEqual([]);
});

test('X.1: one command changes all of them, Python in its own form, and the changelog begins anew', () => {
  const all = new Map([...files, ...changed]);
  expect([...changed.keys()].toSorted()).toEqual([...VERSION_FILES].toSorted());
  expect(differingPlaces(all, NEXT)).toEqual([]);
  expect(all.get('services/clients/python/pyproject.toml')).toContain('\nversion = "1.0.0rc1"\n');
  expect(all.get('docs/CHANGELOG.md')).toContain('\n## Unreleased\n\n## 1.0.0-rc.1 (2027-01-31)\n');
  const lock = JSON.parse(all.get('package-lock.json') ?? '') as {
    version: string;
    packages: Record<string, { version: string }>;
  };
  expect([lock.version, lock.packages['']?.version]).toEqual([NEXT, NEXT]);
  expect(lock.packages['node_modules/koa']).toEqual(
    (JSON.parse(files.get('package-lock.json') ?? '') as typeof lock).packages['node_modules/koa'],
  );
});

test('a second run changes nothing', () => {
  expect([...withVersion(new Map([...files, ...changed]), NEXT, '2027-02-01')]).toEqual([]);
});

test('each place that is forgotten is named', () => {
  for (const file of VERSION_FILES) {
    const others = new Map([...files, ...changed, [file, files.get(file) ?? '']]);
    expect(differingPlaces(others, NEXT).map((place) => place.split(':')[0])).toContain(file);
  }
});

test.each(['1.0', 'v1.0.0', '1.0.0-beta', '', '1.0.0+build'])('%j is not a version', (version) => {
  expect(() => withVersion(files, version, '2027-01-31')).toThrow('is not a version');
});

/** These name a version of the past, or a release that somebody has, and stay. */
const HISTORY = new RegExp(
  String.raw`^docs/(CHANGELOG|backup-and-restore)\.md|golden|package-lock|^test/|` +
    '^services/(adapters|api|cli/admin|platform/backup)/',
);

test('no other file names the version of this checkout', async () => {
  const found = await promisify(execFile)('git', ['grep', '-lFw', VERSION], { cwd: CHECKOUT });
  const named = found.stdout.trim().split('\n');
  expect(named.filter((file) => !VERSION_FILES.includes(file) && !HISTORY.test(file))).toEqual([]);
});

/**
 * docs/project/compatibility.md is kept: what the baseline promises still holds, or docs/CHANGELOG.md names
 * the break.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { readBaseline } from './baseline.ts';
import { namedBreaks, unnamed } from './changelog.ts';
import { breaksOf } from './contract.ts';
import { currentContract } from './current.ts';

const CHANGELOG = join(import.meta.dirname, '..', '..', 'docs', 'CHANGELOG.md');

test('X.1: a break of the baseline is named in the changelog', async () => {
  const { version, contract } = await readBaseline();
  const breaks = breaksOf({ before: contract, after: await currentContract() });
  const missing = unnamed(breaks, await readFile(CHANGELOG, 'utf8'), version);
  expect(missing, 'add these lines below "### Breaking" of docs/CHANGELOG.md').toEqual([]);
});

test('the changelog names a break by its subject, in a version that is newer than the baseline', () => {
  const text = [
    '# Changelog',
    '## Unreleased',
    '### Breaking',
    '- `GET /usage` is removed: `inlet_old` and\n  `response Address.x` too.',
    '### Added',
    '- `POST /new`',
    '## 1.1.0 (2027-01-02)',
    '### Breaking',
    '- `LOG_LEVEL`',
    '## 1.0.0',
    '### Breaking',
    '- `MAX_MESSAGE_BYTES`',
  ].join('\n');
  const named = ['GET /usage', 'inlet_old', 'response Address.x', 'LOG_LEVEL'];
  expect([...namedBreaks(text, '1.0.0')]).toEqual(named);
  const breaks = ['GET /usage', 'POST /new'].map((subject) => ({ subject, what: 'is removed' }));
  expect(unnamed(breaks, text, '1.0.0')).toEqual(['`POST /new` is removed']);
});

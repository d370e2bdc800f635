/** The commit of a checkout is that of git, also in a linked worktree, after packing, and without a branch. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect, test } from 'vitest';

import { revisionOf } from '../../../services/adapters/process/commit.ts';
import { testDir } from '../../support/servers.ts';

const run = promisify(execFile);

test('the revision is the commit that git names', async () => {
  await using dir = await testDir();
  const [checkout, linked] = [join(dir.path, 'checkout'), join(dir.path, 'linked')];
  const git = async (...args: string[]) => (await run('git', ['-C', checkout, ...args])).stdout;
  await run('git', ['init', '--quiet', '--initial-branch', 'trunk/next', checkout]);
  const author = [
    '-c',
    'user.name=a',
    '-c',
    'user.email=a@a.example',
    '-c',
    'commit.gpgsign=false',
  ];
  await git(...author, 'commit', '--quiet', '--allow-empty', '-m', 'first');
  const commit = (await git('rev-parse', '--short=12', 'HEAD')).trim();
  expect(revisionOf(checkout)).toBe(commit);
  await git('worktree', 'add', '--quiet', '-b', 'other', linked);
  expect(revisionOf(linked)).toBe(commit);
  await git('pack-refs', '--all');
  expect([checkout, linked].map((folder) => revisionOf(folder))).toEqual([commit, commit]);
  await git('checkout', '--quiet', '--detach');
  expect(revisionOf(checkout)).toBe(commit);
});

test('the file REVISION names it in an image; anything else is unknown', async () => {
  await using dir = await testDir();
  expect(revisionOf(dir.path)).toBe('unknown');
  await writeFile(join(dir.path, 'REVISION'), 'a1b2c3d4e5f60718\n');
  expect(revisionOf(dir.path)).toBe('a1b2c3d4e5f6');
  await writeFile(join(dir.path, 'REVISION'), 'unknown\n');
  expect(revisionOf(dir.path)).toBe('unknown');
});

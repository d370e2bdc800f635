/** The completion scripts, in the shells that this machine has. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { describe, expect, test } from 'vitest';

import { runCommand } from '../support/inlet-command.ts';
import { testDir } from '../support/servers.ts';

const run = promisify(execFile);
const CHECKOUT = join(import.meta.dirname, '..', '..');

type Complete = (script: string, words: string[]) => [file: string, args: string[]];
const SHELLS: Record<string, Complete> = {
  bash: (script, words) => [
    'bash',
    [
      '-c',
      `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _inlet; printf '%s\\n' "\${COMPREPLY[@]}"`,
      script,
      ...words,
    ],
  ],
  zsh: (script, words) => [
    'zsh',
    [
      '-fc',
      `compdef() { :; }; _files() { print -l -- *; }; compadd() { shift; print -l -- "$@"; }; ` +
        `source "$0"; words=("$@"); CURRENT=$#; _inlet`,
      script,
      ...words,
    ],
  ],
  fish: (script, words) => [
    'fish',
    ['-N', '-c', `source ${script}; complete -C '${words.join(' ')}' | string split -f1 \\t; true`],
  ],
};

const isInstalled = (shell: string) =>
  run(shell, ['--version']).then(
    () => true,
    () => false,
  );

describe.each(Object.entries(SHELLS))('%s', (shell, complete) => {
  test.for<[words: string[], expected: string]>([
    [['inlet', 'addr'], 'addresses'],
    [['inlet', 'addresses', ''], 'rotate-secret'],
    [['inlet', 'deliveries', 'get', '--'], '--headers'],
    [['inlet', '--profile', 'work', 'deliveries', ''], 'payload'],
    [['inlet', 'deliveries', 'list', '--st'], '--status'],
    [['inlet', 'admin', 'account', ''], 'close'],
    [['inlet', 'completion', ''], 'zsh'],
    [['inlet', 'listen', '--print', ''], 'summary'],
    [['inlet', 'listen', '--print', 'body', '--'], '--forward'],
    [['inlet', 'deliveries', 'list', '--status', ''], 'retrying'],
    [['inlet', 'send', '--attach', ''], 'package.json'],
  ])('%j offers %s', async ([words, expected], { skip }) => {
    const { out } = await runCommand(['completion', shell]);
    skip(!(await isInstalled(shell)), `${shell} is not installed`);
    await using dir = await testDir();
    const script = join(dir.path, 'completion');
    await writeFile(script, out);
    const { stdout } = await run(...complete(script, words), { cwd: CHECKOUT });
    expect(stdout.split(/\s+/)).toContain(expected);
  });
});

/** The programs of docs/reply-addresses.md make the addresses that the page says. */
import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect, inject, test } from 'vitest';

import { findPhp, findRuby } from './example-programs.ts';
import { codeBlocks, readPage } from './pages.ts';

const run = promisify(execFile);

const page = await readPage('docs/reply-addresses.md');
const valueOf = (name: string): string =>
  new RegExp(`^\\| ${name} \\| \`([^\`]+)\``, 'm').exec(page.text)?.[1] ?? '';
const [key, id, mailbox, reference, expires] = [
  'key',
  'address id',
  'mailbox',
  'reference',
  'expires',
].map(valueOf);
const ARGUMENTS = `"${key}", "${id}", "${mailbox}", "${reference}", ${expires}`;
const SENDER = 'ann@sender.example';
const EXPECTED = [valueOf('for anybody'), valueOf(`for the sender \`${SENDER}\``)];

const snippet = (language: string): string =>
  codeBlocks(page)
    .filter((block) => block.language === language)
    .map(({ code }) => code)
    .join('');

type Program = { file: string; caller: string; command: string; args?: string[]; env?: object };

/** Undefined when this machine cannot run it. */
const PROGRAMS: [language: string, program: () => Promise<Program | undefined>][] = [
  [
    'go',
    async () =>
      run('go', ['version']).then(
        () => ({
          file: 'program.go',
          command: 'go',
          args: ['run'],
          caller: `func main() {
	fmt.Println(replyAddress(${ARGUMENTS}, ""))
	fmt.Println(replyAddress(${ARGUMENTS}, "${SENDER}"))
}`,
        }),
        () => undefined,
      ),
  ],
  [
    'ruby',
    async () => {
      const found = await findRuby();
      return (
        found && {
          file: 'program.rb',
          command: found.ruby,
          env: found.env,
          caller: `puts reply_address(${ARGUMENTS})\nputs reply_address(${ARGUMENTS}, "${SENDER}")`,
        }
      );
    },
  ],
  [
    'php',
    async () => {
      const command = await findPhp();
      return command === undefined
        ? undefined
        : {
            file: 'program.php',
            command,
            caller: `echo reply_address(${ARGUMENTS}), "\\n", reply_address(${ARGUMENTS}, "${SENDER}");`,
          };
    },
  ],
];

test.each(PROGRAMS)('%s', async (language, program) => {
  const found = await program();
  if (found === undefined) return;
  const { file, caller, command, args = [], env } = found;
  const folder = await mkdtemp(join(inject('scratchDir'), 'reply-address-'));
  const path = join(folder, file);
  const open = language === 'php' ? '<?php\n' : '';
  await writeFile(path, `${open}${snippet(language)}\n${caller}\n`);
  const { stdout } = await run(command, [...args, path], { env: { ...process.env, ...env } });
  expect(stdout.trim().split('\n')).toEqual(EXPECTED);
});

test('openssl', async () => {
  const script = snippet('shell');
  const { stdout } = await run('sh', ['-c', script]);
  expect(EXPECTED[0]).toContain(`.${stdout.trim()}@`);
});

/** The help of every command, as golden files: one for each command of `inlet`, and one of the plugin. */
import { join } from 'node:path';

import type { Command } from 'commander';
import { expect, test } from 'vitest';

import { addAdministration } from '../../services/cli/administration.ts';
import { createPlugin } from '../../services/cli/kubernetes/program.ts';
import { createProgram } from '../../services/cli/program.ts';
import { terminalOf } from '../support/inlet-command.ts';

const program = createProgram(terminalOf(), '0.0.0', addAdministration);
const withBelow = (command: Command): Command[] => [
  command,
  ...command.commands.flatMap(withBelow),
];

test('inlet --help lists every command', async () => {
  await expect(program.helpInformation()).toMatchFileSnapshot(join('help', 'inlet.golden.txt'));
});

test.each(program.commands.map((command) => [command.name(), command] as const))(
  'inlet %s --help and the help of the commands below it',
  async (name, command) => {
    const pages = withBelow(command).map((one) => one.helpInformation());
    await expect(pages.join(`\n${'-'.repeat(80)}\n\n`)).toMatchFileSnapshot(
      join('help', `${name}.golden.txt`),
    );
  },
);

test('kubectl inlet --help and the help of its commands', async () => {
  const pages = withBelow(createPlugin(terminalOf(), '0.0.0')).map((one) => one.helpInformation());
  await expect(pages.join(`\n${'-'.repeat(80)}\n\n`)).toMatchFileSnapshot(
    join('help', 'kubectl-inlet.golden.txt'),
  );
});

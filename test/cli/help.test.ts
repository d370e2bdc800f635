/** The help of every command, as golden files: one for each command of `inlet`, and one of the plugin. */
import { join } from 'node:path';

import type { Command } from 'commander';
import { expect, test } from 'vitest';

import { administration } from '../../services/cli/administration.ts';
import { createPlugin } from '../../services/cli/kubernetes/program.ts';
import { createProgram, runInlet } from '../../services/cli/program.ts';
import { runCommand, terminalOf } from '../support/inlet-command.ts';

const program = createProgram(terminalOf(), '0.0.0', administration);
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

test('no page has more than four groups of commands, and `get` is another word for `show`', () => {
  const commands = withBelow(program);
  const groups = commands.map(
    (one) => new Set(one.commands.map((below) => below.helpGroup() ?? '')).size,
  );
  expect(Math.max(...groups)).toBe(4);
  const shows = commands.filter((one) => one.name() === 'show');
  expect(shows.length).toBeGreaterThan(5);
  expect(shows.map((one) => one.aliases())).toEqual(shows.map(() => ['get']));
});

test('kubectl inlet --help and the help of its commands', async () => {
  const pages = withBelow(createPlugin(terminalOf(), '0.0.0')).map((one) => one.helpInformation());
  await expect(pages.join(`\n${'-'.repeat(80)}\n\n`)).toMatchFileSnapshot(
    join('help', 'kubectl-inlet.golden.txt'),
  );
});

test.each([
  ['receivers', 'adr_1', 'rcv_1'],
  ['domains', 'dom_1'],
  ['lists', 'lst_1'],
  ['buckets', 'bkt_1'],
  ['notifications', 'ntf_1'],
  ['addresses', 'adr_1'],
])(
  'inlet %s update without an option says that there is nothing to change',
  async (noun, ...ids) => {
    const { code, err } = await runCommand([noun, 'update', ...ids]);
    expect([code, err]).toEqual([2, expect.stringContaining('there is nothing to change')]);
  },
);

test.each([
  ['receivers', 'adr_1', 'rcv_1', '--enable', '--disable'],
  ['notifications', 'ntf_1', '--enable', '--disable'],
  ['addresses', 'adr_1', '--enable-webhook', '--disable-webhook'],
])('inlet %s update refuses options that exclude each other', async (noun, ...args) => {
  const { code, err } = await runCommand([noun, 'update', ...args]);
  const [off = '', on = ''] = args.toReversed();
  expect([code, err]).toEqual([2, expect.stringContaining(`${on} and ${off} exclude each other`)]);
});

test('the npm package, which has no admin, says where it is', async () => {
  let err = '';
  const terminal = terminalOf({ complain: (text) => void (err += text) });
  expect(await runInlet(['admin', 'account', 'list', '--all'], terminal, '0.0.0')).toBe(2);
  expect(err).toContain('kubectl exec -n NAMESPACE deploy/inlet-api -- inlet admin');
});

/** The program `inlet`: its commands, its help, and how an error becomes an exit code. */
import { Command, CommanderError, Help } from 'commander';

import { createCli } from './api/cli.ts';
import { addAddressCommands } from './commands/addresses.ts';
import { addBucketCommands } from './commands/buckets.ts';
import { addCompletionCommand } from './commands/completion.ts';
import { addDashboardCommand } from './commands/dashboard.ts';
import { addDeliveryCommands } from './commands/deliveries.ts';
import { addHookCommands } from './commands/hooks.ts';
import { addListCommands } from './commands/lists.ts';
import { addRuleCommands } from './commands/rules.ts';
import { addDoctorCommand, type MongoVersion } from './commands/doctor.ts';
import { addDomainCommands } from './commands/domains.ts';
import { addListenCommand } from './live/listen.ts';
import { addLoginCommands } from './commands/login.ts';
import { addSendCommand } from './commands/send.ts';
import { addTailCommand, addWaitCommand } from './live/tail.ts';
import { addNotificationCommands } from './commands/notifications.ts';
import { addReplyAddressCommand } from './commands/reply-address.ts';
import { addRefusalCommands } from './commands/refusals.ts';
import { addReceiverCommands } from './commands/receivers.ts';
import { addMemberCommands } from './commands/members.ts';
import { addTokenCommands, addUsageCommand } from './commands/tokens.ts';
import { addVerifyCommand } from './commands/verify.ts';
import { ExitCode, Failure, usageFault } from './terminal/failure.ts';
import { causesOf } from './terminal/fault-text.ts';
import type { Terminal } from './terminal/terminal.ts';

export const VERSION_OPTION = ['-V, --version', 'print the version'] as const;
const HELP_COLUMNS = { least: 60, most: 100 };

/** What the npm package lacks, because it needs the packages of the servers. */
export type WithServers = {
  /** Adds `inlet admin`. */
  addAdmin: (program: Command, terminal: Terminal) => void;
  mongoVersion: MongoVersion;
};

export function createProgram(terminal: Terminal, version: string, servers?: WithServers): Command {
  const program = configured(new Command('inlet'), terminal)
    .description('Inbound email as signed webhooks: receive, inspect and administer.')
    .option('--profile <name>', 'use this profile of inlet login')
    .option('--ca-file <file>', 'PEM file of private authorities to trust; default: INLET_CA_FILE')
    .version(
      terminal.revision ? `${version} (revision ${terminal.revision})` : version,
      ...VERSION_OPTION,
    );
  const cli = createCli(program, terminal, version);
  program.commandsGroup('Start:');
  addLoginCommands(cli);
  addListenCommand(cli);
  addSendCommand(cli);
  addWaitCommand(cli);
  addTailCommand(cli);
  addDashboardCommand(cli);
  program.commandsGroup('Email:');
  addAddressCommands(cli);
  addReceiverCommands(cli);
  addReplyAddressCommand(cli);
  addDeliveryCommands(cli);
  addRefusalCommands(cli);
  addRuleCommands(cli);
  addHookCommands(cli);
  addListCommands(cli);
  program.commandsGroup('Account:');
  addDomainCommands(cli);
  addTokenCommands(cli);
  addMemberCommands(cli);
  addNotificationCommands(cli);
  addBucketCommands(cli);
  addUsageCommand(cli);
  program.commandsGroup('Tools:');
  addDoctorCommand(cli, servers?.mongoVersion);
  addVerifyCommand(cli);
  (servers?.addAdmin ?? addAbsentAdmin)(program, terminal);
  addCompletionCommand(cli);
  inOneStyle(program);
  return program;
}

function addAbsentAdmin(program: Command): void {
  program
    .command('admin', { hidden: true })
    .allowUnknownOption()
    .argument('[words...]')
    .action(() => {
      throw usageFault(
        'admin is a command of the pods: kubectl exec -n NAMESPACE deploy/inlet-api -- inlet admin …; ' +
          'in a checkout: npm exec inlet -- admin …',
      );
    });
}

/** What the programs have in common: `--json`, `--help`, and where they print. */
export const configured = (program: Command, terminal: Terminal): Command =>
  program
    .option('--json', 'print JSON')
    .helpOption('-h, --help', 'print help')
    .configureHelp({
      showGlobalOptions: true,
      visibleGlobalOptions: globalOptions,
      visibleOptions: requiredFirst,
      optionDescription: (option) =>
        `${option.mandatory ? 'required: ' : ''}${plainHelp.optionDescription(option)}`,
    })
    .exitOverride()
    .configureOutput({
      writeOut: terminal.write,
      writeErr: terminal.complain,
      getOutHelpWidth: () => helpWidth(terminal),
      getErrHelpWidth: () => helpWidth(terminal),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      outputError: (text, write) =>
        write(withoutFarGuess(text.replace(/^error: /, `${program.name()}: `))),
    });

const plainHelp = new Help();
const requiredFirst = (command: Command) =>
  plainHelp
    .visibleOptions(command)
    .toSorted((one, other) => Number(other.mandatory) - Number(one.mandatory));

/** commander takes `logout` for `bogus`, too. A slip of the finger keeps the first letter. */
function withoutFarGuess(text: string): string {
  const [, requested = '', guesses = ''] =
    /'-{0,2}(\S+)'\n\(Did you mean (?:one of )?(.+)\?\)/.exec(text) ?? [];
  const isNear = guesses.split(', ').every((guess) => guess.replace(/^--/, '')[0] === requested[0]);
  return isNear ? text : text.replace(/\n\(Did you mean .+\?\)/, '');
}

/** `--help` works everywhere, so there is no command `help` as well. `get` is another word for `show`. */
function inOneStyle(command: Command): void {
  command.helpCommand(false);
  if (command.name() === 'show') command.alias('get');
  command.commands.forEach(inOneStyle);
}

/** Resolves with the exit code. */
export const runInlet = (
  argv: readonly string[],
  terminal: Terminal,
  version: string,
  servers?: WithServers,
): Promise<ExitCode> => finish(createProgram(terminal, version, servers), argv, terminal);

/** Runs a program, and prints why it failed. A failure without a message has been printed. */
export async function finish(
  program: Command,
  argv: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  const name = program.name();
  try {
    await program.parseAsync(argv, { from: 'user' });
    return ExitCode.done;
  } catch (error) {
    if (error instanceof CommanderError)
      return error.exitCode === 0 ? ExitCode.done : ExitCode.usage; // it has printed its message
    if (error instanceof Failure && error.message === '') return error.exitCode;
    if (error instanceof Failure && error.exitCode === ExitCode.usage)
      terminal.complain(
        `${name}: ${error.message}\nSee ${name} ${commandIn(program, argv)}--help\n`,
      );
    else terminal.complain(`${name}: ${causesOf(error)}\n`);
    return error instanceof Failure ? error.exitCode : ExitCode.failed;
  }
}

/** `--version` is an option of `inlet` alone. */
const globalOptions = (command: Command) =>
  command.parent === null ? [] : rootOf(command).options.filter(({ long }) => long !== '--version');

const rootOf = (command: Command): Command =>
  command.parent === null ? command : rootOf(command.parent);

const helpWidth = ({ columns }: Terminal) =>
  Math.min(HELP_COLUMNS.most, Math.max(HELP_COLUMNS.least, columns));

/** `admin account create `: the words of the arguments that name the command. */
function commandIn(program: Command, argv: readonly string[]): string {
  let command: Command | undefined = program;
  const words: string[] = [];
  for (const word of argv) {
    command = command.commands.find((one) => [one.name(), ...one.aliases()].includes(word));
    if (command === undefined) break;
    words.push(`${command.name()} `);
  }
  return words.join('');
}

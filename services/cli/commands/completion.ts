/** `inlet completion bash|zsh|fish`: prints a script that completes commands, options and values. */
import type { Command } from 'commander';
import { Argument } from 'commander';

import type { Cli } from '../api/cli.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** Words of a command, such as `addresses create`, and what can follow. */
type Entry = {
  path: string;
  words: { word: string; description: string }[];
  /** The words that name a command: its name, or another word for it. */
  commands: { word: string; name: string }[];
  /** The choices of each option that takes a value; files when there are no choices. */
  values: Record<string, readonly string[]>;
};

export function addCompletionCommand(cli: Cli): void {
  cli.program
    .command('completion')
    .description('print a script that completes commands, options and values')
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
    .addHelpText(
      'after',
      '\nExamples:\n  bash: source <(inlet completion bash)\n' +
        '  zsh:  source <(inlet completion zsh)\n  fish: inlet completion fish | source',
    )
    .action((shell: Shell) => cli.terminal.write(SCRIPTS[shell](entriesOf(cli.program))));
}

function entriesOf(program: Command): Entry[] {
  const global = optionsOf(program);
  const visit = (command: Command, path: string): Entry[] => {
    const options = [...optionsOf(command), ...(command === program ? [] : global)];
    const words = [
      ...command.commands.map((one) => ({ word: one.name(), description: one.description() })),
      ...command.registeredArguments.flatMap(({ argChoices = [], description }) =>
        argChoices.map((word) => ({ word, description })),
      ),
      ...options.map(({ long, description }) => ({ word: long, description })),
      { word: '--help', description: 'print help' },
    ];
    const commands = command.commands.flatMap((one) =>
      [one.name(), ...one.aliases()].map((word) => ({ word, name: one.name() })),
    );
    const values = Object.fromEntries(
      options
        .filter(({ takesValue }) => takesValue)
        .map(({ long, choices }) => [long, choices] as const),
    );
    return [
      { path, words, commands, values },
      ...command.commands.flatMap((one) => visit(one, `${path} ${one.name()}`.trim())),
    ];
  };
  return visit(program, '');
}

const optionsOf = (command: Command) =>
  command.options.map(({ long, description, required, optional, argChoices = [] }) => ({
    long: long ?? '',
    description,
    takesValue: required || optional,
    choices: argChoices,
  }));

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Finds the command among the words before the cursor, then offers what can follow. */
const FILES = '-';
const bashBody = (entries: readonly Entry[], offer: string) => `  local path="" word valued=""
  local -a before=("$@")
  for word in "\${before[@]}"; do
    if [ -n "$valued" ]; then valued=""; continue; fi
    case "$path|$word" in
${entries
  .flatMap(({ path, commands }) =>
    commands.map(
      ({ word, name }) =>
        `      ${quoted(`${path}|${word}`)}) path=${quoted(`${path} ${name}`.trim())} ;;`,
    ),
  )
  .join('\n')}
${entries
  .flatMap(({ path, values }) =>
    Object.entries(values).map(
      ([option, choices]) =>
        `      ${quoted(`${path}|${option}`)}) valued=${quoted(choices.join(' ') || FILES)} ;;`,
    ),
  )
  .join('\n')}
    esac
  done
  [ "$valued" = ${FILES} ] && return 1
  [ -n "$valued" ] && { printf '%s' "$valued"; return; }
  case "$path" in
${entries.map((entry) => `    ${quoted(entry.path)}) ${offer.replace('WORDS', () => wordList(entry))} ;;`).join('\n')}
  esac
`;

/** `-x`: only these values; `-r -F`: a file. */
function fishValue(choices: readonly string[] | undefined): string {
  if (choices === undefined) return '';
  return choices.length > 0 ? ` -x -a ${quoted(choices.join(' '))}` : ' -r -F';
}

const wordList = ({ words }: Entry) => words.map(({ word }) => word).join(' ');

const SCRIPTS: Record<Shell, (entries: readonly Entry[]) => string> = {
  bash: (entries) => `_inlet_words() {
${bashBody(entries, "printf '%s' 'WORDS'")}}
_inlet() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words
  COMPREPLY=()
  words="$(_inlet_words "\${COMP_WORDS[@]:1:COMP_CWORD-1}")" || { COMPREPLY=($(compgen -f -- "$current")); return; }
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _inlet inlet
`,
  zsh: (entries) => `#compdef inlet
_inlet_words() {
${bashBody(entries, "printf '%s' 'WORDS'")}}
_inlet() {
  local words_found
  words_found="$(_inlet_words "\${(@)words[2,CURRENT-1]}")" || { _files; return; }
  compadd -- \${=words_found}
}
compdef _inlet inlet
`,
  fish: (entries) => `function __inlet_path
  set -l path
  set -l skip 0
  set -l tokens (commandline -opc)
  for word in $tokens[2..]
    if test $skip = 1; set skip 0; continue; end
    switch "$path|$word"
${entries
  .flatMap(({ path, commands }) =>
    commands.map(
      ({ word, name }) =>
        `      case ${quoted(`${path}|${word}`)}; set path ${quoted(`${path} ${name}`.trim())}`,
    ),
  )
  .join('\n')}
${entries
  .flatMap(({ path, values }) =>
    Object.keys(values).map((option) => `      case ${quoted(`${path}|${option}`)}; set skip 1`),
  )
  .join('\n')}
    end
  end
  echo "$path"
end
complete -c inlet -f
${entries
  .flatMap(({ path, words, values }) =>
    words.map(({ word, description }) => {
      const name = word.startsWith('--')
        ? `-l ${word.slice(2)}${fishValue(values[word])}`
        : `-a ${word}`;
      return `complete -c inlet -n ${quoted(`test (__inlet_path) = "${path}"`)} ${name} -d ${quoted(description)}`;
    }),
  )
  .join('\n')}
`,
};

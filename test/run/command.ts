/** The command line of `vitest run`, with options of our own in addition to those of vitest. */
import { type CliOptions, createCLI, TestsNotFoundError } from 'vitest/node';

export type Options = CliOptions & {
  report?: string;
  again?: boolean;
  everyday?: boolean;
  durations?: boolean;
  times?: number;
  load?: number;
  minutes?: number;
};
/** vitest's API has another name for the same option. */
type Parsed = Options & { exclude?: string | string[] };

/**
 * @param own the additional options, with their descriptions for --help
 * @param action gets the patterns of test files, and all options
 */
export async function vitestCommand(
  own: Readonly<Record<string, string>>,
  args: readonly string[],
  action: (patterns: string[], options: Options) => Promise<void>,
): Promise<void> {
  const cli = createCLI();
  const command = cli.commands.find(({ name }) => name === 'run');
  if (command === undefined) throw new Error('vitest has no command "run"');
  for (const [flags, description] of Object.entries(own)) command.option(flags, description);
  command.action((patterns: string[], { exclude = [], ...options }: Parsed) =>
    action(patterns, {
      ...options,
      cliExclude: [exclude].flat(),
      ...(patterns.some((pattern) => pattern.includes(':')) && { includeTaskLocation: true }),
    }),
  );
  cli.parse(['node', 'vitest', 'run', ...args], { run: false });
  try {
    await cli.runMatchedCommand();
  } catch (error) {
    if (!(error instanceof TestsNotFoundError)) throw error; // vitest has printed it
  }
}

/** The exit codes of `inlet` (docs/cli.md) and the error that carries one. */

export const ExitCode = {
  done: 0,
  failed: 1,
  usage: 2,
  notAllowed: 3,
  notFound: 4,
  timeout: 5,
  unreachable: 6,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** Ends the command with this exit code. The message is the only thing that is printed. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = ExitCode.failed, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** A wrong argument. `npm start -- --help` style advice is added by the program. */
export const usageFault = (message: string) => new Failure(message, ExitCode.usage);

export const notFoundFault = (what: string) => new Failure(`${what} not found`, ExitCode.notFound);

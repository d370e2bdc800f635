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
  /** Whether the same call may succeed later: no connection, a rate limit, an outage. */
  readonly isTemporary: boolean;

  constructor(
    message: string,
    exitCode: ExitCode = ExitCode.failed,
    { isTemporary = false, ...options }: ErrorOptions & { isTemporary?: boolean } = {},
  ) {
    super(message, options);
    this.exitCode = exitCode;
    this.isTemporary = isTemporary;
  }
}

/** A wrong argument. `npm start -- --help` style advice is added by the program. */
export const usageFault = (message: string) => new Failure(message, ExitCode.usage);

/** In the words of the API. */
export const notFoundFault = (what: string) =>
  new Failure(`There is no such ${what}`, ExitCode.notFound);

/** What a command needs from the outside: the environment, the folder, the streams, and a signal to stop. */
import type { Readable, Writable } from 'node:stream';

export type Terminal = {
  env: NodeJS.ProcessEnv;
  /** Folder in which the command was started. */
  cwd: string;
  /** Root of the checkout or image that this program belongs to; absent in the npm package. */
  checkout?: string;
  /** Commit that it was built from; absent in the npm package, whose version names one build. */
  revision?: string;
  /** Writes to standard output; the text includes its line ends. */
  write: (text: string) => void;
  /** Writes to standard error. */
  complain: (text: string) => void;
  /** Whether a person types the input. */
  isInputInteractive: boolean;
  /** All of standard input. */
  readInput: () => Promise<Buffer>;
  /** Standard input, for more than memory can hold. */
  byteInput: () => Readable;
  /** Standard output, for bytes. */
  byteOutput: () => Writable;
  /** Shows the prompt and reads a line. */
  readLine: (prompt: string) => Promise<string>;
  /** The same for a line which the terminal does not show. */
  readSecret: (prompt: string) => Promise<string>;
  /** Whether standard output is a terminal: only then are there colors. */
  isInteractive: boolean;
  /** Width of the terminal in columns. */
  columns: number;
  /** Aborted by Ctrl-C and SIGTERM. */
  stopped: AbortSignal;
};

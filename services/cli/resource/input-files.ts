/** Files that a command is given; - is standard input. Messages never quote a file. */
import { readFile } from 'node:fs/promises';

import type { Cli } from '../api/cli.ts';
import { usageFault } from '../terminal/failure.ts';

type Input = Pick<Cli, 'terminal'>;

export async function bytesIn({ terminal }: Input, file: string): Promise<Buffer> {
  if (file === '-') return terminal.readInput();
  const bytes = await readFile(file).catch(() => undefined);
  if (bytes === undefined) throw usageFault(`cannot read ${file}`);
  return bytes;
}

/** The API checks the shape. */
export async function jsonIn<T>(cli: Input, file: string): Promise<T> {
  const bytes = await bytesIn(cli, file);
  try {
    return JSON.parse(bytes.toString()) as T;
  } catch {
    throw usageFault(`${file} is not JSON`); // the parser's message would quote the file
  }
}

/** The texts of a file with one in each line. Lines that are empty or begin with # are comments. */
export async function linesIn(cli: Input, file: string): Promise<string[]> {
  const text = (await bytesIn(cli, file)).toString();
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '' && !line.startsWith('#'));
}

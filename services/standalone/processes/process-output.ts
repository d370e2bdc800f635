/**
 * What a child process prints: in a log file, which the process can still write to when this process
 * is killed, or in the output of this process, as a container shows it.
 */
import type { ChildProcess, StdioOptions } from 'node:child_process';
import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';

const TAIL_BYTES = 16_384;
/** More than mongod prints at its first start. */
const KEPT_LINES = 1_000;

type Lines = {
  lines: string[];
  /** The incomplete line after them. */
  rest: string;
  /** Where the next read continues. */
  next: number;
};

export type ProcessOutput = {
  stdio: StdioOptions;
  spawned(child: ChildProcess): Promise<void>;
  /** The lines of this run, from 0 or the last `next` on. */
  linesFrom(at: number): Promise<Lines>;
  /** The last lines of this run. */
  tail(): Promise<string[]>;
};

export async function outputToFile(path: string): Promise<ProcessOutput> {
  await mkdir(dirname(path), { recursive: true });
  const log = await open(path, 'a');
  const start = (await log.stat()).size;
  return {
    stdio: ['ignore', log.fd, log.fd],
    spawned: () => log.close(),
    linesFrom: (at) => linesOfFile(path, Math.max(start, at)),
    tail: async () => {
      const { size } = await stat(path);
      const { lines, rest } = await linesOfFile(path, Math.max(start, size - TAIL_BYTES));
      return [...lines, rest];
    },
  };
}

export function outputToParent(): ProcessOutput {
  const kept: string[] = [];
  let count = 0;
  function show(line: string): void {
    process.stdout.write(`${line}\n`);
    count++;
    kept.push(line);
    if (kept.length > KEPT_LINES) kept.shift();
  }
  return {
    stdio: ['ignore', 'pipe', 'pipe'],
    spawned: async ({ stdout, stderr }) => {
      for (const input of [stdout, stderr]) if (input) readLines(input, show);
    },
    linesFrom: async (at) => {
      const unread = Math.min(kept.length, count - at);
      return { lines: unread === 0 ? [] : kept.slice(-unread), rest: '', next: count };
    },
    tail: async () => kept,
  };
}

/** Only a line feed ends a line: node:readline also ends it at U+2028, which a stranger may write into a log. */
function readLines(input: Readable, onLine: (line: string) => void): void {
  let rest = '';
  input.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
  input.on('end', () => {
    if (rest !== '') onLine(rest);
  });
}

async function linesOfFile(path: string, offset: number): Promise<Lines> {
  const file = await open(path, 'r');
  try {
    const length = Math.max(0, (await file.stat()).size - offset);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
    const end = buffer.subarray(0, bytesRead).lastIndexOf(0x0a) + 1;
    const lines = end === 0 ? [] : buffer.toString('utf8', 0, end - 1).split('\n');
    return { lines, rest: buffer.toString('utf8', end, bytesRead), next: offset + end };
  } finally {
    await file.close();
  }
}

/**
 * A program run beside us, its output going straight into a log file: it keeps running and logging whatever happens to us.
 * What it announces is read back out of that file. It is killed when this process exits without having stopped it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 15;
const KILL_AFTER_MS = 30_000;
const TAIL_BYTES = 16_384;

export type Program = {
  name: string;
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  logFile: string;
  /** Called as soon as there is a process, before it is ready. */
  onSpawn?: OnSpawn | undefined;
};

export type OnSpawn = (child: { name: string; pid: number }) => Promise<void>;

export type Exit = { code: number | null; signal: NodeJS.Signals | null };

export type ChildProcess = AsyncDisposable & {
  name: string;
  pid: number;
  /** Settles when the process has ended, however it ended. */
  exited: Promise<Exit>;
  hasExited(): boolean;
  /** The first result that `find` makes of a log line written by this run. @throws when the process ends first, or `timeoutMs` passes */
  announced<T>(find: (line: string) => T | undefined, timeoutMs: number): Promise<T>;
  /** SIGTERM, then SIGKILL when it takes too long. */
  stop(): Promise<void>;
  /** SIGKILL, as a crash test or the kernel would. */
  kill(): Promise<void>;
  /** What this run wrote last. */
  tail(): Promise<string[]>;
};

export async function startProcess(program: Program): Promise<ChildProcess> {
  await mkdir(dirname(program.logFile), { recursive: true });
  const log = await open(program.logFile, 'a');
  const logStart = (await log.stat()).size;
  const child = spawn(program.command, program.args, {
    env: program.env,
    stdio: ['ignore', log.fd, log.fd],
    detached: true,
  });
  let hasExited = false;
  killAtExit.add(child);
  if (killAtExit.size === 1) process.once('exit', killAll);
  const exited = new Promise<Exit>((resolve) => {
    function end(exit: Exit): void {
      hasExited = true;
      killAtExit.delete(child);
      if (killAtExit.size === 0) process.off('exit', killAll);
      resolve(exit);
    }
    child.once('exit', (code, signal) => end({ code, signal }));
    child.once('error', () => end({ code: null, signal: null }));
  });
  try {
    await once(child, 'spawn');
  } catch (cause) {
    throw new Error(`${program.name} cannot be run`, { cause });
  } finally {
    await log.close();
  }
  const pid = child.pid ?? 0;
  await program.onSpawn?.({ name: program.name, pid });

  async function announced<T>(
    find: (line: string) => T | undefined,
    timeoutMs: number,
  ): Promise<T> {
    const deadlineMs = Date.now() + timeoutMs;
    for (let at = logStart; ; await sleep(POLL_MS)) {
      const ended = hasExited; // read before the file, so that the last words of a dead process are seen
      const { lines, next } = await linesFrom(program.logFile, at);
      at = next;
      for (const line of lines) {
        const found = find(line);
        if (found !== undefined) return found;
      }
      if (ended)
        throw new Error(`${program.name} ended at its start`, {
          cause: new Error(lastWords(await tail())),
        });
      if (Date.now() > deadlineMs)
        throw new Error(
          `${program.name} was not ready within ${timeoutMs / 1000} s (its log: ${program.logFile})`,
        );
    }
  }

  async function tail(): Promise<string[]> {
    const { size } = await stat(program.logFile);
    const { lines, rest } = await linesFrom(program.logFile, Math.max(logStart, size - TAIL_BYTES));
    return [...lines, rest].filter((line) => line.trim() !== '');
  }

  async function stop(): Promise<void> {
    if (hasExited) return;
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
    await exited;
    clearTimeout(timer);
  }

  async function kill(): Promise<void> {
    child.kill('SIGKILL');
    await exited;
  }

  return {
    name: program.name,
    pid,
    exited,
    hasExited: () => hasExited,
    announced,
    stop,
    kill,
    tail,
    [Symbol.asyncDispose]: stop,
  };
}

const killAtExit = new Set<{ kill(signal: NodeJS.Signals): boolean }>();

function killAll(): void {
  for (const child of killAtExit) child.kill('SIGKILL');
}

/** The whole lines after an offset, the unfinished one behind them, and where to go on. */
async function linesFrom(
  path: string,
  offset: number,
): Promise<{ lines: string[]; rest: string; next: number }> {
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

/** The sentence worth showing: the last one in plain words with the lines that belong to it, or the last fault that a line of JSON tells. */
function lastWords(lines: readonly string[]): string {
  const start = lines.findLastIndex(
    (line) => /^[^\s{}]/.test(line) && !line.startsWith('Node.js v'),
  ); // not a stack trace or what surrounds it
  if (start === -1)
    return lines.map(faultInJson).findLast((fault) => fault !== undefined) ?? 'it did not say why';
  const after = lines.slice(start + 1);
  const end = after.findIndex((line) => !/^\s+(?!at )/.test(line));
  return [lines[start], ...after.slice(0, end === -1 ? undefined : end)].join('\n');
}

function faultInJson(line: string): string | undefined {
  return /"error":"((?:[^"\\]|\\.)*)"/.exec(line)?.[1];
}

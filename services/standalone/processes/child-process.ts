/**
 * A child process. Its announcements, such as its port, are read from what it prints. It is killed
 * when this process exits without stopping it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import { outputToFile, outputToParent } from './process-output.ts';

const POLL_MS = 15;
const KILL_AFTER_MS = 30_000;

type Program = {
  name: string;
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  /** Absent: it prints to the output of this process. */
  logFile?: string | undefined;
  /** Time between SIGTERM and SIGKILL. */
  killAfterMs?: number | undefined;
  /** Called as soon as the process exists, before it is ready. */
  onSpawn?: OnSpawn | undefined;
};

export type OnSpawn = (child: { name: string; pid: number }) => Promise<void>;

type Exit = { code: number | null; signal: NodeJS.Signals | null };

export type ChildProcess = AsyncDisposable & {
  name: string;
  pid: number;
  /** Resolves when the process has ended for any reason. */
  exited: Promise<Exit>;
  hasExited(): boolean;
  /**
   * The first result of `find` for a log line of this run. @throws if the process ends first, or
   * after `timeoutMs`
   */
  announced<T>(find: (line: string) => T | undefined, timeoutMs: number): Promise<T>;
  /** SIGTERM, then SIGKILL. */
  stop(): Promise<void>;
  /** SIGKILL, to simulate a crash. */
  kill(): Promise<void>;
  /** The last lines that this run wrote. */
  tail(): Promise<string[]>;
};

export async function startProcess(program: Program): Promise<ChildProcess> {
  const { logFile } = program;
  const output = logFile === undefined ? outputToParent() : await outputToFile(logFile);
  const child = spawn(program.command, program.args, {
    env: program.env,
    stdio: output.stdio,
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
    // after its last line
    child.once('close', (code, signal) => end({ code, signal }));
    child.once('error', () => end({ code: null, signal: null }));
  });
  try {
    await once(child, 'spawn');
  } catch (cause) {
    throw new Error(`cannot run ${program.name}`, { cause });
  } finally {
    await output.spawned(child);
  }
  const pid = child.pid ?? 0;
  await program.onSpawn?.({ name: program.name, pid });

  async function announced<T>(
    find: (line: string) => T | undefined,
    timeoutMs: number,
  ): Promise<T> {
    const deadlineMs = Date.now() + timeoutMs;
    for (let at = 0; ; await sleep(POLL_MS)) {
      // read before the lines, so that the last lines of a dead process are not missed
      const ended = hasExited;
      const { lines, next } = await output.linesFrom(at);
      at = next;
      for (const line of lines) {
        const found = find(line);
        if (found !== undefined) return found;
      }
      if (ended)
        throw new Error(`${program.name} exited while starting`, {
          cause: new Error(reasonIn(await tail())),
        });
      if (Date.now() > deadlineMs)
        throw new Error(
          `${program.name} was not ready within ${timeoutMs / 1000} s` +
            (logFile === undefined ? '' : ` (its log: ${logFile})`),
        );
    }
  }

  const tail = async () => (await output.tail()).filter((line) => line.trim() !== '');

  async function stop(): Promise<void> {
    if (hasExited) return;
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), program.killAfterMs ?? KILL_AFTER_MS);
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

/**
 * The reason to show: the last line of plain text with its indented lines, or the last error in a
 * line of JSON.
 */
function reasonIn(lines: readonly string[]): string {
  const start = lines.findLastIndex(
    (line) => /^[^\s{}]/.test(line) && !line.startsWith('Node.js v'),
  ); // skips stack traces
  if (start === -1)
    return (
      lines.map(errorInJson).findLast((error) => error !== undefined) ?? 'it printed no reason'
    );
  const after = lines.slice(start + 1);
  const end = after.findIndex((line) => !/^\s+(?!at )/.test(line));
  return [lines[start], ...after.slice(0, end === -1 ? undefined : end)].join('\n');
}

function errorInJson(line: string): string | undefined {
  return /"error":"((?:[^"\\]|\\.)*)"/.exec(line)?.[1];
}

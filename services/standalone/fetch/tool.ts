/**
 * Runs a program to its end and returns its output. If it fails, the error is the last line of the
 * program's own message.
 */
import { execFile } from 'node:child_process';

type ToolOptions = { env?: NodeJS.ProcessEnv; timeoutMs: number; signal?: AbortSignal };

const OLD_PROCESSOR =
  'this processor lacks an instruction that it needs. mongod needs AVX on x86-64 and ARMv8.2-A on ARM: ' +
  'set MONGODB_URI to a MongoDB on another machine';

export function runTool(
  command: string,
  args: readonly string[],
  options: ToolOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      command,
      args,
      {
        env: options.env,
        timeout: options.timeoutMs,
        signal: options.signal,
        killSignal: 'SIGKILL',
      },
      (error, stdout, stderr) => {
        if (!error) return resolve(stdout);
        if (error.code === 'ENOENT') return reject(new Error(`${command} is not installed`));
        if (error.name === 'AbortError') return reject(new Error('the download stalled'));
        if (error.killed)
          return reject(new Error(`it took longer than ${options.timeoutMs / 1000} s`));
        if (error.signal === 'SIGILL') return reject(new Error(OLD_PROCESSOR));
        return reject(new Error(lastLine(stderr) || error.message));
      },
    );
  });
}

export const lastLine = (text: string) => text.trim().split('\n').at(-1)?.trim() ?? '';

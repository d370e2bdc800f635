/**
 * Helper processes of the benchmark: each handles one request at a time and exits with the
 * benchmark.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';

type Answer = { answer: unknown } | { fault: string };

export type Helper<Request> = AsyncDisposable & {
  pid: number;
  /** @throws the error of the helper, also if it has exited */
  ask<T>(request: Request): Promise<T>;
};

export function startHelper<Request extends object>(
  file: URL,
  { args = [], env }: { args?: readonly string[]; env?: NodeJS.ProcessEnv } = {},
): Helper<Request> {
  const child = fork(file, args, { serialization: 'advanced', ...(env && { env }) });
  const ended = once(child, 'exit');
  const ask = async <T>(request: Request): Promise<T> => {
    if (!child.connected) throw new Error(`${file.pathname} has ended`);
    const answered = once(child, 'message');
    child.send(request);
    const [answer] = (await Promise.race([answered, ended])) as [Answer | number | null];
    if (answer === null || typeof answer === 'number')
      throw new Error(`${file.pathname} ended (${answer})`);
    if ('fault' in answer) throw new Error(answer.fault);
    return answer.answer as T;
  };
  return {
    pid: child.pid ?? 0,
    ask,
    [Symbol.asyncDispose]: async () => {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

/** The helper's side: handles requests until the benchmark disconnects. */
export function answerRequests(handle: (request: unknown) => unknown): void {
  const answer = async (request: unknown): Promise<Answer> => {
    try {
      return { answer: await handle(request) };
    } catch (error) {
      return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
  };
  process.on('message', (request) => void answer(request).then((reply) => process.send?.(reply)));
  process.once('disconnect', () => process.exit(0)); // exit() writes the CPU profile, if requested
  // Ctrl-C reaches the whole group; the benchmark stops its helpers
  process.on('SIGINT', () => undefined);
}

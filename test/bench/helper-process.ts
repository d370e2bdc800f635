/** Processes that help the bench: each answers one request at a time, and ends with the bench. */
import { fork } from 'node:child_process';
import { once } from 'node:events';

type Answer = { answer: unknown } | { fault: string };

export type Helper<Request> = AsyncDisposable & {
  pid: number;
  /** @throws what the helper failed with; also when it has ended */
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

/** The helper's own end: answers until the bench lets go of it. */
export function answerRequests(handle: (request: unknown) => unknown): void {
  const answer = async (request: unknown): Promise<Answer> => {
    try {
      return { answer: await handle(request) };
    } catch (error) {
      return { fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
  };
  process.on('message', (request) => void answer(request).then((reply) => process.send?.(reply)));
  process.once('disconnect', () => process.exit(0)); // exit writes a CPU profile that was asked for
  process.on('SIGINT', () => undefined); // Ctrl-C reaches the whole group: the bench ends us
}

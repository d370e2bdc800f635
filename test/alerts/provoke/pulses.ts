/** A process that gets too little CPU, or whose disk hangs: it stops and continues, again and again. */
import { setTimeout as sleep } from 'node:timers/promises';

export function pulses(
  pid: number,
  { stoppedMs, runningMs }: { stoppedMs: number; runningMs: number },
): AsyncDisposable {
  let isOn = true;
  const ended = (async () => {
    while (isOn) {
      process.kill(pid, 'SIGSTOP');
      await sleep(stoppedMs);
      process.kill(pid, 'SIGCONT');
      await sleep(runningMs);
    }
  })();
  return {
    [Symbol.asyncDispose]: async () => {
      isOn = false;
      await ended;
    },
  };
}

/** Calls a function again and again until it is disposed, with a pause after each call. */
export function repeatedly(pauseMs: number, call: () => unknown): AsyncDisposable {
  let isOn = true;
  const ended = (async () => {
    while (isOn) {
      await call();
      await sleep(pauseMs);
    }
  })();
  return {
    [Symbol.asyncDispose]: async () => {
      isOn = false;
      await ended;
    },
  };
}

/** Processes that hang: they keep their connections and do nothing. */
import { readdir, readFile } from 'node:fs/promises';

import { until } from './until.ts';

/**
 * Stops a process until it is disposed. On a busy machine its threads run on for a while after the
 * signal, so this waits until each of them has stopped.
 */
export async function frozen(pid: number): Promise<Disposable> {
  process.kill(pid, 'SIGSTOP');
  await until(`all threads of ${pid} to stop`, () => isStopped(pid));
  return { [Symbol.dispose]: () => void process.kill(pid, 'SIGCONT') };
}

/** By `/proc` (proc(5)); where there is none, the signal must be enough. */
async function isStopped(pid: number): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  const threads = await readdir(`/proc/${pid}/task`);
  const stats = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8').catch(() => '')),
  );
  return stats.every((stat) => stat === '' || / T /.test(stat.slice(stat.lastIndexOf(')'))));
}

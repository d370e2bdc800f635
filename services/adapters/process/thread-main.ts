/**
 * Runs first in a worker thread: loads the file of jobs, then runs each job that is asked for. See
 * thread.ts.
 */
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';

import type { JobReply, JobRequest, ThreadStart } from './thread.ts';

/** The event loop, which serves all connections, has priority. */
const NICE = 10;

if (process.platform === 'linux') setPriority(NICE); // there, a priority belongs to the thread

type Job = (task: unknown, report: (value: unknown) => void) => unknown;
const { file } = workerData as ThreadStart;
const jobs = (await import(file)) as Record<string, Job | undefined>;

const reply = (message: JobReply) => parentPort?.postMessage(message, []);

async function run({ id, name, task }: JobRequest): Promise<void> {
  try {
    const result = await jobs[name]?.(task, (value) => reply({ id, report: value }));
    reply({ id, result });
  } catch (error) {
    reply({ id, error });
  }
}

parentPort?.on('message', (request: JobRequest) => void run(request));

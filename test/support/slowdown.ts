/**
 * Limits of time that hold on a busy machine, too: they grow with the time that a thread needs for
 * 20 ms of processor time. It is a thread of its own, so what the test itself blocks, or a service
 * in its process, does not count.
 */
import { Worker } from 'node:worker_threads';

const SAMPLES = `
  const { parentPort } = require('node:worker_threads');
  const cpuUs = () => process.threadCpuUsage().user + process.threadCpuUsage().system;
  setInterval(() => {
    const [wall, cpu] = [performance.now(), cpuUs()];
    while (cpuUs() - cpu < 20_000);
    parentPort.postMessage((performance.now() - wall) / ((cpuUs() - cpu) / 1000));
  }, 250);
`;

/** The worst since the test file was loaded: 1 with a free processor. */
let factor = 1;
const worker = new Worker(SAMPLES, { eval: true });
worker.on('message', (sample: number) => (factor = Math.max(factor, sample)));
worker.unref();

/** The limit for a machine with a free processor, and more for a busy one. */
export const atMost = (limitMs: number): number => limitMs * factor;

/**
 * Limits of time that hold on a busy machine, too: they grow with the time that a thread needs for
 * 20 ms of processor time. It is a thread of its own, so what the test itself blocks, or a service
 * in its process, does not count.
 */
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';

const SAMPLES = `
  const { port } = require('node:worker_threads').workerData;
  const cpuUs = () => process.threadCpuUsage().user + process.threadCpuUsage().system;
  const measure = () => {
    const [wall, cpu] = [performance.now(), cpuUs()];
    while (cpuUs() - cpu < 20_000);
    port.postMessage({
      atMs: Date.now(),
      factor: (performance.now() - wall) / ((cpuUs() - cpu) / 1000),
    });
  };
  measure();
  setInterval(measure, 500);
`;

/** A factor is 1 with a free processor. */
type Sample = { atMs: number; factor: number };

/** Longer than what a test measures. The thread continues for the other test files of its process. */
const LOOKS_BACK_MS = 60_000;
let recent: Sample[] = [];
const { port1: samples, port2: port } = new MessageChannel();
new Worker(SAMPLES, { eval: true, workerData: { port }, transferList: [port] }).unref();

/** The limit for a machine with a free processor, and more for a busy one. */
export function atMost(limitMs: number): number {
  // not by an event, which a test that blocks its thread would not get
  for (let next = receiveMessageOnPort(samples); next; next = receiveMessageOnPort(samples))
    recent.push(next.message as Sample);
  recent = recent.filter(({ atMs }) => atMs > Date.now() - LOOKS_BACK_MS);
  return limitMs * Math.max(1, ...recent.map(({ factor }) => factor));
}

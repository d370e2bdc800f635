/**
 * Limits of time that hold on a busy machine, too: they grow with the time that a thread needs for
 * 20 ms of processor time. It is a thread of its own, so what the test itself blocks, or a service
 * in its process, does not count.
 */
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';

const SAMPLES = `
  const { port } = require('node:worker_threads').workerData;
  const cpuUs = () => process.threadCpuUsage().user + process.threadCpuUsage().system;
  setInterval(() => {
    const [wall, cpu] = [performance.now(), cpuUs()];
    while (cpuUs() - cpu < 20_000);
    port.postMessage((performance.now() - wall) / ((cpuUs() - cpu) / 1000));
  }, 250);
`;

/** The worst since the test file was loaded: 1 with a free processor. */
let factor = 1;
const { port1: samples, port2: port } = new MessageChannel();
new Worker(SAMPLES, { eval: true, workerData: { port }, transferList: [port] }).unref();

/** The limit for a machine with a free processor, and more for a busy one. */
export function atMost(limitMs: number): number {
  // not by an event, which a test that blocks its thread would not get
  for (let next = receiveMessageOnPort(samples); next; next = receiveMessageOnPort(samples))
    factor = Math.max(factor, next.message as number);
  return limitMs * factor;
}

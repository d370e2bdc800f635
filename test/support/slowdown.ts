/**
 * Limits of time that grow with the machine: with the time that a thread needs for a fixed piece of
 * work, again and again. A machine that is slow, or busy with other programs, needs longer. It is a
 * thread of its own, so what the test itself blocks, or a service in its process, does not count.
 */
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';

/** Ten milliseconds of a processor of 2024. Shorter pieces of work would seldom be interrupted. */
const SAMPLES = `
  const { port } = require('node:worker_threads').workerData;
  const work = () => {
    let number = 1;
    for (let step = 0; step < 10_000_000; step++) number = (Math.imul(number, 1_664_525) + 1) | 0;
    return number;
  };
  const measure = () => {
    const startedMs = performance.now();
    work();
    port.postMessage({ atMs: Date.now(), factor: (performance.now() - startedMs) / 10 });
  };
  work(); // the first time, it is also compiled
  measure();
  setInterval(measure, 1_000);
`;

/** A factor is 1 on a fast machine with a free processor. */
type Sample = { atMs: number; factor: number };

/** Longer than what most tests measure. */
const LOOKS_BACK_MS = 60_000;
const KEPT_MS = 3_600_000;
const FIRST_SAMPLE_POLL_MS = 5;
let kept: Sample[] = [];
let samples: MessageChannel['port1'] | undefined;

/**
 * The limit on a fast machine with a free processor, and more on others.
 *
 * @param sinceMs when the time that is limited began
 */
export function atMost(limitMs: number, sinceMs = Infinity): number {
  const port = (samples ??= startSampling());
  do {
    // not by an event, which a test that blocks its thread would not get
    for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port))
      kept.push(next.message as Sample);
  } while (kept.length === 0 && waitsForFirstSample());
  const nowMs = Date.now();
  kept = kept.filter(({ atMs }) => atMs > nowMs - KEPT_MS);
  const fromMs = Math.min(sinceMs, nowMs - LOOKS_BACK_MS);
  const factors = kept
    .filter((sample) => sample.atMs > fromMs || sample === kept.at(-1))
    .map(({ factor }) => factor);
  return Math.ceil(limitMs * Math.max(1, ...factors)); // timers take no fractions
}

/** The thread continues for the other test files of its process. */
function startSampling(): MessageChannel['port1'] {
  const { port1, port2: port } = new MessageChannel();
  new Worker(SAMPLES, { eval: true, workerData: { port }, transferList: [port] }).unref();
  return port1;
}

function waitsForFirstSample(): true {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FIRST_SAMPLE_POLL_MS);
  return true;
}

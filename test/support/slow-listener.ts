/**
 * A listener whose handshakes take as long as a test wants. Its thread stands still and the queue of
 * connections that it would accept is full, so Linux drops every SYN until then. The client's
 * system sends the SYN again after a second. This needs no rights and no network.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';

export type SlowListener = AsyncDisposable & {
  port: number;
  /** Accepts after this time, by the clock of its thread; closes what has sent something. */
  acceptAfter(delayMs: number): void;
};

const THREAD = `
  const { parentPort, workerData } = require('node:worker_threads');
  const server = require('node:net').createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.destroy());
  });
  const { cell, host, port } = workerData;
  server.listen({ host, port, backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(cell, 0, 0);
    Atomics.wait(cell, 1, 0, Atomics.load(cell, 0));
  });
`;
const FILLERS_MAX = 10;
/** A loopback connects within this time, unless the queue is full. */
const LOOPBACK_MS = 250;

/** @param port 0 for a free one */
export async function startSlowListener(host = '127.0.0.1', port = 0): Promise<SlowListener> {
  const cell = new Int32Array(new SharedArrayBuffer(8));
  const thread = new Worker(THREAD, { eval: true, workerData: { cell, host, port } });
  const fillers: Socket[] = [];
  const acceptAfter = (delayMs: number) => {
    Atomics.store(cell, 0, delayMs);
    Atomics.notify(cell, 0);
  };
  const listener = {
    port: ((await once(thread, 'message')) as [number])[0],
    acceptAfter,
    [Symbol.asyncDispose]: async () => {
      acceptAfter(1);
      for (const filler of fillers) filler.destroy();
      await thread.terminate();
    },
  };
  for (let isFull = false; !isFull;) {
    if (fillers.length > FILLERS_MAX)
      throw new Error('the queue of a listener never fills: handshakes cannot be delayed here');
    const filler = connect({ host, port: listener.port }).on('error', () => undefined);
    fillers.push(filler);
    const late = AbortSignal.timeout(LOOPBACK_MS);
    isFull = await once(filler, 'connect', { signal: late }).then(
      () => false,
      () => late.aborted,
    );
    if (isFull) filler.destroy();
  }
  return listener;
}

/**
 * A TCP proxy on the loopback interface that a test can make cut, stall, reset or lose connections.
 */
import { createServer, connect, type Socket } from 'node:net';

import { freePort } from '../../services/standalone/processes/ports.ts';

/**
 * `cut`: the port is closed, and so are all connections. `stall`: connections are accepted; bytes
 * wait until `heal`. `reset`: all connections, new ones included, end with RST. `lose`: the bytes
 * of the connections that are open now are dropped, even after `heal`; new connections work.
 */
export type Fault = 'cut' | 'stall' | 'reset' | 'lose';

export type TcpProxy = AsyncDisposable & {
  port: number;
  /** Fails until `heal`. */
  fail(fault: Fault): Promise<void>;
  heal(): Promise<void>;
  /** Delays bytes in both directions. */
  delay(latencyMs: number): void;
  /** Number of open connections. */
  connections(): number;
};

type Wire = { client: Socket; server: Socket; isLost: boolean };

/** @param target port of the host, which is localhost by default */
export async function startTcpProxy(target: number, host = 'localhost'): Promise<TcpProxy> {
  const port = await freePort();
  const wires = new Set<Wire>();
  let fault: Fault | undefined;
  let latencyMs = 0;

  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    client.on('error', () => undefined);
    if (fault === 'reset') {
      client.resetAndDestroy();
      return;
    }
    const server = connect({ port: target, host, allowHalfOpen: true, noDelay: true });
    const wire: Wire = { client, server, isLost: false };
    wires.add(wire);
    carry(client, server, wire);
    carry(server, client, wire);
    if (fault === 'stall') pause(wire);
  });

  /** Passes bytes in order, after the present latency, and no faster than they are read. */
  function carry(from: Socket, to: Socket, wire: Wire): void {
    const delayed: (() => void)[] = [];
    const later = (step: () => void): void => {
      if (latencyMs === 0 && delayed.length === 0) return step();
      delayed.push(step);
      setTimeout(() => delayed.shift()?.(), latencyMs);
    };
    from.on('data', (bytes: Buffer) => {
      if (wire.isLost) return;
      later(() => {
        if (to.destroyed || to.write(bytes)) return;
        from.pause();
        to.once('drain', () => fault !== 'stall' && from.resume());
      });
    });
    from.on('end', () => wire.isLost || later(() => to.end()));
    from.on('error', () => undefined);
    from.on('close', () => {
      wires.delete(wire);
      if (!wire.isLost) later(() => to.destroy());
    });
  }

  const listen = () =>
    new Promise<void>((resolve, reject) =>
      listener.once('error', reject).listen(port, '127.0.0.1', resolve),
    );
  const close = () =>
    new Promise<void>((resolve) =>
      listener.listening ? listener.close(() => resolve()) : resolve(),
    );
  const end = (how: (socket: Socket) => void): void => {
    for (const { client, server } of wires) {
      how(client);
      how(server);
    }
  };

  await listen();
  return {
    port,
    fail: async (kind) => {
      fault = kind;
      if (kind === 'stall') for (const wire of wires) pause(wire);
      if (kind === 'reset') end((socket) => socket.resetAndDestroy());
      if (kind === 'lose') for (const wire of wires) wire.isLost = true;
      if (kind !== 'cut') return;
      const closed = close();
      end((socket) => socket.destroy());
      await closed;
    },
    heal: async () => {
      const before = fault;
      fault = undefined;
      if (before === 'cut') await listen();
      if (before === 'stall')
        for (const { client, server } of wires)
          [client, server].forEach((socket) => socket.resume());
    },
    delay: (ms) => {
      latencyMs = ms;
    },
    connections: () => wires.size,
    [Symbol.asyncDispose]: async () => {
      const closed = close();
      end((socket) => socket.destroy());
      await closed;
    },
  };
}

function pause({ client, server }: Wire): void {
  client.pause();
  server.pause();
}

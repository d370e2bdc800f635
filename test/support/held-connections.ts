/** Clients that hold connections in every way, and what a listener keeps of them. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';

/** How a client sends its first bytes, and then nothing, without ever closing its side. */
export type Holding = 'silent' | 'half-open' | 'half-closed';

export type HeldClients = AsyncDisposable & { sockets: Socket[] };

/**
 * @param begin what `half-open` and `half-closed` clients send, step by step: each step waits for
 * bytes of the server
 */
export async function holdConnections(
  port: number,
  count: number,
  holding: Holding,
  begin: readonly string[],
): Promise<HeldClients> {
  const sockets = await Promise.all(
    Array.from({ length: count }, async () => {
      // with allowHalfOpen, the end of the server does not end the side of the client
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      if (holding === 'silent') return socket;
      for (const [index, bytes] of begin.entries()) {
        if (index > 0) await Promise.race([once(socket, 'data'), once(socket, 'close')]);
        socket.write(bytes, 'latin1');
      }
      if (holding === 'half-closed') socket.end();
      return socket;
    }),
  );
  for (const socket of sockets) socket.resume();
  return {
    sockets,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

const LISTENING = '0A';

/**
 * Sockets of any process at a listener's port, or of the clients connected to it, that still have a
 * descriptor. What the kernel keeps of a closed one has none (inode 0 in /proc/net/tcp).
 */
export async function heldSockets(port: number, side: 'listener' | 'client'): Promise<number> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')),
  );
  return tables
    .flatMap((table) => table.split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = '', remote = '', state]) => {
      const address = side === 'listener' ? local : remote;
      return state !== LISTENING && address.endsWith(portInHex(port));
    })
    .filter((fields) => fields[9] !== '0').length;
}

const portInHex = (port: number): string => `:${port.toString(16).toUpperCase().padStart(4, '0')}`;

/**
 * The connections of an HTTP server. There is a bound, and new clients get in although others hold
 * connections without using them: the connection that has been unused longest is closed.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type ConnectionLimits = {
  maxConnections: number;
  /** Time for a client to read the last response, when the server has ended the connection. */
  lingerMs: number;
};

export type OpenConnections = {
  /** Sends the last bytes, and closes the connection also if the client keeps its side open. */
  endWith: (socket: Socket, bytes: string) => void;
  /** Also those that have ended on the side of the server. */
  destroyAll: () => void;
};

type Connection = { socket: Socket; requests: number };

/** @param server for HTTP or HTTPS; before it listens */
export function limitConnections(
  server: Server,
  { maxConnections, lingerMs }: ConnectionLimits,
): OpenConnections {
  /**
   * Unused longest first. By peer, because a request has the TLS socket, and a handshake the socket
   * below it.
   */
  const open = new Map<string, Connection>();

  const makeRoom = () => {
    for (const { socket, requests } of open.values())
      if (requests === 0) {
        socket.destroy();
        return;
      }
  };
  const track = (socket: Socket) => {
    const peer = peerOf(socket);
    open.set(peer, { socket, requests: 0 });
    socket.once('close', () => {
      if (open.get(peer)?.socket === socket) open.delete(peer);
    });
    // whatever ended it here: Node waits for the client to end its side
    socket.once('finish', () => destroyAfter(socket, lingerMs));
  };
  const use = (peer: string, change: 1 | -1) => {
    const connection = open.get(peer);
    if (connection === undefined) return;
    connection.requests += change;
    open.delete(peer);
    open.set(peer, connection);
  };

  server.on('connection', (socket: Socket) => {
    if (open.size >= maxConnections) makeRoom();
    track(socket);
  });
  server.on('secureConnection', track);
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const peer = peerOf(socket);
    use(peer, 1);
    response.once('close', () => use(peer, -1));
  });
  // all of them with requests in progress
  server.maxConnections = maxConnections + SPARE_CONNECTIONS;

  return {
    endWith: (socket, bytes) => {
      socket.end(bytes);
      destroyAfter(socket, lingerMs); // a client that reads nothing keeps 'finish' away
    },
    destroyAll: () => {
      for (const { socket } of open.values()) socket.destroy();
    },
  };
}

/** Destroyed connections are counted until they have closed. */
const SPARE_CONNECTIONS = 64;

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

const destroyAfter = (socket: Socket, ms: number): void => {
  const timer = setTimeout(() => socket.destroy(), ms).unref();
  socket.once('close', () => clearTimeout(timer));
};

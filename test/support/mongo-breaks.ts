/**
 * A proxy to mongod that breaks at a command that the test chooses, so that a test can walk over all
 * commands of its work. Heartbeats and logins are not counted.
 */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { BSON } from 'mongodb';

/**
 * What breaks at the chosen command. `before`: it does not arrive. `within`: its first half arrives.
 * `executed`: its answer is lost. `answered`: half of its answer arrives. `then`: its answer arrives,
 * and every connection ends.
 */
export const BREAKS = ['before', 'within', 'executed', 'answered', 'then'] as const;
export type Break = { at: number; how: (typeof BREAKS)[number] };

export type BreakingMongo = AsyncDisposable & {
  uri: string;
  /** Counts commands from 0 again. All connections break at this one, and none is accepted for a moment. */
  breakAt(planned: Break | undefined): void;
  /**
   * Ends the connections that have no command now, and accepts none for a moment. The heartbeat's
   * stays, so the driver does not know it yet.
   */
  endIdle(): void;
  /** Commands since then. */
  commands(): number;
};

const HEADER_BYTES = 16;
const OP_MSG = 2013;
/** After the header and the flags: a section of kind 0, which is the command. */
const COMMAND_AT = HEADER_BYTES + 4 + 1;
const HEARTBEAT = /^(?:hello|ismaster)$/i;
/** Time for an answer to leave its socket. */
const SENT_WITHIN_MS = 5;
const NOT_COUNTED = /^(?:hello|ismaster|ping|endSessions|sasl\w+)$/i;

/**
 * @param uri of a mongod, with the database
 * @param awayMs how long connections are refused after a break
 */
export async function startBreakingMongo(uri: string, awayMs: number): Promise<BreakingMongo> {
  const target = new URL(uri);
  const sockets = new Set<Socket>();
  const working = new Set<Socket>();
  let planned: Break | undefined;
  let commands = 0;

  const listener = createServer({ noDelay: true }, (client) => {
    const server = connect({ port: Number(target.port), host: target.hostname, noDelay: true });
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(socket);
          working.delete(socket);
          other.destroy();
        });
    }
    let breaking: Break['how'] | undefined;
    server.on('data', (bytes: Buffer) => {
      if (breaking === undefined) return void client.write(bytes);
      if (breaking === 'executed') return goAway();
      if (breaking === 'answered') client.write(bytes.subarray(0, bytes.length >> 1));
      else client.write(bytes);
      listener.close();
      client.end();
      setTimeout(() => goAway(), SENT_WITHIN_MS);
    });
    let rest = Buffer.alloc(0);
    client.on('data', (bytes: Buffer) => {
      rest = Buffer.concat([rest, bytes]);
      while (rest.length >= HEADER_BYTES && rest.length >= rest.readInt32LE(0)) {
        const message = rest.subarray(0, rest.readInt32LE(0));
        rest = rest.subarray(message.length);
        const name = commandOf(message);
        if (!HEARTBEAT.test(name)) working.add(client);
        if (!NOT_COUNTED.test(name) && commands++ === planned?.at) breaking = planned.how;
        if (breaking === 'within') server.write(message.subarray(0, message.length >> 1));
        if (breaking === 'before' || breaking === 'within') return goAway();
        server.write(message);
      }
    });
  });

  const listen = async (port: number): Promise<void> => {
    listener.listen(port, '127.0.0.1');
    await once(listener, 'listening');
  };
  await listen(0);
  const { port } = listener.address() as AddressInfo;
  let returning: NodeJS.Timeout | undefined;
  function goAway(ended: ReadonlySet<Socket> = sockets): void {
    planned = undefined;
    listener.close();
    for (const socket of ended) socket.destroy();
    returning ??= setTimeout(() => {
      returning = undefined;
      void listen(port);
    }, awayMs);
  }

  const through = new URL(uri);
  through.host = `127.0.0.1:${port}`;
  through.search = '?directConnection=true'; // the replica set would name the port of mongod
  return {
    uri: through.href,
    breakAt: (next) => {
      commands = 0;
      planned = next;
    },
    endIdle: () => goAway(working),
    commands: () => commands,
    [Symbol.asyncDispose]: async () => {
      clearTimeout(returning);
      const closed = listener.listening ? once(listener, 'close') : undefined;
      listener.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Its name; the one of a login in the old protocol is a heartbeat's. */
function commandOf(message: Buffer): string {
  if (message.readInt32LE(12) !== OP_MSG) return 'hello';
  const end = COMMAND_AT + message.readInt32LE(COMMAND_AT);
  return Object.keys(BSON.deserialize(message.subarray(COMMAND_AT, end)))[0] ?? '';
}

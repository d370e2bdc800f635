/**
 * A proxy to mongod for one process under test, whose connections end with the process. It reads
 * the commands that pass it, and tells writes from others.
 */
import { connect, createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { BSON, type Document, MongoClient } from 'mongodb';

import type { Lifetime } from './lifetime.ts';

export type MongoProxy = AsyncDisposable & {
  uri: string;
  /** Aborts the transactions that the process left open, which mongod does after a minute. */
  abortTransactions(): Promise<void>;
};

const HEADER_BYTES = 16;
const OP_MSG = 2013;
/** After the header and the flags: a section of kind 0, which is the command. */
const COMMAND_AT = HEADER_BYTES + 4 + 1;
const WRITES = ['insert', 'update', 'delete', 'findAndModify', 'commitTransaction'];

/** @param uri of a mongod, with the database */
export async function startMongoProxy(uri: string, lifetime: Lifetime): Promise<MongoProxy> {
  const target = new URL(uri);
  const sockets = new Set<Socket>();
  const transactions = new Map<string, Document>();

  /** @returns whether the process ends with this message */
  const passes = (message: Buffer): 'runs' | 'last' | 'never' => {
    if (message.readInt32LE(12) !== OP_MSG) return lifetime.next(false);
    const command = BSON.deserialize(message.subarray(COMMAND_AT, endOfDocument(message)));
    const { lsid, autocommit } = command as { lsid?: { id: Document }; autocommit?: boolean };
    if (lsid && autocommit === false) transactions.set(String(lsid.id), lsid);
    return lifetime.next(WRITES.includes(Object.keys(command)[0] ?? ''));
  };

  const listener = createServer({ noDelay: true }, (client) => {
    const server = connect({ port: Number(target.port), host: target.hostname, noDelay: true });
    const end = () => void [client, server].map((socket) => socket.destroy());
    let isLast = false;
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(socket);
          end();
        });
    }
    server.on('data', (bytes) => {
      if (isLast) {
        lifetime.end();
        for (const socket of sockets) socket.destroy();
      } else if (!lifetime.hasEnded()) client.write(bytes);
    });
    let rest = Buffer.alloc(0);
    client.on('data', (bytes: Buffer) => {
      rest = Buffer.concat([rest, bytes]);
      while (rest.length >= HEADER_BYTES && rest.length >= rest.readInt32LE(0)) {
        const message = rest.subarray(0, rest.readInt32LE(0));
        rest = rest.subarray(message.length);
        const fate = passes(message);
        if (fate === 'never') {
          end();
          return;
        }
        isLast ||= fate === 'last';
        server.write(message);
      }
    });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const through = new URL(uri);
  through.host = `127.0.0.1:${(listener.address() as AddressInfo).port}`;
  through.search = '?directConnection=true'; // the replica set would name the port of mongod
  return {
    uri: through.href,
    abortTransactions: async () => {
      await using client = new MongoClient(uri);
      const left = [...transactions.values()].map(({ id }) => ({ id: id as Document }));
      if (left.length > 0) await client.db().admin().command({ killSessions: left });
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(listener, 'close');
      listener.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

const endOfDocument = (message: Buffer) => COMMAND_AT + message.readInt32LE(COMMAND_AT);

/**
 * The installed smtp-server has every undocumented member that library.ts uses. After an upgrade,
 * this file fails first.
 */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import {
  createConnection,
  isDisconnect,
  isGreeted,
  isSupported,
  isUpgrading,
  type LibraryConnection,
  libraryCode,
  onSocket,
  openConnections,
  startGreeting,
  wrapSend,
} from '../../../services/gateway/smtp/library.ts';
import { dialogue, type SmtpDialogue } from '../../support/smtp-play.ts';
import { until } from '../../support/until.ts';

const LIBRARY = new URL('../../../services/gateway/smtp/library.ts', import.meta.url);

/** Each member, and what `typeof` says of it on a connection that has been greeted. */
const MEMBERS = {
  server: { server: 'object', connections: 'object' },
  connection: {
    init: 'function',
    send: 'function',
    close: 'function',
    session: 'object',
    secure: 'boolean',
    _ready: 'boolean',
    _closing: 'boolean',
    _closed: 'boolean',
    _onError: 'function',
    _originalRemoteAddress: 'string',
    _upgrading: 'boolean',
    _isSupported: 'function',
    _socket: 'object',
    _parser: 'object',
    _createParser: 'function',
    _parseAddressCommand: 'function',
  },
  parser: {
    _write: 'function',
    oncommand: 'function',
    _dataMode: 'boolean',
    startDataMode: 'function',
    _feedDataStream: 'function',
    _dataStream: 'object',
    _countDataBytes: 'function',
    _endDataMode: 'function',
  },
} as const;

const failures: unknown[] = [];
const server = new SMTPServer({
  authOptional: true,
  hideENHANCEDSTATUSCODES: false,
  disableReverseLookup: true,
  logger: false,
  onRcptTo: (_, __, callback) =>
    callback(Object.assign(new Error('Refused'), { responseCode: libraryCode(550, '5.7.99') })),
  onData: (stream, _, callback) => {
    stream.on('error', (error) => {
      failures.push(error);
      callback(error);
    });
    stream.resume();
  },
});
let connection: LibraryConnection;
let client: SmtpDialogue;
const objects = () => ({ server, connection, parser: connection._parser });

beforeAll(async () => {
  onSocket(server, (socket) => {
    connection = createConnection(server, socket, { remoteAddress: '192.0.2.7' });
    startGreeting(connection);
  });
  const listener = server.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  client = await dialogue((listener.address() as AddressInfo).port);
});
afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await new Promise<void>((resolve) => server.close(resolve));
});

describe('members', () => {
  test.each(
    Object.entries(MEMBERS).flatMap(([object, members]) =>
      Object.entries(members).map(
        ([member, type]) => [object as keyof typeof MEMBERS, member, type] as const,
      ),
    ),
  )('%s.%s is a member of type %s', (object, member, type) => {
    const owner = objects()[object] as unknown as Record<string, unknown>;
    expect(member in owner).toBe(true);
    expect(typeof owner[member]).toBe(type);
  });

  test('library.ts uses no other private member', async () => {
    const used = (await readFile(LIBRARY, 'utf8')).matchAll(/\.(_\w+)/g);
    const known = Object.values(MEMBERS).flatMap((members) => Object.keys(members));
    expect([...used].map(([, member]) => member).filter((name) => !known.includes(name!))).toEqual(
      [],
    );
  });
});

describe('behavior', () => {
  test('a connection of our own has the address given, and counts as open', () => {
    expect(client.greeting).toMatch(/^220 /);
    expect(isGreeted(connection)).toBe(true);
    expect(isUpgrading(connection)).toBe(false);
    expect(connection.session.remoteAddress).toBe('192.0.2.7');
    expect(openConnections(server)).toBe(1);
  });

  test('commands without a handler are not supported', () => {
    expect(['MAIL', 'rset', 'BDAT', ''].map((verb) => isSupported(connection, verb))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test('a reply code with an enhanced code is written as it is', async () => {
    await client.say('EHLO client.example');
    await client.say('MAIL FROM:<ann@sender.example>');
    expect(await client.say('RCPT TO:<bob@in.example>')).toBe('550 5.7.99 Refused');
  });

  test('every reply passes through send', async () => {
    const codes: number[] = [];
    wrapSend(connection, (send) => (code, text, context) => {
      codes.push(code);
      send(code, text, context);
    });
    await client.say('NOOP');
    await client.say('BDAT 1');
    expect(codes).toEqual([250, 500]);
  });

  test('a client that disconnects within its email is recognized by a code', async () => {
    server.onRcptTo = (_, __, callback) => callback();
    await client.say('RCPT TO:<bob@in.example>');
    await client.say('DATA');
    client.socket.write('Subject: cut off\r\n');
    client.socket.destroy();
    await until('the end of the DATA stream', () => failures.length > 0);
    expect(failures.map(isDisconnect)).toEqual([true]);
    expect(isDisconnect(new Error('another failure'))).toBe(false);
  });
});

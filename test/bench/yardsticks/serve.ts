/**
 * Shared by the yardsticks: an smtp-server that accepts all mail and replies 250 when `handle` is
 * done.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';

import { answerRequests } from '../helper-process.ts';

export function serveYardstick(
  handle: (stream: SMTPServerDataStream, session: SMTPServerSession) => Promise<void>,
): void {
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true, // so that no name server affects the results
    onData: (stream, session, callback) => {
      handle(stream, session).then(() => callback(), callback);
    },
  });
  answerRequests(async () => {
    const listener = server.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return (listener.address() as AddressInfo).port;
  });
}

/** What both yardsticks share: an smtp-server that takes mail for anyone and answers 250 when `handle` is done. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerDataStream } from 'smtp-server';

import { answerRequests } from '../helper-process.ts';

export function serveYardstick(handle: (stream: SMTPServerDataStream) => Promise<void>): void {
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true, // no name server has a part in the figures
    onData: (stream, _session, callback) => {
      handle(stream).then(() => callback(), callback);
    },
  });
  answerRequests(async () => {
    const listener = server.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return (listener.address() as AddressInfo).port;
  });
}

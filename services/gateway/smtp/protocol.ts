/** The server of the library, with what each command of a client does. */
import type { SecureVersion, TLSSocket } from 'node:tls';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';

import type { TlsPair } from '../../adapters/tls/tls-files.ts';
import type { createRefusals } from './refusals.ts';
import type { Sender, Transactions } from './transaction.ts';

const NEVER_SUPPORTED = ['AUTH', 'XCLIENT', 'WIZ', 'SHELL', 'KILL'];

type ProtocolOptions = {
  hostname: string;
  tls: TlsPair | undefined;
  tlsMinVersion: SecureVersion;
  maxMessageBytes: number;
  idleTimeoutMs: number;
  stopGraceMs: number;
};

export function createProtocol(
  options: ProtocolOptions,
  isLmtp: boolean,
  senderAt: (session: SMTPServerSession) => Sender,
  transactions: Transactions,
  refusals: ReturnType<typeof createRefusals>,
  onClose: (session: SMTPServerSession) => void,
): SMTPServer {
  const { tls } = options;
  return new SMTPServer({
    name: options.hostname,
    lmtp: isLmtp,
    useXForward: isLmtp,
    ...(tls
      ? { cert: tls.cert, key: tls.key, minVersion: options.tlsMinVersion }
      : { hideSTARTTLS: true }),
    disabledCommands: [
      ...NEVER_SUPPORTED,
      ...(isLmtp ? [] : ['XFORWARD']),
      ...(tls ? [] : ['STARTTLS']),
    ],
    banner: 'Inlet',
    heloResponse: '%s',
    size: options.maxMessageBytes,
    socketTimeout: options.idleTimeoutMs,
    closeTimeout: options.stopGraceMs,
    hideENHANCEDSTATUSCODES: false,
    disableReverseLookup: true,
    lenientAddressParsing: true, // senders such as `user.@docomo.ne.jp` exist
    logger: false,
    onClose,
    onSecure: (socket, session, callback) => {
      senderAt(session).client.markSecure((socket as TLSSocket).getProtocol());
      callback();
    },
    onMailFrom: (address, session, callback) => {
      try {
        transactions.startMail(address, session);
      } catch (error) {
        return callback(refusals.ofMail(error, address, session));
      }
      callback();
    },
    onRcptTo: (address, session, callback) => {
      transactions.addRecipient(address, session).then(
        () => callback(),
        (error: unknown) => callback(refusals.ofRcpt(error, address, session)),
      );
    },
    onData: (stream, session, callback) => {
      const ended = transactions.receiveData(stream, session).then(
        (replies) => callback(null, refusals.repliesTo(replies, session)),
        (error: unknown) => {
          const refusal = refusals.ofData(error, session);
          if (Array.isArray(refusal)) callback(null, refusal);
          else callback(refusal);
        },
      );
      void ended.finally(() => senderAt(session).client.finishData());
    },
  });
}

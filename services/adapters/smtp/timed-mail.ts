/** Sends one small email in steps, so that a caller can time each of them. STARTTLS is required. */
import { isIP, type Socket } from 'node:net';

import SMTPConnection from 'nodemailer/lib/smtp-connection';

import { SMTP } from '../../core/network/deadlines.ts';
import { openSocket } from '../dns/sockets.ts';

type MailServer = { host: string; port: number };

export type ConnectedServer = Disposable & {
  /** `192.0.2.7:25`: where the connection leads. */
  place: string;
  /** The greeting, EHLO and STARTTLS. */
  secure(): Promise<void>;
  /** Resolves with the reply to the email. */
  send(envelope: { from: string; to: string }, raw: string): Promise<string>;
};

type Options = {
  /** Whether the certificate must be valid for the host; senders do not ask that of an MX. */
  verifiesCertificate: boolean;
  /** HELO name; that of this machine if absent. */
  helo?: string | undefined;
  /** PEM of private authorities. */
  ca: readonly string[];
  signal: AbortSignal;
};

/** @throws when the server does not respond */
export async function connectToServer(
  { host, port }: MailServer,
  { verifiesCertificate, helo, ca, signal }: Options,
): Promise<ConnectedServer> {
  const socket = await openSocket({ host, port }, SMTP.connectionTimeout, signal);
  const client = new SMTPConnection({
    host,
    port,
    connection: socket,
    ...SMTP,
    requireTLS: true,
    ...(helo !== undefined && { name: helo }),
    tls: {
      rejectUnauthorized: verifiesCertificate,
      ...(isIP(host) === 0 && { servername: host }),
      ...(ca.length > 0 && { ca: [...ca] }),
    },
  });
  const during = <T>(step: (done: (error: Error | null | undefined, value: T) => void) => void) =>
    new Promise<T>((resolve, reject) => {
      const stop = () => reject(signal.reason as Error);
      signal.addEventListener('abort', stop, { once: true });
      client.once('error', reject);
      step((error, value) => {
        signal.removeEventListener('abort', stop);
        if (error) reject(error);
        else resolve(value);
      });
      if (signal.aborted) stop();
    });

  return {
    place: placeOf(socket),
    secure: () => during<void>((done) => client.connect((error) => done(error, undefined))),
    send: (envelope, raw) =>
      during<string>((done) =>
        client.send(envelope, raw, (error, info) => done(error, info?.response ?? '')),
      ),
    [Symbol.dispose]: () => {
      client.on('error', () => undefined); // the server may close at the same time
      client.close();
      socket.destroy();
    },
  };
}

const placeOf = ({ remoteAddress = '', remotePort }: Socket): string =>
  `${remoteAddress.includes(':') ? `[${remoteAddress}]` : remoteAddress}:${remotePort}`;

/** Short conversations with servers: the first line of a TCP connection, SMTP, and certificates. */
import { connect, type Socket } from 'node:net';
import { connect as connectTls, type PeerCertificate, rootCertificates } from 'node:tls';

export const PROBE_TIMEOUT_MS = 5_000;

export type Place = { host: string; port: number };

/** Sends lines as the server asks for them. Resolves with all that it sent. @throws if it fails */
export function converse(
  place: Place,
  /** The next line to send; undefined when the conversation is over. */
  answer: (heard: string) => string | undefined,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let heard = '';
    const socket: Socket = connect(place);
    const end = (settle: () => void): void => {
      socket.destroy();
      settle();
    };
    socket.setTimeout(PROBE_TIMEOUT_MS, () =>
      end(() => reject(new Error(`no response within ${PROBE_TIMEOUT_MS / 1_000} s`))),
    );
    socket.on('error', (error) => end(() => reject(error)));
    socket.on('close', () => resolve(heard));
    socket.on('data', (chunk: Buffer) => {
      heard += chunk.toString();
      if (!heard.endsWith('\n')) return;
      const line = answer(heard);
      if (line === undefined) end(() => resolve(heard));
      else socket.write(`${line}\r\n`);
    });
  });
}

/** Resolves when the port accepts a connection. @throws if it does not */
export function reach(place: Place): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(place, () => {
      socket.destroy();
      resolve();
    });
    socket.setTimeout(PROBE_TIMEOUT_MS, () =>
      socket.destroy(new Error(`no response within ${PROBE_TIMEOUT_MS / 1_000} s`)),
    );
    socket.on('error', reject);
  });
}

/** @returns the greeting and the EHLO reply of a mail server */
export function smtpGreeting(place: Place): Promise<{ banner: string; offersTls: boolean }> {
  let banner: string | undefined;
  return converse(place, (heard) => {
    if (!/^\d{3} .*\r?\n$/m.test(heard)) return ''; // a reply of several lines goes on
    if (banner !== undefined) return undefined;
    banner = heard.trim();
    return 'EHLO doctor.invalid';
  }).then((heard) => ({
    banner: (banner ?? heard).split(/\r?\n/)[0] ?? '',
    offersTls: /^250[ -]STARTTLS/m.test(heard),
  }));
}

export type CertificateFacts = {
  /** Why this machine does not trust it; undefined when it does. */
  fault: string | undefined;
  validTo: Date;
  issuer: string;
};

/** @param ca PEM of authorities to trust in addition to those of this machine */
export function certificateOf(place: Place, ca: readonly string[]): Promise<CertificateFacts> {
  return new Promise((resolve, reject) => {
    const socket = connectTls(
      {
        ...place,
        servername: /^[\d.]+$|:/.test(place.host) ? '' : place.host,
        ca: [...rootCertificates, ...ca],
        rejectUnauthorized: false,
      },
      () => {
        const certificate: PeerCertificate = socket.getPeerCertificate();
        const error = socket.authorizationError as Error | string | null | undefined;
        socket.destroy();
        const fault = error instanceof Error ? error.message : (error ?? undefined);
        resolve({
          fault: socket.authorized ? undefined : fault,
          validTo: new Date(certificate.valid_to),
          issuer: nameOf(certificate.issuer),
        });
      },
    );
    socket.setTimeout(PROBE_TIMEOUT_MS, () =>
      socket.destroy(new Error(`no TLS within ${PROBE_TIMEOUT_MS / 1_000} s`)),
    );
    socket.on('error', reject);
  });
}

const nameOf = ({ O, CN }: PeerCertificate['issuer']): string => [O ?? CN ?? '-'].flat().join(', ');

/** Short conversations with servers: the first line of a TCP connection, SMTP, and certificates. */
import { isIP, type Socket } from 'node:net';
import { connect as connectTls, type PeerCertificate, rootCertificates } from 'node:tls';

import { openSocket } from '../../adapters/dns/sockets.ts';

const PROBE_TIMEOUT_MS = 5_000;
export const DNS_TIMEOUT_MS = 5_000;

export type HostPort = { host: string; port: number };

/** Sends lines as the server asks for them. Resolves with all that it sent. @throws if it fails */
export async function converse(
  target: HostPort,
  /** The next line to send; '' to wait; undefined when the conversation is over. */
  answer: (heard: string) => string | undefined,
): Promise<string> {
  const { heard, socket } = await talk(target, answer);
  socket.destroy();
  return heard;
}

/** The socket stays open, unless the server closed it. */
async function talk(
  target: HostPort,
  answer: (heard: string) => string | undefined,
): Promise<{ heard: string; socket: Socket }> {
  const socket = await openSocket(target, PROBE_TIMEOUT_MS);
  return new Promise((resolve, reject) => {
    let heard = '';
    const end = (): void => {
      socket.off('data', listen);
      resolve({ heard, socket });
    };
    function listen(chunk: Buffer): void {
      heard += chunk.toString();
      if (!heard.endsWith('\n')) return;
      const line = answer(heard);
      if (line === undefined) end();
      else if (line !== '') socket.write(`${line}\r\n`);
    }
    socket.setTimeout(PROBE_TIMEOUT_MS, () =>
      socket.destroy(new Error(`no response within ${PROBE_TIMEOUT_MS / 1_000} s`)),
    );
    socket.on('error', reject);
    socket.on('close', end);
    socket.on('data', listen);
  });
}

/** Resolves when the port accepts a connection. @throws if it does not */
export async function reach(target: HostPort): Promise<void> {
  (await openSocket(target, PROBE_TIMEOUT_MS)).destroy();
}

type SmtpFacts = {
  /** The first line that the server sent. */
  banner: string;
  offersTls: boolean;
  /** The certificate after STARTTLS; undefined without STARTTLS. */
  certificate?: CertificateFacts;
};

/**
 * The greeting, the EHLO reply and the certificate of a mail server.
 * @param name that its certificate should have; default: the one in the greeting
 * @throws if it does not respond, or if TLS fails
 */
export async function smtpFacts(
  target: HostPort,
  ca: readonly string[],
  name?: string,
): Promise<SmtpFacts> {
  let sent = 0;
  const { heard, socket } = await talk(target, (text) => {
    const replies = repliesIn(text);
    if (replies.length <= sent) return '';
    sent += 1;
    const last = replies.at(-1) ?? '';
    if (sent === 1 && last.startsWith('220')) return 'EHLO doctor.invalid';
    return sent === 2 && STARTTLS.test(last) ? 'STARTTLS' : undefined;
  });
  const [greeting = heard, ehlo = '', ready = ''] = repliesIn(heard);
  const facts = {
    banner: greeting.trim().split(/\r?\n/)[0] ?? '',
    offersTls: STARTTLS.test(ehlo),
  };
  if (!ready.startsWith('220')) {
    socket.destroy();
    return facts;
  }
  const host = name ?? facts.banner.split(' ')[1] ?? target.host;
  return { ...facts, certificate: await handshake({ socket, host }, ca) };
}

const STARTTLS = /^250[ -]STARTTLS/m;

/** Complete replies; each may have several lines. RFC 5321 §4.2.1 */
const repliesIn = (text: string): string[] =>
  text.match(/^(?:\d{3}-[^\n]*\n)*\d{3}(?: [^\n]*|\r)?\n/gm) ?? [];

export type CertificateFacts = {
  /** Why this machine does not trust it; undefined when it does. */
  fault: string | undefined;
  validTo: Date;
  issuer: string;
  /** In DER. */
  der: Buffer;
};

const UNKNOWN_AUTHORITY = 'its authority is not known here';
const FAULTS: Record<string, string> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another name',
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
};

/** @param ca PEM of authorities to trust in addition to this machine's */
export const certificateOf = async (
  target: HostPort,
  ca: readonly string[],
): Promise<CertificateFacts> =>
  handshake({ socket: await openSocket(target, PROBE_TIMEOUT_MS), host: target.host }, ca);

/** @param host the name that the certificate should have */
function handshake(
  { socket: plain, host }: { socket: Socket; host: string },
  ca: readonly string[],
): Promise<CertificateFacts> {
  return new Promise((resolve, reject) => {
    plain.on('error', reject);
    const socket = connectTls(
      {
        socket: plain,
        host, // without a servername, the certificate is compared with it
        servername: isIP(host) === 0 ? host : '',
        ca: [...rootCertificates, ...ca],
        rejectUnauthorized: false,
      },
      () => {
        const certificate: PeerCertificate = socket.getPeerCertificate();
        const error = socket.authorizationError as Error | string | null | undefined;
        const code = error instanceof Error ? error.message : (error ?? 'not trusted');
        socket.destroy();
        resolve({
          fault: socket.authorized ? undefined : (FAULTS[code] ?? code),
          validTo: new Date(certificate.valid_to),
          issuer: nameOf(certificate.issuer),
          der: certificate.raw,
        });
      },
    );
    socket.setTimeout(PROBE_TIMEOUT_MS, () =>
      socket.destroy(new Error(`no TLS within ${PROBE_TIMEOUT_MS / 1_000} s`)),
    );
    socket.on('error', reject);
    // the server may close the connection without an alert
    socket.on('close', () => reject(new Error('the server closed the connection')));
  });
}

const nameOf = ({ O, CN }: PeerCertificate['issuer']): string => [O ?? CN ?? '-'].flat().join(', ');

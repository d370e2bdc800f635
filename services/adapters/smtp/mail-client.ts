/**
 * Sends an email to a running gateway over SMTP, as any mail server does. With a known certificate
 * authority, STARTTLS is required and the certificate is verified.
 */
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';

import { createTransport } from 'nodemailer';

import { SMTP } from '../../core/network/deadlines.ts';
import { openSocket } from '../dns/sockets.ts';

export type OutgoingMail = {
  /** Generated if absent. */
  messageId?: string;
  from: string;
  to: string | string[];
  subject: string;
  text: string;
  html?: string;
  headers?: { key: string; value: string }[];
  attachments?: { filename: string; content: Buffer }[];
  dkim?: Signer;
};

type GatewayAddress = {
  host: string;
  port: number;
  caFile?: string;
  /** STARTTLS without a check of the certificate, as senders do it. */
  requiresTls?: boolean;
  /** Whether the gateway expects a PROXY protocol header. */
  expectsProxyHeader?: boolean;
  /** HELO name; that of this machine if absent. */
  helo?: string;
};

/** A DKIM signature to add. */
export type Signer = { domainName: string; keySelector: string; privateKey: string };

/** An email that is sent as it is. Its line ends become CRLF. */
export type RawMail = { raw: Buffer; envelope: { from: string; to: string[] } };

type SentMail = {
  /** The gateway's reply to the email. */
  reply: string;
  /** Recipients that it refused. The email went to the others. */
  refused: { address: string; reply: string }[];
};

/** Returns the gateway's reply. @throws with that reply if the gateway refuses the email */
export const sendMail = async (
  gateway: GatewayAddress,
  mail: OutgoingMail | RawMail,
): Promise<string> => (await sendToMany(gateway, mail)).reply;

/** One email to several recipients. @throws if the gateway refuses it, or all recipients */
export async function sendToMany(
  gateway: GatewayAddress,
  mail: OutgoingMail | RawMail,
): Promise<SentMail> {
  const ca = gateway.caFile === undefined ? undefined : await readFile(gateway.caFile);
  const transport = createTransport({
    host: gateway.host,
    port: gateway.port,
    ...(gateway.helo !== undefined && { name: gateway.helo }),
    connection: await connected(gateway),
    ...SMTP,
    ...(ca === undefined
      ? { requireTLS: gateway.requiresTls === true, tls: { rejectUnauthorized: false } }
      : { requireTLS: true, tls: { ca } }),
  });
  try {
    const { response, rejectedErrors = [] } = await transport.sendMail(mail);
    const refused = rejectedErrors.map(({ recipient = '', response: reply = '' }) => ({
      address: recipient,
      reply,
    }));
    return { reply: response, refused };
  } finally {
    transport.close();
  }
}

/** Nodemailer would look up the name itself. */
async function connected({ host, port, expectsProxyHeader }: GatewayAddress): Promise<Socket> {
  const socket = await openSocket({ host, port }, SMTP.connectionTimeout);
  // UNKNOWN is what a proxy sends for a connection of its own (PROXY protocol, version 1, §2.1)
  if (expectsProxyHeader) socket.write('PROXY UNKNOWN\r\n');
  return socket;
}

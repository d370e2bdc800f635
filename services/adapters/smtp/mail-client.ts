/**
 * Sends an email to a running gateway over SMTP, as any mail server does. With a known certificate
 * authority, STARTTLS is required and the certificate is verified.
 */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';

import { createTransport } from 'nodemailer';

export type OutgoingMail = {
  /** Generated if absent. */
  messageId?: string;
  from: string;
  to: string;
  subject: string;
  text: string;
  html?: string;
  headers?: { key: string; value: string }[];
  attachments?: { filename: string; content: Buffer }[];
};

export type GatewayAddress = {
  host: string;
  port: number;
  caFile?: string;
  /** Whether the gateway expects a PROXY protocol header. */
  expectsProxyHeader?: boolean;
};

/** An email that is sent as it is. Its line ends become CRLF. */
export type RawMail = { raw: Buffer; envelope: { from: string; to: string } };

/** Returns the gateway's reply. @throws with that reply if the gateway refuses the email */
export async function sendMail(
  gateway: GatewayAddress,
  mail: OutgoingMail | RawMail,
): Promise<string> {
  const transport = createTransport({
    host: gateway.host,
    port: gateway.port,
    ...(gateway.expectsProxyHeader && { connection: await connectAsProxy(gateway) }),
    ...(gateway.caFile === undefined
      ? { tls: { rejectUnauthorized: false } }
      : { requireTLS: true, tls: { ca: await readFile(gateway.caFile) } }),
  });
  try {
    return (await transport.sendMail(mail)).response;
  } finally {
    transport.close();
  }
}

/** UNKNOWN is what a proxy sends for a connection of its own (PROXY protocol, version 1, §2.1). */
async function connectAsProxy({ host, port }: GatewayAddress): Promise<Socket> {
  const socket = connect(port, host);
  await once(socket, 'connect');
  socket.write('PROXY UNKNOWN\r\n');
  return socket;
}

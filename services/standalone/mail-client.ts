/** Sends mail to a running gateway as any mail server would: SMTP with STARTTLS, required and verified where the certificate authority is known. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';

import { createTransport } from 'nodemailer';

export type OutgoingMail = {
  /** Made up when absent. */
  messageId?: string;
  from: string;
  to: string;
  subject: string;
  text: string;
  attachments?: { filename: string; content: Buffer }[];
};

export type GatewayAddress = {
  host: string;
  port: number;
  caFile?: string;
  /** It is one that expects a PROXY protocol header. */
  expectsProxyHeader?: boolean;
};

/** Returns the gateway's reply to the mail. @throws with its reply when it refuses */
export async function sendMail(gateway: GatewayAddress, mail: OutgoingMail): Promise<string> {
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

/** On nobody's behalf: what a proxy says of a connection of its own (PROXY protocol, version 1, §2.1). */
async function connectAsProxy({ host, port }: GatewayAddress): Promise<Socket> {
  const socket = connect(port, host);
  await once(socket, 'connect');
  socket.write('PROXY UNKNOWN\r\n');
  return socket;
}

/** Sends mail to a running gateway as any mail server would: SMTP with STARTTLS, required and verified where the certificate authority is known. */
import { readFile } from 'node:fs/promises';

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

/** Returns the gateway's reply to the mail. @throws with its reply when it refuses */
export async function sendMail(gateway: { host: string; port: number; caFile?: string }, mail: OutgoingMail): Promise<string> {
  const transport = createTransport({
    host: gateway.host,
    port: gateway.port,
    ...(gateway.caFile === undefined ? { tls: { rejectUnauthorized: false } } : { requireTLS: true, tls: { ca: await readFile(gateway.caFile) } }),
  });
  try {
    return (await transport.sendMail(mail)).response;
  } finally {
    transport.close();
  }
}

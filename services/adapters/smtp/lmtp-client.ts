/**
 * Gives an email to a gateway over LMTP (RFC 2033), and says by XFORWARD who sent it
 * (https://www.postfix.org/XFORWARD_README.html). The email is streamed, and its bytes are not
 * changed.
 */
import { isAscii } from 'node:buffer';
import { once } from 'node:events';
import { isIPv6, type Socket } from 'node:net';
import { hostname } from 'node:os';

import { z } from 'zod';

import { SMTP } from '../../core/network/deadlines.ts';
import { createStuffer } from '../../core/smtp/dot-stuffing.ts';
import { openSocket } from '../dns/sockets.ts';
import { createReplies } from './replies.ts';

type LmtpServer = { host: string; port: number };

const Address = z.string().transform((text, context): LmtpServer => {
  const url = URL.parse(text);
  if (url?.protocol === 'lmtp:' && url.hostname !== '' && /^lmtp:\/\/[^/?#@]+:\d+$/.test(text))
    return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) };
  context.addIssue({ code: 'custom', message: 'must be like lmtp://inlet-gateway-lmtp:24' });
  return z.NEVER;
});

export const IntakeConfig = {
  INTAKE_LMTP: Address.optional().describe(
    'LMTP listener of the gateways (LMTP_PORT), to which `POST /v1/intake` gives emails, such as ' +
      'lmtp://inlet-gateway-lmtp:24; that call responds with 503 when unset',
  ),
};

export type Submission = {
  mailFrom: string;
  recipients: readonly string[];
  remoteIp: string;
  heloDomain: string | undefined;
  /** Length of the email, if it is known before it has been read. */
  sizeBytes: number | undefined;
  content: AsyncIterable<Buffer>;
};

/**
 * Resolves with the last line of each recipient's reply, in their order: that to RCPT or MAIL if it
 * refuses, else that to DATA. @throws when the server does not reply, or when `content` fails; then
 * the sender does not know whether the email is stored
 */
export type Submit = (mail: Submission) => Promise<string[]>;

export const createSubmission = (server: LmtpServer | undefined): Submit | undefined =>
  server && ((mail) => submitMail(server, mail));

async function submitMail(server: LmtpServer, mail: Submission): Promise<string[]> {
  await using session = await openSession(server);
  const { say } = session;
  await say(undefined, '2');
  await say(`LHLO ${hostname()}`, '2');
  await say(`XFORWARD ${forwardedFrom(mail)}`, '2');
  const sender = await say(`MAIL FROM:<${mail.mailFrom}>${parametersOf(mail)}`);
  if (!sender.startsWith('2')) return mail.recipients.map(() => sender);
  const replies: string[] = [];
  for (const recipient of mail.recipients) replies.push(await say(`RCPT TO:<${recipient}>`));
  if (!replies.some(isAccepted)) return replies;
  const start = await say('DATA');
  if (!start.startsWith('3')) return replies.map((reply) => (isAccepted(reply) ? start : reply));
  await session.send(mail.content);
  for (const [index, reply] of replies.entries())
    if (isAccepted(reply)) replies[index] = await say(undefined);
  return replies;
}

const isAccepted = (reply: string): boolean => reply.startsWith('2');

const forwardedFrom = ({ remoteIp, heloDomain }: Submission): string =>
  [
    `ADDR=${isIPv6(remoteIp) ? 'IPV6:' : ''}${remoteIp}`,
    ...(heloDomain === undefined ? [] : [`HELO=${heloDomain}`]),
  ].join(' ');

function parametersOf({ mailFrom, recipients, sizeBytes }: Submission): string {
  const isUtf8 = [mailFrom, ...recipients].some((address) => !isAscii(Buffer.from(address)));
  return `${sizeBytes === undefined ? '' : ` SIZE=${sizeBytes}`}${isUtf8 ? ' SMTPUTF8' : ''}`;
}

type Session = AsyncDisposable & {
  /**
   * Sends a command, if any, and resolves with the last line of the next reply.
   * @param expected first digit of the reply; any other is an error
   */
  say: (command: string | undefined, expected?: string) => Promise<string>;
  /** Sends the bytes of an email, and its end. */
  send: (content: AsyncIterable<Buffer>) => Promise<void>;
};

async function openSession(server: LmtpServer): Promise<Session> {
  const socket = (await openSocket(server, SMTP.connectionTimeout)).setEncoding('utf8');
  const closed = new AbortController();
  const nextReply = createReplies(socket);
  socket.setTimeout(SMTP.socketTimeout, () =>
    socket.destroy(new Error('the gateway does not reply')),
  );
  socket.once('close', () => closed.abort(new Error('the gateway closed the connection')));
  socket.on('error', (error) => closed.abort(error));
  return {
    say: async (command, expected) => {
      if (command !== undefined) socket.write(`${command}\r\n`);
      const reply = await nextReply();
      if (expected !== undefined && !reply.startsWith(expected))
        throw new Error(`the gateway replied ${reply} to ${command ?? 'the connection'}`);
      return reply;
    },
    send: async (content) => {
      const { stuff, end } = createStuffer();
      for await (const chunk of content) await write(socket, stuff(chunk), closed.signal);
      await write(socket, end(), closed.signal);
    },
    [Symbol.asyncDispose]: async () => {
      // without a QUIT after a failure: the end of an email that was not sent must not be guessed
      socket.destroy();
    },
  };
}

/** @throws when the connection has closed */
async function write(socket: Socket, bytes: Buffer | string, closed: AbortSignal): Promise<void> {
  closed.throwIfAborted();
  if (socket.write(bytes)) return;
  await once(socket, 'drain', { signal: closed }).catch(() => closed.throwIfAborted());
}

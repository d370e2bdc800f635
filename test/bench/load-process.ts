/**
 * The load generator process. Each connection is a closed loop: the next email follows the 250 for
 * the last one. MAIL, RCPT and DATA are sent together, as Postfix and others do if the server
 * offers PIPELINING (RFC 2920).
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { createReplies, type NextReply } from '../../services/adapters/smtp/replies.ts';
import { nowMs } from './clock.ts';
import { answerRequests } from './helper-process.ts';
import { mailBody, mailHead, type MailKind } from './mails.ts';

export type LoadRequest = {
  /** The connections are spread over them. */
  ports: readonly number[];
  kind: MailKind;
  recipients: readonly string[];
  connections: number;
  /** Limits: number of emails, and seconds after which none is sent. */
  mails: number;
  seconds: number;
  /**
   * Sends at this rate: an open loop, while there are enough connections. Absent: as fast as
   * possible.
   */
  perSecond?: number | undefined;
  /** The first send id. */
  firstId: number;
};

/** Times in milliseconds since 1970, by send id; NaN if it did not happen. */
export type LoadResult = {
  startedAtMs: number;
  endOfDataMs: Float64Array;
  acceptedMs: Float64Array;
  /** Number of refusals by reply. */
  refusals: Record<string, number>;
};

const HOST = '127.0.0.1';
const SENDER = 'desk@sender.example';
const OVERTIME_MS = 30_000;

const bodies = new Map<MailKind, Buffer>();

async function run(request: LoadRequest): Promise<LoadResult> {
  const { ports, kind, recipients, connections, mails, seconds, perSecond, firstId } = request;
  const body = bodies.get(kind) ?? mailBody(kind);
  bodies.set(kind, body);
  const opened = await Promise.all(
    Array.from({ length: connections }, (_, i) => open(ports[i % ports.length] ?? 0)),
  );
  const result: LoadResult = {
    startedAtMs: nowMs(),
    endOfDataMs: new Float64Array(mails).fill(NaN),
    acceptedMs: new Float64Array(mails).fill(NaN),
    refusals: {},
  };
  const deadline = result.startedAtMs + seconds * 1000;
  const overtime = setTimeout(
    () => opened.forEach(({ socket }) => socket.destroy(new Error('no reply in time'))),
    seconds * 1000 + OVERTIME_MS,
  );
  let begun = 0;

  const loop = async (connection: Connection): Promise<void> => {
    while (begun < mails && nowMs() < deadline) {
      const index = begun++;
      if (perSecond !== undefined)
        await sleep(Math.max(0, result.startedAtMs + (index * 1000) / perSecond - nowMs()));
      const to = recipients[index % recipients.length] ?? '';
      const refusal = await send(
        connection,
        mailHead(firstId + index, SENDER, to),
        body,
        to,
        () => (result.endOfDataMs[index] = nowMs()),
      );
      if (refusal === undefined) result.acceptedMs[index] = nowMs();
      else result.refusals[refusal] = (result.refusals[refusal] ?? 0) + 1;
    }
    connection.socket.end('QUIT\r\n');
  };
  const tellFault = (error: Error) =>
    (result.refusals[error.message] = (result.refusals[error.message] ?? 0) + 1);
  await Promise.all(opened.map((connection) => loop(connection).catch(tellFault)));
  clearTimeout(overtime);
  return result;
}

/** Resolves with the reply that refused the email, if any. */
async function send(
  { socket, reply }: Connection,
  head: string,
  body: Buffer,
  to: string,
  atEndOfData: () => void,
): Promise<string | undefined> {
  socket.write(`MAIL FROM:<${SENDER}>\r\nRCPT TO:<${to}>\r\nDATA\r\n`, 'latin1');
  const replies = [await reply(), await reply(), await reply()];
  if (!replies[2]?.startsWith('354')) return replies.find((one) => !one.startsWith('250'));
  socket.cork();
  socket.write(head, 'latin1');
  socket.write(body, atEndOfData); // called once the kernel has the last byte
  socket.uncork();
  const last = await reply();
  return last.startsWith('250') ? undefined : last;
}

type Connection = { socket: Socket; reply: NextReply };

async function open(port: number): Promise<Connection> {
  const socket = connect({ host: HOST, port, noDelay: true }).setEncoding('latin1');
  const reply = createReplies(socket);
  await once(socket, 'connect');
  await reply();
  socket.write('EHLO mail.sender.example\r\n');
  await reply();
  return { socket, reply };
}

answerRequests((request) => run(request as LoadRequest));

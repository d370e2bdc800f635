/** Notes what a connection's record needs (connection-log.ts) while it lasts. */
import type { SMTPServerSession } from 'smtp-server';

import { QUIT, shownCommand } from '../../core/smtp/connection-end.ts';
import { commandOf } from '../../core/smtp/command-line.ts';
import { messageTooBig, type SmtpReply } from '../../core/smtp/smtp-reply.ts';
import type { EndedConnection, TlsState } from './connection-log.ts';
import { isUpgrading, type LibraryConnection, onSocketError, peerAddress } from './library.ts';

type ConnectionRecord = {
  /** What became of its emails. */
  emails: { accepted: number; refused: number };
  /** The client has sent bytes. */
  heard: () => void;
  command(line: Buffer): void;
  /** A reply that no handler gave. */
  refused(reply: SmtpReply): void;
  /** The first of these replies says why the connection ended. */
  endedBy(reply: SmtpReply): void;
  quit(): void;
  /** @param version of TLS, such as `TLSv1.3` */
  secured: (version: string | null) => void;
  end(isInData: boolean): EndedConnection;
};

export function createConnectionRecord(
  connection: LibraryConnection,
  session: SMTPServerSession,
  offersTls: boolean,
): ConnectionRecord {
  const openedAt = performance.now();
  const emails = { accepted: 0, refused: 0 };
  const errors = new Map<string, number>();
  let endedBy: string | undefined;
  let error: EndedConnection['error'];
  let version: string | null = null;
  let heloDomain = '';
  let hasSpoken = false;
  let commands = 0;
  let after: string | undefined;
  onSocketError(connection, (failure) => (error ??= failure));

  const noteName = () => (heloDomain = session.hostNameAppearsAs || heloDomain);
  const tlsState = (): TlsState => {
    if (isUpgrading(connection)) return 'failed';
    return (version as TlsState | null) ?? (offersTls ? 'none' : 'not_offered');
  };

  return {
    emails,
    heard: () => (hasSpoken = true),
    command: (line) => {
      noteName(); // STARTTLS forgets it
      commands += 1;
      after = shownCommand(commandOf(line));
    },
    refused: (reply) => {
      if (reply.code === 421) endedBy ??= reply.name;
      else if (reply === messageTooBig) emails.refused += 1;
      else errors.set(reply.name, (errors.get(reply.name) ?? 0) + 1);
    },
    endedBy: ({ name }) => (endedBy ??= name),
    quit: () => (endedBy ??= QUIT),
    secured: (tls) => (version = tls),
    end: (isInData) => ({
      ...emails,
      endedBy,
      isInHandshake: isUpgrading(connection),
      isInData,
      isInMail: Boolean(session.envelope?.mailFrom),
      hasSpoken,
      errors,
      remoteIp: peerAddress(connection),
      heloDomain: noteName(),
      tls: tlsState(),
      cipher: version && session.tlsOptions ? session.tlsOptions.standardName : undefined,
      commands,
      after,
      error,
      ms: Math.round(performance.now() - openedAt),
    }),
  };
}

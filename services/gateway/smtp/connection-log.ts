/**
 * One record for each connection, at its end (D296): counted always, logged if it ended badly. A
 * flood is a few lines a minute for each reason and network, and their sum.
 */
import { createInterruptionLog } from '../../adapters/process/interruption-log.ts';
import type { Log } from '../../adapters/process/log.ts';
import { sourceNetwork } from '../../core/network/network.ts';
import { type ConnectionFacts, endOf } from '../../core/smtp/connection-end.ts';
import type { SmtpReply } from '../../core/smtp/smtp-reply.ts';
import type { GatewayMetrics } from '../process/metrics.ts';

export type EndedConnection = ConnectionFacts & {
  /** The address of the client, also behind a proxy. */
  remoteIp: string;
  /** As the client named itself; empty if it did not. */
  heloDomain: string;
  /** The version, or why there is none. */
  tls: TlsState;
  /** Undefined without TLS. */
  cipher: string | undefined;
  commands: number;
  /** The last command; undefined without one. */
  after: string | undefined;
  /** The first error of the socket; undefined when there was none. */
  error: (Error & { code?: string; reason?: string }) | undefined;
  ms: number;
};

/** `none`: the client did not ask for it. */
export type TlsState = `TLSv1${string}` | 'none' | 'not_offered' | 'failed';

export type ConnectionLog = Disposable & {
  ended(connection: EndedConnection): void;
  /** Before it had a session. @param cause more than the reply says */
  refused(remoteIp: string, reply: SmtpReply, cause?: string): void;
};

const LINES = 10;
const QUIET_MS = 60_000;

export function createConnectionLog(
  metrics: Pick<GatewayMetrics, 'connectionEnded'>,
  log: Log,
): ConnectionLog {
  const lines = createInterruptionLog(log, { inFull: LINES, quietMs: QUIET_MS });
  const write = (fields: { reason: string; remote_ip: string }, errors: readonly string[] = []) => {
    const kind = [fields.reason, ...errors.slice(0, 1), sourceNetwork(fields.remote_ip)].join(' ');
    lines.report('info', 'connection.ended', fields, kind);
  };
  return {
    ended: (connection) => {
      const { reason, isBad } = endOf(connection);
      const { remoteIp, heloDomain, tls, cipher, commands, after, ms } = connection;
      const { accepted, refused, errors } = connection;
      metrics.connectionEnded(reason, tls);
      if (!isBad) return;
      const fields = {
        reason,
        cause: causeOf(reason, connection),
        remote_ip: remoteIp,
        ...(heloDomain !== '' && { helo_domain: heloDomain }),
        tls,
        cipher,
        commands,
        after,
        accepted,
        refused,
        ...(errors.size > 0 && { errors: Object.fromEntries(errors) }),
        ms,
      };
      write(fields, [...errors.keys()]);
    },
    refused: (remoteIp, { name: reason }, cause) => {
      metrics.connectionEnded(reason, 'none');
      write({ reason, remote_ip: remoteIp, ...(cause !== undefined && { cause }) });
    },
    [Symbol.dispose]: () => lines[Symbol.dispose](),
  };
}

/** OpenSSL says in `reason` what its message hides among names of functions. */
function causeOf(reason: string, { endedBy, error }: EndedConnection): string | undefined {
  const ofSocket = error?.reason ?? error?.code ?? error?.message;
  if (ofSocket !== undefined) return ofSocket;
  if (reason !== 'tls_failed') return undefined;
  return endedBy ?? 'the client closed the connection';
}

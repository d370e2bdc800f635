/**
 * Structured logs: one JSON line per event on standard output. Event names are past-tense facts
 * (`mail.accepted`). Logs never contain mail content, tokens or secrets.
 */
import { pino } from 'pino';

type Fields = Record<string, unknown>;

/** Logs an event by name, with fields. An `error` field is logged with its chain of causes. */
export type Log = {
  debug(event: string, fields?: Fields): void;
  info(event: string, fields?: Fields): void;
  warn(event: string, fields?: Fields): void;
  error(event: string, fields?: Fields): void;
  /** Returns a log that adds these fields to every line. */
  child(fields: Fields): Log;
};

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Where log lines are written. */
type LogOutput = pino.DestinationStream & { flushSync(): void };

const BUFFER_BYTES = 12 * 1024; // pino writes at most 16 KiB at a time
const FLUSH_MS = 100;

/**
 * Standard output, written in blocks: one write per email would cost 5 % of a gateway's CPU. A line
 * waits a tenth of a second at most; without lines, nothing wakes the process, unlike with pino's
 * own `periodicFlush`. Flush it before the process ends.
 */
export function bufferedOutput(): LogOutput {
  const output = pino.destination({ dest: 1, sync: false, minLength: BUFFER_BYTES });
  let isDue = false;
  const flush = () => {
    isDue = false;
    output.flush();
  };
  return {
    write: (line) => {
      output.write(line);
      if (isDue) return;
      isDue = true;
      setTimeout(flush, FLUSH_MS).unref();
    },
    flushSync: () => output.flushSync(),
  };
}

export function createLog(
  level: LogLevel,
  base: Fields = {},
  output: pino.DestinationStream = pino.destination(1),
): Log {
  const settings: pino.LoggerOptions = {
    level,
    base,
    messageKey: 'event',
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { error: causeChain },
  };
  return wrap(pino(settings, output));
}

/**
 * `record delivery: connect ECONNREFUSED 127.0.0.1:27017`: the operation first, then each cause.
 */
export function causeChain(error: unknown): string {
  const seen = new Set<unknown>();
  const parts: string[] = [];
  for (
    let next: unknown = error;
    next !== undefined && next !== null && !seen.has(next);
    next = next instanceof Error ? next.cause : undefined
  ) {
    seen.add(next);
    parts.push(
      next instanceof Error
        ? next.message || ('code' in next ? String(next.code) : next.name)
        : String(next),
    );
  }
  return parts.join(': ');
}

function wrap(sink: pino.Logger): Log {
  return {
    debug: (event, fields = {}) => sink.debug(fields, event),
    info: (event, fields = {}) => sink.info(fields, event),
    warn: (event, fields = {}) => sink.warn(fields, event),
    error: (event, fields = {}) => sink.error(fields, event),
    child: (fields) => wrap(sink.child(fields)),
  };
}

/**
 * Logs an interruption once, with a count. Without its leader, a stream fails every email of a
 * second for the same reason. The first failure, or the first few, are logged in full. Then one line
 * a minute, and one at the end, say how many followed.
 */
import type { Log } from './log.ts';

type Level = 'info' | 'warn' | 'error';
type Fields = Record<string, unknown>;

type InterruptionLog = Disposable & {
  /**
   * Returns whether it was logged. Otherwise it was counted.
   * @param kind what belongs to one interruption: by default, errors of the same class and code
   */
  report(level: Level, event: string, fields: Fields, kind?: string): boolean;
};

type Interruption = {
  level: Level;
  event: string;
  latest: Fields;
  loggedInFull: number;
  /** Failures since the last line. */
  repeated: number;
  startedAt: number;
  loggedAt: number;
  failedAt: number;
};

type Options = {
  /** An interruption has ended when nothing failed for this time. */
  quietMs?: number;
  /** Time between two lines of one interruption. */
  everyMs?: number;
  /** So many failures of an interruption are logged in full. */
  inFull?: number;
  now?: () => number;
};

const CHECK_MS = 1_000;
/** Above it, all others of an event are one interruption: anybody may cause as many as they like. */
const MAX_OPEN = 1_000;

export function createInterruptionLog(
  log: Log,
  { quietMs = 5_000, everyMs = 60_000, inFull = 1, now = () => performance.now() }: Options = {},
): InterruptionLog {
  const open = new Map<string, Interruption>();
  let timer: NodeJS.Timeout | undefined;

  const summarize = (one: Interruption): void => {
    if (one.repeated === 0) return;
    const seconds = Math.round((one.failedAt - one.startedAt) / 1000);
    log[one.level](one.event, { ...one.latest, repeated: one.repeated, seconds });
    one.repeated = 0;
    one.loggedAt = now();
  };

  const check = (): void => {
    for (const [key, one] of open) {
      const hasEnded = now() - one.failedAt >= quietMs;
      if (hasEnded || now() - one.loggedAt >= everyMs) summarize(one);
      if (hasEnded) open.delete(key);
    }
    if (open.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    report: (level, event, fields, kind = kindOf(fields.error)) => {
      const own = `${event} ${kind}`;
      const key = open.has(own) || open.size < MAX_OPEN ? own : event;
      const at = now();
      const times = { startedAt: at, loggedAt: at, failedAt: at };
      const known = open.get(key) ?? { level, event, loggedInFull: 0, repeated: 0, ...times };
      open.set(key, Object.assign(known, { latest: fields, failedAt: at }));
      if (known.loggedInFull === inFull) {
        known.repeated += 1;
        return false;
      }
      known.loggedInFull += 1;
      known.loggedAt = at;
      timer ??= setInterval(check, CHECK_MS).unref();
      log[level](event, fields);
      return true;
    },
    [Symbol.dispose]: () => {
      clearInterval(timer);
      for (const one of open.values()) summarize(one);
      open.clear();
    },
  };
}

/** Class and code of the first cause. Messages differ for each email: they contain its subject. */
function kindOf(error: unknown): string {
  let root = error;
  for (let depth = 0; depth < 10 && root instanceof Error && root.cause !== undefined; depth++)
    root = root.cause;
  if (!(root instanceof Error)) return 'unknown';
  return 'code' in root ? `${root.name} ${String(root.code)}` : root.name;
}

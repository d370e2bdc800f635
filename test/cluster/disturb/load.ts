/** Sends as many emails as the installation accepts during a disturbance, and counts what became of them. */
import { until } from '../../support/until.ts';
import type { Namespace } from '../kubectl.ts';
import { ask, type ReceiverState, type SenderState } from '../release.ts';

export type Row = {
  what: string;
  tookSeconds: number;
  accepted: number;
  perSecond: number;
  deferred: number;
  refused: number;
  broken: number;
  /** Accepted, but no webhook within eight minutes. */
  lost: number;
  /** Webhooks that came more than once. */
  doubled: number;
  longestWaitMs: number;
  longestGapMs: number;
};

const BEFORE_MS = 5_000;
const AFTER_MS = 5_000;
/** The first three retries come after 1 s, 1 min and 5 min (RETRY_SCHEDULE). */
const ARRIVE_WITHIN_MS = 480_000;

/** @throws when an email got a 5xx */
export async function disturbed(
  namespace: Namespace,
  workers: number,
  what: string,
  work: () => Promise<unknown>,
): Promise<Row> {
  const seenBefore = await subjectsOf(namespace);
  const startedMs = Date.now();
  await ask(namespace, 'sender', `start?workers=${workers}`);
  await pause(BEFORE_MS);
  const disturbedMs = Date.now();
  await work();
  const tookSeconds = (Date.now() - disturbedMs) / 1000;
  await pause(AFTER_MS);
  await ask(namespace, 'sender', 'stop');
  const sentSeconds = (Date.now() - startedMs) / 1000;
  const sent = await until(
    'the senders to stop',
    async () => {
      const state = await ask<SenderState>(namespace, 'sender', 'state');
      return state.workers === 0 ? state : undefined;
    },
    60_000,
  );
  if (sent.rejected.length > 0) throw new Error(`${what}: ${sent.rejected[0]}`);
  const missing = async () => {
    const subjects = await subjectsOf(namespace);
    return sent.accepted.filter((subject) => !(subject in subjects)).length;
  };
  await until(
    'every email with a 250 to arrive',
    async () => (await missing()) === 0,
    ARRIVE_WITHIN_MS,
  ).catch(() => undefined); // they are lost: the row says so
  const subjects = await subjectsOf(namespace);
  return {
    what,
    tookSeconds,
    accepted: sent.accepted.length,
    perSecond: sent.accepted.length / sentSeconds,
    deferred: sent.deferred,
    refused: sent.refusedConnections,
    broken: sent.brokenConnections,
    lost: await missing(),
    doubled: Object.entries(subjects).filter(
      ([subject, times]) => times > 1 && !(subject in seenBefore),
    ).length,
    longestWaitMs: sent.longestWaitMs,
    longestGapMs: sent.longestGapMs,
  };
}

const subjectsOf = async (namespace: Namespace) =>
  (await ask<ReceiverState>(namespace, 'receiver', 'state')).subjects;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const COLUMNS =
  'disturbance|took|accepted|per second|deferred|refused|broken|lost|doubled|longest wait|longest gap'.split(
    '|',
  );

export const tableOf = (rows: readonly Row[]): string =>
  [
    `| ${COLUMNS.join(' | ')} |`,
    `| ${COLUMNS.map(() => '---').join(' | ')} |`,
    ...rows.map(
      (row) =>
        `| ${row.what} | ${row.tookSeconds.toFixed(0)} s | ${row.accepted} | ${row.perSecond.toFixed(0)} | ` +
        `${row.deferred} | ${row.refused} | ${row.broken} | ${row.lost} | ${row.doubled} | ` +
        `${seconds(row.longestWaitMs)} | ${seconds(row.longestGapMs)} |`,
    ),
  ].join('\n');

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

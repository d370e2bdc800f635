/** One run: sends emails to a system up to a number or time, then waits until all are delivered. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { Bed, System } from './bed.ts';
import type { LoadRequest, LoadResult } from './load-process.ts';
import type { MailKind } from './mails.ts';
import { machineBusySeconds, resetPeak, type Usage, usageOf } from './process-usage.ts';
import type { Receipts } from './receiver-process.ts';
import { percentile, sum } from './statistics.ts';

export type Workload = {
  kind: MailKind;
  connections: number;
  mails: number;
  seconds: number;
  perSecond?: number | undefined;
};

/** NaN for a figure that is not available. */
export type Run = {
  seconds: number;
  accepted: number;
  acceptedPerSecond: number;
  deliveredPerSecond: number;
  /** From the end of DATA to the webhook. */
  latencyMs: { p50: number; p95: number; p99: number };
  /** From the end of DATA to the 250. */
  acceptMs: { p50: number; p99: number };
  lost: number;
  duplicated: number;
  /** Duplicates with another event_id. There must be none. */
  duplicatedAsOther: number;
  refusals: Record<string, number>;
  /** Connections to the receiver, so handshakes that keep-alive did not save. */
  openedConnections: number;
  /** CPU seconds per 1,000 emails, by process and in total. */
  cpuPerThousand: Record<string, number>;
  systemCpuPerThousand: number;
  peakMb: Record<string, number>;
  /** Share of the machine that other programs used during the run. */
  othersShare: number;
};

const NO_PROGRESS_MS = 15_000;
const POLL_MS = 25;
/** The work after a webhook (record, acknowledgement) counts for the email, too. */
const SETTLE_MS = 300;
let nextId = 1;

/** Reserves send ids; returns the first. */
export function takeSendIds(count: number): number {
  nextId += count;
  return nextId - count;
}

/**
 * Sends emails that do not count, to open connections, fill caches and compile code; for five seconds
 * at most.
 * @returns how many were accepted
 */
export async function warmUp(
  bed: Bed,
  system: System,
  { kind, connections }: Workload,
  mails: number,
): Promise<number> {
  const { request, result } = await sendMails(bed, system, {
    kind,
    connections,
    mails,
    seconds: 5,
  });
  const { receivedMs } = await receiptsOf(bed, request, result);
  if (!result.acceptedMs.some(isTaken))
    throw new Error(`${system.title} accepts no mail: ${Object.keys(result.refusals).join('; ')}`);
  if (!receivedMs.some(isTaken)) throw new Error(`${system.title} delivers no mail`);
  return result.acceptedMs.filter(isTaken).length;
}

export async function measure(bed: Bed, system: System, workload: Workload): Promise<Run> {
  const pids = { ...system.processes, ...bed.instruments };
  for (const pid of Object.values(pids)) resetPeak(pid);
  const before = snapshot(pids);
  const { request, result } = await sendMails(bed, system, workload);
  const receipts = await receiptsOf(bed, request, result);
  await sleep(SETTLE_MS);
  const after = snapshot(pids);

  const { startedAtMs, endOfDataMs, acceptedMs, refusals } = result;
  const acceptedAll = acceptedMs.filter(isTaken);
  const { receivedMs } = receipts;
  const ended = receivedMs.filter(isTaken);
  const delays = receivedMs
    .map((atMs, index) => atMs - (endOfDataMs[index] ?? NaN))
    .filter(isTaken);
  const acceptDelays = acceptedMs
    .map((atMs, index) => atMs - (endOfDataMs[index] ?? NaN))
    .filter(isTaken);
  const seconds = (last(ended) - startedAtMs) / 1000;
  const accepted = acceptedAll.length;
  const used = (name: string) =>
    (after.usages[name]?.cpuSeconds ?? NaN) - (before.usages[name]?.cpuSeconds ?? NaN) || 0;
  const perThousand = (cpuSeconds: number) => (cpuSeconds * 1000) / accepted;
  const isCounted = Object.values(after.usages).every((usage) => usage !== undefined);
  const ownCpuSeconds =
    sum(Object.keys(pids).map(used)) + (after.benchCpuSeconds - before.benchCpuSeconds);
  return {
    seconds,
    accepted,
    acceptedPerSecond: accepted / ((last(acceptedAll) - startedAtMs) / 1000),
    deliveredPerSecond: ended.length / seconds,
    latencyMs: {
      p50: percentile(delays, 0.5),
      p95: percentile(delays, 0.95),
      p99: percentile(delays, 0.99),
    },
    acceptMs: { p50: percentile(acceptDelays, 0.5), p99: percentile(acceptDelays, 0.99) },
    lost: acceptedMs.filter((atMs, index) => isTaken(atMs) && !isTaken(receivedMs[index] ?? NaN))
      .length,
    duplicated: receipts.duplicated,
    duplicatedAsOther: receipts.duplicatedAsOther,
    refusals,
    openedConnections: receipts.openedConnections,
    cpuPerThousand: Object.fromEntries(
      Object.keys(pids).map((name) => [name, isCounted ? perThousand(used(name)) : NaN]),
    ),
    systemCpuPerThousand: isCounted
      ? perThousand(sum(Object.keys(system.processes).map(used)))
      : NaN,
    peakMb: Object.fromEntries(
      Object.keys(pids).map((name) => [name, (after.usages[name]?.peakBytes ?? NaN) / 1e6]),
    ),
    othersShare:
      (after.machineSeconds - before.machineSeconds - ownCpuSeconds) /
      ((after.atMs - before.atMs) / 1000) /
      navigator.hardwareConcurrency,
  };
}

async function sendMails(
  bed: Bed,
  { port, ports = [port], recipients }: System,
  workload: Workload,
): Promise<{ request: LoadRequest; result: LoadResult }> {
  const request = { ...workload, ports, recipients, firstId: takeSendIds(workload.mails) };
  return { request, result: await bed.load(request) };
}

/** Waits until every accepted email has arrived, or no more arrive. */
async function receiptsOf(
  { receiver }: Bed,
  { firstId, mails }: LoadRequest,
  { acceptedMs }: LoadResult,
): Promise<Receipts> {
  const expected = acceptedMs.filter(isTaken).length;
  let [found, foundAtMs] = [-1, Date.now()];
  while (found < expected && Date.now() - foundAtMs < NO_PROGRESS_MS) {
    const now = await receiver.ask<number>({ kind: 'count', firstId, mails });
    if (now > found) [found, foundAtMs] = [now, Date.now()];
    if (found < expected) await sleep(POLL_MS);
  }
  return receiver.ask<Receipts>({ kind: 'collect', firstId, mails });
}

type Snapshot = {
  atMs: number;
  usages: Record<string, Usage | undefined>;
  machineSeconds: number;
  benchCpuSeconds: number;
};

function snapshot(pids: Readonly<Record<string, number>>): Snapshot {
  const { user, system } = process.cpuUsage();
  return {
    atMs: performance.now(),
    usages: Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, usageOf(pid)])),
    machineSeconds: machineBusySeconds() ?? NaN,
    benchCpuSeconds: (user + system) / 1e6,
  };
}

const isTaken = (value: number) => !Number.isNaN(value);
const last = (times: Float64Array) =>
  times.reduce((latest, time) => Math.max(latest, time), -Infinity);

/** Emails at a steady rate to some addresses of Inlet, and the delays of those to its own receiver. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { Bed, System } from './bed.ts';
import { takeSendIds } from './measure.ts';
import { machineBusySeconds } from './process-usage.ts';
import type { Receipts } from './receiver-process.ts';
import { median, percentile, sum } from './statistics.ts';
import { figure, table } from './table.ts';

export const CONNECTIONS = 50;
const LAST_MAILS_MS = 3_000;

export type Paced = { delays: number[]; lost: number; refused: number; busyShare: number };

/** @param whose emails the rows are about */
export const pacedTable = (whose: string, rows: readonly (readonly string[])[]): string =>
  table(
    [whose, 'emails', 'p50 ms', 'p95 ms', 'p99 ms', 'each round', 'lost', 'machine busy %'],
    rows,
  );

/** A row of that table: number of emails, percentiles, p99 of each round, losses, load. */
export function row(title: string, rounds: readonly Paced[]): string[] {
  const all = rounds.flatMap(({ delays }) => delays);
  const figures = [0.5, 0.95, 0.99].map((share) => figure(percentile(all, share)));
  const each = rounds.map(({ delays }) => figure(percentile(delays, 0.99))).join(' ');
  return [
    title,
    String(all.length),
    ...figures,
    each,
    String(sum(rounds.map(({ lost }) => lost))),
    figure(100 * median(rounds.map(({ busyShare }) => busyShare))),
  ];
}

export const p99 = (rounds: readonly Paced[]): number =>
  percentile(
    rounds.flatMap(({ delays }) => delays),
    0.99,
  );

/**
 * From the end of DATA to the webhook, at a steady rate, for emails to the system's own addresses.
 */
export async function paced(
  bed: Bed,
  system: System,
  {
    recipients,
    mails,
    perSecond,
  }: {
    recipients: readonly string[];
    mails: number;
    perSecond: number;
  },
): Promise<Paced> {
  const firstId = takeSendIds(mails);
  const [busyBefore, startedMs] = [machineBusySeconds() ?? NaN, Date.now()];
  const { endOfDataMs, acceptedMs } = await bed.load({
    ports: [system.port],
    kind: '2k',
    recipients,
    connections: CONNECTIONS,
    mails,
    seconds: (2 * mails) / perSecond,
    perSecond,
    firstId,
  });
  const busyShare =
    ((machineBusySeconds() ?? NaN) - busyBefore) /
    ((Date.now() - startedMs) / 1000) /
    navigator.hardwareConcurrency;
  await sleep(LAST_MAILS_MS);
  const isOwn = (index: number) =>
    system.recipients.includes(recipients[index % recipients.length] ?? '');
  const delays: number[] = [];
  let lost = 0;
  const { receivedMs } = await bed.receiver.ask<Receipts>({ kind: 'collect', firstId, mails });
  for (let index = 0; index < mails; index++) {
    if (Number.isNaN(acceptedMs[index]) || !isOwn(index)) continue;
    if (Number.isNaN(receivedMs[index])) lost++;
    else delays.push((receivedMs[index] ?? NaN) - (endOfDataMs[index] ?? NaN));
  }
  const refused = acceptedMs.filter((at) => Number.isNaN(at)).length;
  return { delays, lost, refused, busyShare };
}

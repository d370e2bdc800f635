/**
 * Isolation: the latency of all other addresses while one address, whose receiver hangs, gets half
 * of all mail.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { ensureTls } from '../../../services/standalone/keys.ts';
import type { Bed, System } from '../bed.ts';
import type { HangingRequest } from '../hanging-receiver-process.ts';
import { startHelper } from '../helper-process.ts';
import { lookInside } from '../inlet-inside.ts';
import { takeSendIds, warmUp } from '../measure.ts';
import { machineBusySeconds, resetPeak, usageOf } from '../process-usage.ts';
import type { Receipts } from '../receiver-process.ts';
import type { Scenario } from '../scenario.ts';
import { median, percentile, sum } from '../statistics.ts';
import { figure, table } from '../table.ts';

const CONNECTIONS = 50;
const WARM_UP_MAILS = 1_500;
const ROUNDS = 3; // alternating, so that noise affects both
const LAST_MAILS_MS = 3_000;
const RATIO_GOAL = 1.5;
const REDELIVERIES_GOAL = 3;

export const isolation: Scenario = {
  name: 'isolation',
  purpose: 'latency of all other addresses while a receiver that hangs gets half of all mail',
  run: async (bed, { rate, 'paced-mails': mails }, report) => {
    const system = bed.systems.find(({ name }) => name === 'inlet');
    if (!system) return { text: 'Inlet is not among the systems', figures: null };
    await using inside = await lookInside(bed);
    await using receiver = startHelper<HangingRequest>(
      new URL('../hanging-receiver-process.ts', import.meta.url),
    );
    const port = await receiver.ask<number>({ kind: 'start', ...(await ensureTls(bed.dataDir)) });
    const dispatcherPid = system.processes.dispatcher ?? 0;
    const [alone, beside]: [Paced[], Paced[]] = [[], []];
    const peaksMb: { alone: number[]; beside: number[] } = { alone: [], beside: [] };
    const lane = { sent: 0, deliveries: 0, turns: 0 };
    await warmUp(
      bed,
      system,
      { kind: '2k', connections: CONNECTIONS, mails: 0, seconds: 0 },
      WARM_UP_MAILS,
    );

    for (let round = 1; round <= ROUNDS; round++) {
      report(
        `isolation, round ${round} of ${ROUNDS}: the others alone at ${rate / 2}/s, ` +
          `then half of ${rate}/s to a receiver that hangs`,
      );
      resetPeak(dispatcherPid);
      alone.push(
        await paced(bed, system, {
          recipients: system.recipients,
          mails: Math.round(mails / 2 / ROUNDS),
          perSecond: rate / 2,
        }),
      );
      peaksMb.alone.push(peakMb(dispatcherPid));
      // a new address, without measured latency
      const [bad] = await bed.addAddresses([`https://localhost:${port}/`]);
      if (!bad) throw new Error('no address');
      const [laneBefore, turnsBefore] = [
        await inside.retryLane(),
        await inside.metric('dispatcher', 'inlet_mail_delayed_total'),
      ];
      resetPeak(dispatcherPid);
      const recipients = system.recipients.flatMap((recipient) => [recipient, bad.address]);
      beside.push(
        await paced(bed, system, {
          recipients,
          mails: Math.round(mails / ROUNDS),
          perSecond: rate,
        }),
      );
      peaksMb.beside.push(peakMb(dispatcherPid));
      const laneAfter = await inside.retryLane();
      lane.sent += laneAfter.published - laneBefore.published;
      lane.deliveries += laneAfter.deliveries - laneBefore.deliveries;
      lane.turns += (await inside.metric('dispatcher', 'inlet_mail_delayed_total')) - turnsBefore;
      await inside.purgeRetries(bad.id);
    }
    const attempts = await receiver.ask<number>({ kind: 'count' });

    const [aloneP99, besideP99] = [
      percentile(
        alone.flatMap(({ delays }) => delays),
        0.99,
      ),
      percentile(
        beside.flatMap(({ delays }) => delays),
        0.99,
      ),
    ];
    const ratio = besideP99 / aloneP99;
    const redeliveries = lane.deliveries / lane.sent;
    const figures = { mails, rate, alone, beside, ratio, lane, attempts, peaksMb };
    const text = [
      table(
        [
          'the other addresses',
          'emails',
          'p50 ms',
          'p95 ms',
          'p99 ms',
          'each round',
          'lost',
          'machine busy %',
        ],
        [row('alone', alone), row('with the hanging receiver', beside)],
      ),
      `p99 with the hanging receiver ÷ alone: ${figure(ratio)} ` +
        `(goal: at most ${RATIO_GOAL}: ${ratio <= RATIO_GOAL ? 'reached' : 'missed'})`,
      `retry lane: ${figure(redeliveries)} deliveries to a dispatcher per email, ${lane.sent} emails ` +
        `(goal: at most ${REDELIVERIES_GOAL}: ` +
        `${redeliveries <= REDELIVERIES_GOAL ? 'reached' : 'missed'}); ` +
        `delayed: ${lane.turns}; attempts at the receiver: ${attempts}`,
      `peak memory of the dispatcher: ${figure(Math.max(...peaksMb.alone))} MB alone, ` +
        `${figure(Math.max(...peaksMb.beside))} MB with the hanging receiver`,
    ].join('\n');
    return { text, figures };
  },
};

const peakMb = (pid: number) => (usageOf(pid)?.peakBytes ?? NaN) / 1e6;

function row(title: string, rounds: readonly Paced[]): string[] {
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

type Paced = { delays: number[]; lost: number; refused: number; busyShare: number };

/**
 * From the end of DATA to the webhook, at a steady rate, for emails to the system's own addresses.
 */
async function paced(
  bed: Bed,
  system: System,
  {
    recipients,
    mails,
    perSecond,
  }: { recipients: readonly string[]; mails: number; perSecond: number },
): Promise<Paced> {
  const firstId = takeSendIds(mails);
  const [busyBefore, startedMs] = [machineBusySeconds() ?? NaN, Date.now()];
  const { endOfDataMs, acceptedMs } = await bed.load({
    port: system.port,
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
  const { receivedMs } = await bed.receiver.ask<Receipts>({ kind: 'collect', firstId, mails });
  const isOwn = (index: number) =>
    system.recipients.includes(recipients[index % recipients.length] ?? '');
  const delays: number[] = [];
  let [lost, refused] = [0, 0];
  for (let index = 0; index < mails; index++) {
    if (Number.isNaN(acceptedMs[index])) refused++;
    else if (isOwn(index) && Number.isNaN(receivedMs[index])) lost++;
    else if (isOwn(index)) delays.push((receivedMs[index] ?? NaN) - (endOfDataMs[index] ?? NaN));
  }
  return { delays, lost, refused, busyShare };
}

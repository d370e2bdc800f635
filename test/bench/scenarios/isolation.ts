/**
 * Isolation: the latency of all other addresses while one address, whose receiver hangs, gets half
 * of all mail, and then while an account gets a burst (bursts.ts).
 */
import { ensureTls } from '../../../services/standalone/keys.ts';
import type { HangingRequest } from '../hanging-receiver-process.ts';
import { startHelper } from '../helper-process.ts';
import { lookInside } from '../inlet-inside.ts';
import { warmUp } from '../measure.ts';
import { CONNECTIONS, p99, type Paced, paced, pacedTable, row } from '../paced.ts';
import { resetPeak, usageOf } from '../process-usage.ts';
import type { Scenario } from '../scenario.ts';
import { figure } from '../table.ts';
import { besideBursts } from './bursts.ts';

const WARM_UP_MAILS = 1_500;
const ROUNDS = 3; // alternating, so that noise affects both
const RATIO_GOAL = 1.5;
const REDELIVERIES_GOAL = 3;

export const isolation: Scenario = {
  name: 'isolation',
  purpose:
    'latency of all others while a receiver that hangs gets half of all mail, and beside bursts',
  run: async (bed, options, report) => {
    const { rate, 'paced-mails': mails } = options;
    const system = bed.systems.find(({ name }) => name === 'inlet');
    if (!system) return { text: 'Inlet is not among the systems', figures: null };
    await using inside = await lookInside(bed);
    await using receiver = startHelper<HangingRequest>(
      new URL('../hanging-receiver-process.ts', import.meta.url),
    );
    const port = await receiver.ask<number>({ kind: 'start', ...(await ensureTls(bed.dataDir)) });
    const dispatcherPid = system.processes.dispatcher ?? 0;
    const [alone, besideFast, beside]: [Paced[], Paced[], Paced[]] = [[], [], []];
    const peaksMb: { alone: number[]; beside: number[] } = { alone: [], beside: [] };
    const lane = { sent: 0, deliveries: 0, turns: 0 };
    const mixedWith = (address: string) =>
      paced(bed, system, {
        recipients: system.recipients.flatMap((recipient) => [recipient, address]),
        mails: Math.round(mails / ROUNDS),
        perSecond: rate,
      });
    await warmUp(
      bed,
      system,
      { kind: '2k', connections: CONNECTIONS, mails: 0, seconds: 0 },
      WARM_UP_MAILS,
    );

    for (let round = 1; round <= ROUNDS; round++) {
      report(
        `isolation, round ${round} of ${ROUNDS}: the others alone at ${rate / 2}/s, ` +
          `then half of ${rate}/s to a receiver that responds, then to one that hangs`,
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
      const [good] = await bed.addAddresses([`https://localhost:${port}/?afterMs=0`]);
      if (!good) throw new Error('no address');
      besideFast.push(await mixedWith(good.address));
      // a new address, without measured latency
      const [bad] = await bed.addAddresses([`https://localhost:${port}/`]);
      if (!bad) throw new Error('no address');
      const [laneBefore, turnsBefore] = [
        await inside.retryLane(),
        await inside.metric('dispatcher', 'inlet_mail_delayed_total'),
      ];
      resetPeak(dispatcherPid);
      beside.push(await mixedWith(bad.address));
      peaksMb.beside.push(peakMb(dispatcherPid));
      const laneAfter = await inside.retryLane();
      lane.sent += laneAfter.published - laneBefore.published;
      lane.deliveries += laneAfter.deliveries - laneBefore.deliveries;
      lane.turns += (await inside.metric('dispatcher', 'inlet_mail_delayed_total')) - turnsBefore;
      await inside.purgeRetries(bad.id);
    }
    const burst = await besideBursts(bed, system, inside, report);
    const attempts = await receiver.ask<number>({ kind: 'count' });

    const ratio = p99(beside) / p99(alone);
    const redeliveries = lane.deliveries / lane.sent;
    const figures = {
      mails,
      rate,
      alone,
      besideFast,
      beside,
      ratio,
      lane,
      attempts,
      peaksMb,
      bursts: burst.figures,
    };
    const text = [
      pacedTable('the other addresses', [
        row('alone', alone),
        row('with a fast receiver', besideFast),
        row('with the hanging receiver', beside),
      ]),
      `p99 with the fast receiver ÷ alone: ${figure(p99(besideFast) / p99(alone))}`,
      `p99 with the hanging receiver ÷ alone: ${figure(ratio)} ` +
        `(goal: at most ${RATIO_GOAL}: ${ratio <= RATIO_GOAL ? 'reached' : 'missed'})`,
      `retry lane: ${figure(redeliveries)} deliveries to a dispatcher per email, ${lane.sent} emails ` +
        `(goal: at most ${REDELIVERIES_GOAL}: ` +
        `${redeliveries <= REDELIVERIES_GOAL ? 'reached' : 'missed'}); ` +
        `delayed: ${lane.turns}; attempts at the receiver: ${attempts}`,
      `peak memory of the dispatcher: ${figure(Math.max(...peaksMb.alone))} MB alone, ` +
        `${figure(Math.max(...peaksMb.beside))} MB with the hanging receiver`,
      burst.text,
    ].join('\n');
    return { text, figures };
  },
};

const peakMb = (pid: number) => (usageOf(pid)?.peakBytes ?? NaN) / 1e6;

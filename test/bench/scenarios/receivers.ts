/**
 * Several receivers of one address: the delay at nine of them, alone, beside a tenth that responds,
 * and beside a tenth that hangs.
 */
import { ensureTls } from '../../../services/standalone/keys.ts';
import type { HangingRequest } from '../hanging-receiver-process.ts';
import { startHelper } from '../helper-process.ts';
import { lookInside } from '../inlet-inside.ts';
import { warmUp } from '../measure.ts';
import { CONNECTIONS, p99, type Paced, paced, row } from '../paced.ts';
import type { Scenario } from '../scenario.ts';
import { sum } from '../statistics.ts';
import { figure, table } from '../table.ts';

const WARM_UP_MAILS = 1_500;
const ROUNDS = 3; // alternating, so that noise affects both
const LIVE = 9;
const RATIO_GOAL = 1.5;

export const receivers: Scenario = {
  name: 'receivers',
  purpose: 'delay at nine receivers of one address while the tenth hangs',
  run: async (bed, { rate, 'paced-mails': mails }, report) => {
    const system = bed.systems.find(({ name }) => name === 'inlet');
    if (!system) return { text: 'Inlet is not among the systems', figures: null };
    await using inside = await lookInside(bed);
    await using hanging = startHelper<HangingRequest>(
      new URL('../hanging-receiver-process.ts', import.meta.url),
    );
    const port = await hanging.ask<number>({ kind: 'start', ...(await ensureTls(bed.dataDir)) });
    const paths = Array.from({ length: LIVE }, (_, i) => `/receiver-${i + 1}`);
    const urls = paths.map((path) => new URL(path, bed.receiverUrl).href);
    const load = { kind: '2k', connections: CONNECTIONS, mails: 0, seconds: 0 } as const;
    await warmUp(bed, system, load, WARM_UP_MAILS);

    const perRound = Math.round(mails / ROUNDS);
    /** @param own URL of the receiver that every address has */
    const measured = async (own: string, further: readonly string[], at: readonly string[]) => {
      const [made] = await bed.addAddresses([own]);
      if (!made) throw new Error('no address');
      await bed.addReceivers(made.id, further);
      const recipients = [made.address];
      const one = { ...system, recipients };
      return paced(bed, one, { recipients, mails: perRound, perSecond: rate, paths: at });
    };
    const [alone, besideFast, beside]: [Paced[], Paced[], Paced[]] = [[], [], []];
    for (let round = 1; round <= ROUNDS; round++) {
      report(`receivers, round ${round} of ${ROUNDS}: one alone at ${rate}/s, then ten`);
      alone.push(await measured(urls[0] ?? '', [], paths.slice(0, 1)));
      besideFast.push(await measured(`https://localhost:${port}/?afterMs=0`, urls, paths));
      beside.push(await measured(`https://localhost:${port}/`, urls, paths));
      await inside.purgeRetries('*');
    }
    const ratio = p99(beside) / p99(besideFast);
    const lost = sum([...alone, ...besideFast, ...beside].map((one) => one.lost));
    const isReached = ratio <= RATIO_GOAL && lost === 0;
    const text = [
      table(
        ['receivers', 'webhooks', 'p50 ms', 'p95 ms', 'p99 ms', 'each round', 'lost', 'busy %'],
        [
          row('one alone', alone),
          row('nine, and one that responds', besideFast),
          row('nine, and one that hangs', beside),
        ],
      ),
      `p99 of nine with one that responds ÷ one alone: ${figure(p99(besideFast) / p99(alone))} ` +
        `(ten times as many webhooks)`,
      `p99 of nine with one that hangs ÷ with one that responds: ${figure(ratio)} ` +
        `(goal: at most ${RATIO_GOAL}, none lost: ${isReached ? 'reached' : 'missed'})`,
    ].join('\n');
    return { text, figures: { mails, rate, alone, besideFast, beside, ratio, lost } };
  },
};

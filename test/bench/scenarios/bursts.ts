/**
 * Part of isolation: the latency of all other tenants while, and after, a tenant with 60 addresses
 * whose receivers hang gets 720 emails as fast as they are accepted.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

import { WebhookConfig } from '../../../services/platform/settings/webhooks.ts';
import { ensureTls } from '../../../services/standalone/keys.ts';
import type { Bed, System } from '../bed.ts';
import type { HangingRequest } from '../hanging-receiver-process.ts';
import { startHelper } from '../helper-process.ts';
import { type InletInside, lookInside } from '../inlet-inside.ts';
import { takeSendIds, warmUp } from '../measure.ts';
import { CONNECTIONS, p99, type Paced, paced, pacedTable, row } from '../paced.ts';
import type { LoadRequest, LoadResult } from '../load-process.ts';
import type { Scenario } from '../scenario.ts';
import { sum } from '../statistics.ts';
import { figure } from '../table.ts';
import { newTenant } from './slow-tenant.ts';

const ROUNDS = 3;
const ADDRESSES = 60;
const BURST_MAILS = 720;
const OTHERS = 20;
const OTHERS_PER_SECOND = 50;
const OTHERS_SECONDS = 6; // the burst, and what follows it
const WARM_UP_MAILS = 300;
const P99_GOAL_MS = 1_000;
const AFTER_TIMEOUT_MS = 3_000;

export const bursts: Scenario = {
  name: 'bursts',
  purpose: 'the part of isolation about a burst of 720 emails to 60 receivers that hang',
  run: async (bed, _options, report) => {
    const system = bed.systems.find(({ name }) => name === 'inlet');
    if (!system) return { text: 'Inlet is not among the systems', figures: null };
    await using inside = await lookInside(bed);
    const workload = { kind: '2k', connections: CONNECTIONS, mails: 0, seconds: 0 } as const;
    await warmUp(bed, system, workload, WARM_UP_MAILS);
    return await besideBursts(bed, system, inside, report);
  },
};

export async function besideBursts(
  bed: Bed,
  system: System,
  inside: InletInside,
  report: (line: string) => void,
): Promise<{ text: string; figures: unknown }> {
  await using receiver = startHelper<HangingRequest>(
    new URL('../hanging-receiver-process.ts', import.meta.url),
  );
  await using load = startHelper<LoadRequest>(new URL('../load-process.ts', import.meta.url));
  const port = await receiver.ask<number>({ kind: 'start', ...(await ensureTls(bed.dataDir)) });
  const { WEBHOOK_TIMEOUT: timeoutMs } = z.object(WebhookConfig).parse(process.env);
  /** To addresses that no process has in its cache. */
  const others = async (): Promise<Paced> => {
    const urls = Array.from({ length: OTHERS }, () => bed.receiverUrl);
    const recipients = (await bed.addAddresses(urls)).map(({ address }) => address);
    return paced(
      bed,
      { ...system, recipients },
      { recipients, mails: OTHERS_PER_SECOND * OTHERS_SECONDS, perSecond: OTHERS_PER_SECOND },
    );
  };
  const [alone, beside]: [Paced[], Paced[]] = [[], []];
  for (let round = 1; round <= ROUNDS; round++) {
    report(`bursts, round ${round} of ${ROUNDS}: the others at ${OTHERS_PER_SECOND}/s`);
    alone.push(await others());
    report(`${BURST_MAILS} emails in a burst to ${ADDRESSES} addresses that hang`);
    const tenant = await newTenant(inside, `burst-${round}`);
    const recipients = await tenant.addresses(
      Array.from({ length: ADDRESSES }, () => `https://localhost:${port}/`),
    );
    const burst = load.ask<LoadResult>({
      ports: [system.port],
      kind: '2k',
      recipients,
      connections: CONNECTIONS,
      mails: BURST_MAILS,
      seconds: 60,
      firstId: takeSendIds(BURST_MAILS),
    });
    beside.push(await others());
    await burst;
    await sleep(timeoutMs + AFTER_TIMEOUT_MS); // attempts in flight end and go to the RETRY lane
    await inside.purgeRetries('*', tenant.id);
  }

  const lost = sum(beside.map((round) => round.lost));
  const isReached = p99(beside) <= P99_GOAL_MS && lost === 0;
  const text = [
    pacedTable('all other tenants', [row('alone', alone), row('with bursts', beside)]),
    `slowest with bursts: ${figure(Math.max(...beside.flatMap(({ delays }) => delays)))} ms ` +
      `(goal: p99 at most ${P99_GOAL_MS} ms, none lost: ${isReached ? 'reached' : 'missed'})`,
  ].join('\n');
  return { text, figures: { alone, beside } };
}

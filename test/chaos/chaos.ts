/**
 * Chaos: emails are sent (load.ts) while NATS nodes, dispatchers (storm.ts) and receivers
 * (moods.ts) of a system (field.ts) fail. Afterwards, every accepted email must be delivered or
 * stored in FAILED, as its record says (audit.ts).
 */
import { type Audit, auditMail } from './audit.ts';
import { createChance } from './chance.ts';
import { type Place, startField } from './field.ts';
import { sendLoad } from './load.ts';
import { scriptMoods } from './moods.ts';
import { startStorm } from './storm.ts';

export type ChaosOptions = Place & {
  /** Duration of load and faults. The audit after them takes longer. */
  seconds: number;
  perSecond: number;
  seed: number;
};

export type ChaosResult = Audit & { text: string };

export async function runChaos(
  { seconds, perSecond, seed, ...place }: ChaosOptions,
  report: (line: string) => void,
): Promise<ChaosResult> {
  await using field = await startField(place);
  const chance = createChance(seed);
  scriptMoods(field.receiver, chance);
  const untilMs = Date.now() + seconds * 1000;
  const storm = startStorm(field, chance.fork('storm'), untilMs, report);
  const load = await sendLoad(field.mailer, field.addresses, chance.fork('load'), {
    perSecond,
    untilMs,
  });
  const fallen = await storm.over();
  report(`${load.accepted.length} emails accepted; everything is running again`);
  const audit = await auditMail(field, load);
  const failedStarts = field.dispatchers.reduce((sum, one) => sum + one.failedStarts(), 0);
  if (failedStarts > 0) audit.faults.push(`${failedStarts} starts of a dispatcher crashed`);
  const text = [
    `seed ${seed}, ${seconds} s: ${fallen.nodes} failures of NATS nodes, ${fallen.dispatchers} of dispatchers; ` +
      `longest recovery of the cluster ${fallen.longestRecoveryMs} ms`,
    `${load.accepted.length} emails accepted (after ${load.refusals} 4xx replies), ` +
      `${audit.delivered} delivered, ${audit.failed} in FAILED, ${audit.posts} POSTs in all`,
    `${audit.duplicates} repeated webhooks with the same event_id; ` +
      `all deliveries final ${audit.settledMs} ms after the faults`,
    `longest delay from the 250 to an accepted webhook: ${audit.longestDelayMs} ms, ` +
      `and ${audit.longestDelayOfGoodMs} ms for the receiver that always accepts`,
    ...audit.faults.map((fault) => `FAULT: ${fault}`),
  ].join('\n');
  return { ...audit, text };
}

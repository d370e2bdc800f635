/**
 * Chaos: mail flows while nodes, dispatchers and receivers fail (load.ts, storm.ts, moods.ts, on field.ts). Once all runs again, every accepted mail must be
 * delivered or lie in FAILED, and the records must say which (audit.ts).
 */
import { type Audit, auditMail } from './audit.ts';
import { createChance } from './chance.ts';
import { type Place, startField } from './field.ts';
import { sendLoad } from './load.ts';
import { scriptMoods } from './moods.ts';
import { startStorm } from './storm.ts';

export type ChaosOptions = Place & {
  /** Of load and storm; what follows takes as long as it takes. */
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
  report(`${load.accepted.length} mails accepted, all runs again`);
  const audit = await auditMail(field, load);
  const failedStarts = field.dispatchers.reduce((sum, one) => sum + one.failedStarts(), 0);
  if (failedStarts > 0)
    audit.faults.push(`${failedStarts} starts of a dispatcher ended in a crash`);
  const text = [
    `seed ${seed}, ${seconds} s: ${fallen.nodes} NATS nodes and ${fallen.dispatchers} dispatchers fell; the cluster was whole again ${fallen.longestRecoveryMs} ms after a start, at the longest`,
    `${load.accepted.length} mails accepted (${load.refusals} tries refused with a 4xx before), ${audit.delivered} delivered, ${audit.failed} in FAILED, ${audit.posts} POSTs in all`,
    `${audit.duplicates} duplicate successes under the same event_id; settled ${audit.settledMs} ms after the storm`,
    `longest delay from the 250 to the first success: ${audit.longestDelayMs} ms in all, ${audit.longestDelayOfGoodMs} ms to the receiver that is always good`,
    ...audit.faults.map((fault) => `FAULT: ${fault}`),
  ].join('\n');
  return { ...audit, text };
}

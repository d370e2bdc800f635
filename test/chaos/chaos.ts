/**
 * Chaos: emails are sent (load.ts) and erased (erasures.ts) while NATS nodes, dispatchers (storm.ts),
 * disks, MongoDB, clocks (calamities.ts) and receivers (moods.ts) of a system (field.ts) fail.
 * Afterwards, every accepted email must be delivered, erased or stored in FAILED, as its record says
 * (audit.ts).
 */
import { atMost } from '../support/slowdown.ts';
import { type Audit, auditMail } from './audit.ts';
import { createChance } from './chance.ts';
import { eraseAtRandom } from './erasures.ts';
import { type Place, startField } from './field.ts';
import { type Sent, sendLoad } from './load.ts';
import { scriptMoods } from './moods.ts';
import { type Outage, startStorm } from './storm.ts';

export type ChaosOptions = Place & {
  /** Duration of load and faults. The audit after them takes longer. */
  seconds: number;
  perSecond: number;
  seed: number;
};

/** A shorter run has no time for the end of what NATS lost. */
const EMPTIES_FROM_SECONDS = 300;
/** A dispatcher that starts for longer is a fault. */
const startWithinMs = () => atMost(10_000);

export type ChaosResult = Audit & { text: string };

export async function runChaos(
  { seconds, perSecond, seed, ...place }: ChaosOptions,
  report: (line: string) => void,
): Promise<ChaosResult> {
  await using field = await startField(place, report);
  const chance = createChance(seed);
  scriptMoods(field.receiver, chance);
  await using _consumer = field.startConsumer(chance.fork('consumer'));
  const untilMs = Date.now() + seconds * 1000;
  const storm = startStorm(
    field,
    chance.fork('storm'),
    untilMs,
    startWithinMs,
    report,
    seconds >= EMPTIES_FROM_SECONDS,
  );
  const loadChance = chance.fork('load');
  const [load, fallen, erasures] = await Promise.all([
    sendLoad(field.mailer, field.addresses, loadChance, { perSecond, untilMs }),
    storm.over, // a process that does not start ends the run
    eraseAtRandom(field, chance.fork('erasures'), untilMs),
  ]);
  report(`${load.accepted.length} emails accepted; everything is running again`);
  const audit = await auditMail(field, { load, erasures, emptiedAtMs: fallen.emptiedAtMs }, report);
  const failedStarts = field.dispatchers.reduce((sum, one) => sum + one.failedStarts(), 0);
  if (failedStarts > 0) audit.faults.push(`${failedStarts} starts of a dispatcher crashed`);
  if (fallen.lateStarts > 0)
    audit.faults.push(`${fallen.lateStarts} starts of a dispatcher were late`);
  const during = load.sent.filter(({ atMs }) => fallen.outages.some(isWithin(atMs)));
  const { delaysOfGood: slow } = audit;
  const text = [
    `seed ${seed}, ${seconds} s: ${fallen.outages.length} failures of NATS nodes, ` +
      `${fallen.dispatchers} of dispatchers; longest recovery of the cluster ` +
      `${fallen.longestRecoveryMs} ms; longest start of a dispatcher with all nodes up ` +
      `${fallen.longestStartMs} ms`,
    `${fallen.calamities.length} calamities (${fallen.calamities.join(', ')}), MongoDB hung ` +
      `${fallen.freezes} times, ${fallen.jumps} clocks jumped; ${erasures.length} emails erased` +
      (fallen.emptiedAtMs === undefined
        ? ''
        : `; of those accepted before NATS lost its data, ${audit.lost} ended as lost, and ` +
          `${audit.unrecorded} had no record yet`),
    `${load.accepted.length} emails accepted (after ${load.refusals} 4xx replies), ` +
      `${audit.delivered} delivered, ${audit.failed} in FAILED, ${audit.posts} POSTs in all`,
    `deferred with a 4xx: ${deferred(load.sent)}; ` +
      `of those sent while a node was down or the cluster recovered: ${deferred(during)}`,
    `${audit.duplicates} repeated webhooks with the same event_id; ` +
      `all deliveries final ${audit.settledMs} ms after the faults`,
    `longest delay from the 250 to an accepted webhook: ${audit.longestDelayMs} ms`,
    `for the receiver that always accepts: ${quantile(slow, 0.5)} ms median, ` +
      `${quantile(slow, 0.99)} ms for 99 %, ${quantile(slow, 1)} ms longest (${slow[0]?.eventId}); ` +
      `${audit.timeoutsOfGood} of its attempts timed out`,
    ...audit.faults.map((fault) => `FAULT: ${fault}`),
  ].join('\n');
  return { ...audit, text };
}

const isWithin =
  (atMs: number) =>
  ({ fromMs, untilMs }: Outage): boolean =>
    atMs >= fromMs && atMs <= untilMs;

function deferred(sent: readonly Sent[]): string {
  const count = sent.filter(({ wasDeferred }) => wasDeferred).length;
  return `${count} of ${sent.length} emails (${((count / Math.max(1, sent.length)) * 100).toFixed(1)} %)`;
}

/** @param delays the longest first */
const quantile = (delays: readonly { ms: number }[], share: number): number =>
  delays[Math.floor((delays.length - 1) * (1 - share))]?.ms ?? 0;

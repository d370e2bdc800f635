/** What `inlet admin bench` prints: a line for each step, and what was at its limit. */
import type { Limit, LimitName } from '../../core/bench/limit.ts';
import { refusedIn, type StepFacts } from '../../core/bench/step.ts';
import { printable } from '../terminal/text.ts';

export type StepResult = StepFacts & { limit: Limit };
export type BenchResult = { size: string; connections: number; steps: StepResult[] };

const COLUMNS: readonly [title: string, of: (step: StepFacts) => string][] = [
  ['asked/s', ({ askedPerSecond }) => figure(askedPerSecond)],
  ['accepted/s', ({ acceptedPerSecond }) => figure(acceptedPerSecond)],
  ['webhooks/s', ({ deliveredPerSecond }) => figure(deliveredPerSecond)],
  ['250 p50', ({ replyMs }) => figure(replyMs.p50)],
  ['p99 ms', ({ replyMs }) => figure(replyMs.p99)],
  ['webhook p50', ({ webhookMs }) => figure(webhookMs.p50)],
  ['p99 ms', ({ webhookMs }) => figure(webhookMs.p99)],
  ['refused', (step) => String(refusedIn(step))],
  ['missing', ({ missing }) => String(missing)],
  ['gateway CPU s', ({ gateway }) => figure(gateway?.cpuPerThousand)],
  ['dispatcher CPU s', ({ dispatcher }) => figure(dispatcher?.cpuPerThousand)],
  ['sender busy', ({ sender }) => `${Math.round(sender.busyShare * 100)} %`],
  ['node busy', ({ nodeBusyShare }) => `${Math.round(nodeBusyShare * 100)} %`],
];

export const headLine = (): string => `${COLUMNS.map(([title]) => title).join('  ')}\n`;

export const stepLine = (step: StepFacts): string =>
  `${COLUMNS.map(([title, of]) => of(step).padStart(title.length)).join('  ')}\n`;

/** What to read of the limit, in the order of docs/scaling.md. */
const ADVICE: Record<LimitName, string> = {
  none: 'ask for more',
  sender: 'the figures are of the sender, not of Inlet: see the load plan',
  node: 'the sender shares its node with what it measures: place it on another one, or add nodes',
  refusals: 'the reply says which limit',
  gateway: 'more gateways, or more CPU for them',
  nats: 'faster disks for NATS, then more partitions',
  dns: 'a DNS server that is nearer, with a cache',
  mongodb: 'a faster MongoDB, or one that is nearer',
  dispatcher: 'more dispatchers, or more CPU for them',
  slots: 'several accounts share more; for one, MAIL_SLOTS or more dispatchers',
  receiver: 'the network between dispatchers and the sender',
  unknown: 'let the sender read the metrics',
};

export function conclusion({ steps }: BenchResult): string {
  const last = steps.at(-1);
  if (last === undefined) return '';
  const reached = steps.findLast(({ limit }) => limit.name === 'none');
  const { name, because } = last.limit;
  const highest =
    reached === undefined
      ? 'no step reached its rate'
      : `highest rate that was reached: ${figure(reached.askedPerSecond)} emails a second`;
  return `\n${highest}\nlimit: ${name}: ${printable(because)}\n       ${ADVICE[name]}\n`;
}

/** Three digits are more than a run repeats. */
function figure(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return '-';
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(2)));
}

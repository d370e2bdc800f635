/** One step of `inlet admin bench`: emails at one rate, and what they cost. */
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

import { type Load, type LoadResult, sendAtRate } from '../../adapters/smtp/paced-load.ts';
import { percentilesOf, type StepFacts } from '../../core/bench/step.ts';
import { createDifference, type PodMetrics, readPodMetrics } from './pod-metrics.ts';

export type Component = 'gateway' | 'dispatcher';

export type Watched = {
  /** URL of the metrics; a component without one has no figures. */
  metrics: Partial<Record<Component, string>>;
  /** CPU limits of a pod. */
  cores: Partial<Record<Component, number>>;
};

type Step = Load &
  Watched & {
    /** When the receiver got each email, by its number in all steps. */
    receivedMs: Map<number, number>;
    /** That of the first email of this step. */
    firstIndex: number;
  };

const CPU = 'process_cpu_seconds_total';
const NO_PROGRESS_MS = 15_000;
const POLL_MS = 50;
/** What follows the webhook (record, acknowledgment) counts as well. */
const SETTLE_MS = 1_000;

export async function runStep({
  receivedMs,
  firstIndex,
  metrics,
  cores,
  ...load
}: Step): Promise<StepFacts> {
  receivedMs.clear();
  const before = await snapshot(metrics, load.signal);
  const sent = await sendAtRate(load);
  const sending = await snapshot(metrics, load.signal);
  await allReceived(sent, receivedMs, load.signal);
  await sleep(SETTLE_MS, undefined, { signal: load.signal });
  const after = await snapshot(metrics, load.signal);
  const received = (index: number) => receivedMs.get(firstIndex + index);
  return factsOf(load.perSecond, sent, received, { before, sending, after, cores });
}

/** Waits until every accepted email has arrived, or none arrives any more. */
async function allReceived(
  { acceptedMs }: LoadResult,
  receivedMs: ReadonlyMap<number, number>,
  signal: AbortSignal,
): Promise<void> {
  const expected = acceptedMs.filter((at) => at !== undefined).length;
  let [found, foundMs] = [receivedMs.size, performance.now()];
  while (receivedMs.size < expected && performance.now() - foundMs < NO_PROGRESS_MS) {
    await sleep(POLL_MS, undefined, { signal });
    if (receivedMs.size > found) [found, foundMs] = [receivedMs.size, performance.now()];
  }
}

type Snapshot = {
  atMs: number;
  cpuMs: number;
  loop: ReturnType<typeof performance.eventLoopUtilization>;
  node: { busy: number; all: number };
  pods: Record<Component, PodMetrics>;
};

async function snapshot(metrics: Watched['metrics'], signal: AbortSignal): Promise<Snapshot> {
  const read = async (component: Component): Promise<PodMetrics> => {
    const url = metrics[component];
    return url === undefined ? new Map() : readPodMetrics(url, signal);
  };
  const [gateway, dispatcher] = await Promise.all([read('gateway'), read('dispatcher')]);
  const { user, system } = process.cpuUsage();
  return {
    atMs: performance.now(),
    cpuMs: (user + system) / 1000,
    loop: performance.eventLoopUtilization(),
    node: nodeTimes(),
    pods: { gateway, dispatcher },
  };
}

/** The times of all cores since the start of the node; a container sees those of its node. */
function nodeTimes(): Snapshot['node'] {
  const times = cpus().map((core) => core.times);
  const all = times.reduce(
    (sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq,
    0,
  );
  return { busy: all - times.reduce((sum, { idle }) => sum + idle, 0), all };
}

type Measured = {
  before: Snapshot;
  /** When the last email was sent: until then, all were busy. */
  sending: Snapshot;
  /** When all webhooks had arrived. */
  after: Snapshot;
  cores: Watched['cores'];
};

function factsOf(
  askedPerSecond: number,
  { startedMs, endedMs, endOfDataMs, acceptedMs, refusals }: LoadResult,
  received: (index: number) => number | undefined,
  measured: Measured,
): StepFacts {
  const { before, sending } = measured;
  const sent = endOfDataMs.flatMap((at, index) => (at === undefined ? [] : [{ at, index }]));
  const since = (timeOf: (index: number) => number | undefined): number[] =>
    sent.flatMap(({ at, index }) => {
      const then = timeOf(index);
      return then === undefined || acceptedMs[index] === undefined ? [] : [then - at];
    });
  const replies = since((index) => acceptedMs[index]);
  const webhooks = since(received);
  const accepted = replies.length;
  const perSecond = (count: number, untilMs: number) => (1000 * count) / (untilMs - startedMs);
  const lastMs = sent.reduce((last, { index }) => Math.max(last, received(index) ?? 0), endedMs);
  return {
    askedPerSecond,
    acceptedPerSecond: perSecond(accepted, endedMs),
    deliveredPerSecond: perSecond(webhooks.length, lastMs),
    accepted,
    refusals,
    missing: accepted - webhooks.length,
    replyMs: percentilesOf(replies),
    webhookMs: percentilesOf(webhooks),
    sender: {
      cores: (sending.cpuMs - before.cpuMs) / (sending.atMs - before.atMs),
      busyShare: performance.eventLoopUtilization(sending.loop, before.loop).utilization,
    },
    nodeBusyShare: (sending.node.busy - before.node.busy) / (sending.node.all - before.node.all),
    ...componentFacts(accepted, measured),
  };
}

function componentFacts(
  accepted: number,
  { before, sending, after, cores }: Measured,
): Pick<StepFacts, 'gateway' | 'dispatcher'> {
  const seconds = (sending.atMs - before.atMs) / 1000;
  const of = (component: Component) => {
    if (after.pods[component].size === 0) return null;
    const busy = createDifference(before.pods[component], sending.pods[component]);
    const whole = createDifference(before.pods[component], after.pods[component]);
    const use = {
      pods: after.pods[component].size,
      cpuPerThousand: (1000 * whole.sum(CPU)) / accepted,
      busiestCores: busy.most(CPU) / seconds,
      limitCores: cores[component] ?? null,
    };
    return { use, whole };
  };
  const gateway = of('gateway');
  const dispatcher = of('dispatcher');
  return {
    gateway: gateway && {
      ...gateway.use,
      meanMs: {
        accept: gateway.whole.meanMs('inlet_mail_accept_seconds'),
        recipient: gateway.whole.meanMs('inlet_smtp_rcpt_seconds'),
        authentication: gateway.whole.meanMs('inlet_authentication_seconds'),
        content: gateway.whole.meanMs('inlet_mail_parse_seconds'),
        store: gateway.whole.meanMs('inlet_mail_store_seconds'),
      },
    },
    dispatcher: dispatcher && {
      ...dispatcher.use,
      meanMs: {
        attempt: dispatcher.whole.meanMs('inlet_webhook_attempt_seconds'),
        record: dispatcher.whole.meanMs('inlet_record_batch_seconds'),
      },
      delayed: dispatcher.whole.sum('inlet_mail_delayed_total'),
    },
  };
}

/**
 * What was at its limit in a step of `inlet admin bench`. Each check sees the facts only, and their
 * order is the policy: what falsifies the others comes first. docs/scaling.md (the load plan) has the
 * words of each limit and what to do.
 */
import { refusedIn, type StepFacts } from './step.ts';

export const LIMITS = [
  'none',
  'sender',
  'node',
  'refusals',
  'gateway',
  'nats',
  'dns',
  'mongodb',
  'dispatcher',
  'slots',
  'receiver',
  'unknown',
] as const;
export type LimitName = (typeof LIMITS)[number];

export type Limit = {
  name: LimitName;
  /** The figures that it follows from. */
  because: string;
};

/** Slower than this is late: the objectives of acceptance and of the first attempt (docs/monitoring.md). */
const REPLY_MAX_MS = 1_000;
const WEBHOOK_MAX_MS = 5_000;
/** A step has reached its rate at this part of it. */
const REACHED = 0.95;
/** From here on, what is measured is the sender, or the node that it runs on. */
const SENDER_BUSY = 0.85;
const NODE_BUSY = 0.95;
/** A pod that uses this part of its limit is throttled at times. */
const OF_CPU_LIMIT = 0.85;
/** A dispatcher sends with one thread. */
const ONE_THREAD_CORES = 0.9;
const SLOW_RECORD_MS = 100;
const SLOW_ATTEMPT_MS = 100;
const MANY_DELAYED = 0.05;

type Check = (facts: StepFacts) => Limit | undefined;

const CHECKS: readonly Check[] = [
  rateIsReached,
  senderIsBusy,
  nodeIsBusy,
  emailsAreRefused,
  gatewayIsAtItsCpu,
  repliesAreSlow,
  dispatcherIsAtItsCpu,
  recordsAreSlow,
  accountHasItsShare,
  attemptsAreSlow,
];

export function limitOf(facts: StepFacts): Limit {
  for (const check of CHECKS) {
    const limit = check(facts);
    if (limit) return limit;
  }
  return facts.gateway && facts.dispatcher
    ? { name: 'dispatcher', because: 'webhooks are late, and nothing else is slow' }
    : { name: 'unknown', because: 'the metrics of gateways or dispatchers could not be read' };
}

function rateIsReached(facts: StepFacts): Limit | undefined {
  const isLate = receivingIsLate(facts) || webhooksAreLate(facts) || refusedIn(facts) > 0;
  return isLate
    ? undefined
    : { name: 'none', because: 'the rate was reached, and nothing was late' };
}

function senderIsBusy({ sender: { busyShare } }: StepFacts): Limit | undefined {
  if (busyShare < SENDER_BUSY) return undefined;
  return { name: 'sender', because: `the sender itself was busy for ${percent(busyShare)}` };
}

function nodeIsBusy({ nodeBusyShare }: StepFacts): Limit | undefined {
  if (nodeBusyShare < NODE_BUSY) return undefined;
  return { name: 'node', because: `the node of the sender was busy for ${percent(nodeBusyShare)}` };
}

function emailsAreRefused(facts: StepFacts): Limit | undefined {
  const [most] = Object.entries(facts.refusals).toSorted(([, one], [, other]) => other - one);
  if (most === undefined) return undefined;
  return { name: 'refusals', because: `${refusedIn(facts)} emails were refused: ${most[0]}` };
}

function gatewayIsAtItsCpu(facts: StepFacts): Limit | undefined {
  const { gateway } = facts;
  if (!receivingIsLate(facts) || gateway === null) return undefined;
  if (gateway.busiestCores < OF_CPU_LIMIT * (gateway.limitCores ?? Infinity)) return undefined;
  return { name: 'gateway', because: coresOf('gateway', gateway) };
}

/** The longest part of the time until the 250 is what to make shorter. */
function repliesAreSlow(facts: StepFacts): Limit | undefined {
  if (!receivingIsLate(facts)) return undefined;
  if (facts.gateway === null) return undefined;
  const { accept, recipient, authentication, content, store } = facts.gateway.meanMs;
  const waiting = Math.max(0, accept - authentication - content - store);
  const parts = [
    ['gateway', content + waiting, 'read or waited for a thread of the gateway'],
    ['nats', store, 'waited for NATS to store it'],
    ['dns', authentication, 'waited for the DNS'],
    ['mongodb', recipient, 'waited for its recipient to be looked up'],
  ] as const;
  const [name, ms, what] = parts.reduce((most, part) => (part[1] > most[1] ? part : most));
  return { name, because: `of ${round(accept + recipient)} ms, an email ${what} for ${round(ms)}` };
}

function dispatcherIsAtItsCpu({ dispatcher }: StepFacts): Limit | undefined {
  if (dispatcher === null) return undefined;
  const { busiestCores, limitCores } = dispatcher;
  const isBusy =
    busiestCores >= Math.min(ONE_THREAD_CORES, OF_CPU_LIMIT * (limitCores ?? Infinity));
  return isBusy ? { name: 'dispatcher', because: coresOf('dispatcher', dispatcher) } : undefined;
}

function recordsAreSlow({ dispatcher }: StepFacts): Limit | undefined {
  const record = dispatcher?.meanMs.record ?? 0;
  if (record < SLOW_RECORD_MS) return undefined;
  return { name: 'mongodb', because: `MongoDB took ${round(record)} ms for a batch of outcomes` };
}

function accountHasItsShare({ accepted, dispatcher }: StepFacts): Limit | undefined {
  const delayed = dispatcher?.delayed ?? 0;
  if (delayed < MANY_DELAYED * accepted) return undefined;
  return {
    name: 'slots',
    because: `${delayed} emails waited, because one account had its share of the slots`,
  };
}

function attemptsAreSlow({ dispatcher }: StepFacts): Limit | undefined {
  const attempt = dispatcher?.meanMs.attempt ?? 0;
  if (attempt < SLOW_ATTEMPT_MS) return undefined;
  return {
    name: 'receiver',
    because: `an attempt took ${round(attempt)} ms, although the receiver was idle`,
  };
}

const receivingIsLate = ({ askedPerSecond, acceptedPerSecond, replyMs }: StepFacts): boolean =>
  acceptedPerSecond < REACHED * askedPerSecond || replyMs.p99 > REPLY_MAX_MS;

const webhooksAreLate = ({ missing, webhookMs }: StepFacts): boolean =>
  missing > 0 || webhookMs.p99 > WEBHOOK_MAX_MS;

const coresOf = (
  name: string,
  { busiestCores, limitCores }: { busiestCores: number; limitCores: number | null },
): string =>
  `the busiest ${name} used ${busiestCores.toFixed(2)} cores` +
  (limitCores === null ? '' : ` of ${limitCores}`);

const percent = (share: number): string => `${Math.round(share * 100)} % of the time`;
const round = (ms: number): string => (ms < 10 ? ms.toFixed(1) : String(Math.round(ms)));

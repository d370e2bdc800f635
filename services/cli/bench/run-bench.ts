/**
 * `inlet admin bench`: sends more and more emails through a running installation to a receiver in this
 * process, until a rate is not reached. docs/scaling.md (the load plan) says how to read it.
 */
import { randomBytes } from 'node:crypto';

import { limitOf } from '../../core/bench/limit.ts';
import type { StepFacts } from '../../core/bench/step.ts';
import type { Database } from '../admin/database.ts';
import type { HostPort } from '../doctor/probes.ts';
import { Failure } from '../terminal/failure.ts';
import { createBenchAccount } from './bench-account.ts';
import { BENCH_SENDER, createMails, type MailSize } from './bench-mails.ts';
import { startBenchReceiver } from './bench-receiver.ts';
import type { BenchResult, StepResult } from './bench-report.ts';
import { runStep, type Watched } from './run-step.ts';

type Bench = Watched & {
  gateway: HostPort & { expectsProxyHeader: boolean };
  receiver: HostPort;
  /** Emails a second, a step each, in this order. */
  rates: number[];
  /** The time of each step. */
  seconds: number;
  /** The emails of all steps together. */
  emails: number;
  connections: number;
  addresses: number;
  size: MailSize;
};

type RunOptions = {
  signal: AbortSignal;
  say: (line: string) => void;
  onStep: (step: StepResult) => void;
};

/** It opens connections and compiles code, and proves that webhooks arrive. */
const WARM_UP_SECONDS = 5;
/** What a step takes in addition to sending, at most: overtime, webhooks that are late, metrics. */
const STEP_GRACE_SECONDS = 60;
const GRACE_SECONDS = 300;

/** @throws Failure when nothing is accepted or delivered; the account is removed in any case */
export async function runBench(
  database: Database,
  { gateway, receiver: place, addresses, size, metrics, cores, ...bench }: Bench,
  { signal, say, onStep }: RunOptions,
): Promise<BenchResult> {
  const { rates, seconds, connections } = bench;
  const mails = createMails(size, `inlet-bench-${randomBytes(8).toString('hex')}`);
  await using receiver = await startBenchReceiver({ ...place, indexIn: mails.indexIn });
  const longestMs = 1000 * (rates.length * (seconds + STEP_GRACE_SECONDS) + GRACE_SECONDS);
  await using account = await createBenchAccount(database, {
    addresses,
    webhookUrl: receiver.url,
    ca: receiver.ca,
    expiresAt: new Date(Date.now() + longestMs),
    say,
    signal,
  });
  let sent = 0;
  const step = async (perSecond: number, stepSeconds: number, emails: number) => {
    const first = sent;
    const facts = await runStep({
      ...gateway,
      connections,
      from: BENCH_SENDER,
      recipients: account.addresses,
      emails,
      seconds: stepSeconds,
      perSecond,
      contentOf: (index, to) => mails.contentOf(first + index, to),
      signal,
      receivedMs: receiver.receivedMs,
      firstIndex: first,
      metrics,
      cores,
    });
    sent += emails;
    return facts;
  };

  const [firstRate = 1] = rates;
  const warmUp = await step(firstRate, WARM_UP_SECONDS, firstRate * WARM_UP_SECONDS);
  requireMail(warmUp);
  say(`${warmUp.accepted} emails to warm up: sent, accepted and delivered`);

  const steps: StepResult[] = [];
  let left = bench.emails;
  for (const rate of rates) {
    const emails = Math.min(left, rate * seconds);
    if (emails === 0) break;
    left -= emails;
    const facts = await step(rate, seconds, emails);
    const measured = { ...facts, limit: limitOf(facts) };
    steps.push(measured);
    onStep(measured);
    if (measured.limit.name !== 'none') break;
  }
  return { size, connections, steps };
}

type Delivered = Pick<StepFacts, 'accepted' | 'missing' | 'refusals'>;

function requireMail({ accepted, missing, refusals }: Delivered): void {
  if (accepted === 0)
    throw new Failure(`no email was accepted: ${Object.keys(refusals).join('; ') || 'no reply'}`);
  if (missing === accepted)
    throw new Failure(
      `no webhook of ${accepted} emails arrived. Can dispatchers reach the receiver? ` +
        'The lines delivery.attempted of their log say why not',
    );
}

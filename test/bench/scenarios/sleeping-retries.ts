/**
 * The cost of waiting retries: the rate of new emails while many others wait in the retry lane, and
 * how restarts of nats-server and the dispatcher affect due times. The waiting emails are created
 * as a dispatcher does after a failed attempt: a message in the lane and a record.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { writeRetryHeaders } from '../../../services/adapters/stream/events/wire.ts';
import { newDelivery } from '../../../services/core/delivery/delivery.ts';
import { newId } from '../../../services/core/ids.ts';
import { type MailEvent, subjects } from '../../../services/core/delivery/mail-event.ts';
import { buildPayload } from '../../../services/core/webhook/build-payload.ts';
import { NOTHING_READ } from '../../../services/core/webhook/payload.ts';
import { NOT_CHECKED } from '../../../services/core/mail/spam.ts';
import { encodePayload, writtenBytes } from '../../../services/core/webhook/payload-bytes.ts';
import { until } from '../../support/until.ts';
import type { Bed, System } from '../bed.ts';
import { type InletInside, lookInside } from '../inlet-inside.ts';
import { measure, type Run, takeSendIds, warmUp } from '../measure.ts';
import { usageOf } from '../process-usage.ts';
import type { Receipts } from '../receiver-process.ts';
import type { Scenario } from '../scenario.ts';
import { percentile } from '../percentile.ts';
import { median } from '../statistics.ts';
import { figure, table } from '../table.ts';

const CONNECTIONS = 50;
const RUNS = 3;
const RUN_SECONDS = 4;
const RUN_MAILS = 20_000;
const BATCH = 1_000;
const HOUR_MS = 3_600_000;
const DUE_SOON = 300;
const FIRST_DUE_MS = 6_000;
const LAST_DUE_MS = 42_000;
const FALL_ASLEEP_WITHIN_MS = 300_000;
const LAST_RECEIPTS_MS = 60_000;
const RATIO_GOAL = 0.6;
const inSeconds = (ms = NaN): string => `${figure(ms / 1000)} s`;

/** When to send which signal. */
const RESTARTS = [
  [4_000, 'nats-server', 'SIGTERM'],
  [16_000, 'nats-server', 'SIGKILL'],
  [26_000, 'dispatcher', 'SIGKILL'],
  [36_000, 'dispatcher', 'SIGTERM'],
] as const;

type Target = { id: string; address: string; accountId: string };

export const sleepingRetries: Scenario = {
  name: 'sleeping-retries',
  purpose: 'the rate of new emails while many retries wait, and how restarts affect due times',
  run: async (bed, { sleeping }, report) => {
    const system = bed.systems.find(({ name }) => name === 'inlet');
    if (!system) return { text: 'Inlet is not among the systems', figures: null };
    await using inside = await lookInside(bed);
    const target = await addTarget(bed, system, inside);

    report('sleeping-retries: new emails alone');
    const alone = await fresh(bed, system);
    const lane = await inside.retryLane();
    report(`sleeping-retries: adding ${sleeping} emails to the retry lane`);
    const firstId = takeSendIds(sleeping);
    const from = Date.now() + 6 * HOUR_MS;
    const putMs = await timed(() =>
      putToSleep(
        inside,
        target,
        firstId,
        sleeping,
        (index) => from + (index / sleeping) * 2 * HOUR_MS,
      ),
    );
    const asleepMs = await timed(() =>
      until(
        'all emails to wait in the retry lane',
        async () => isAsleep(await inside.retryLane(), lane.messages + sleeping),
        FALL_ASLEEP_WITHIN_MS,
      ),
    );
    report(
      `sleeping-retries: added in ${putMs} ms, all waiting ${asleepMs} ms later; new emails now`,
    );
    const beside = await fresh(bed, system);

    report(
      `sleeping-retries: ${DUE_SOON} more are due within ${LAST_DUE_MS / 1000} s, ` +
        'while nats-server and dispatcher restart',
    );
    const dueFrom = Date.now();
    const dueAt = (index: number) =>
      dueFrom + FIRST_DUE_MS + (index / DUE_SOON) * (LAST_DUE_MS - FIRST_DUE_MS);
    const soonId = takeSendIds(DUE_SOON);
    await putToSleep(inside, target, soonId, DUE_SOON, dueAt);
    const downMs = await restarts(inside, dueFrom);
    await until(
      'the emails that were due',
      async () =>
        (await bed.receiver.ask<number>({ kind: 'count', firstId: soonId, mails: DUE_SOON })) >=
        DUE_SOON,
      LAST_RECEIPTS_MS,
    ).catch(() => report('not all emails arrived'));
    await until(
      'the others to keep waiting',
      async () => isAsleep(await inside.retryLane(), lane.messages + sleeping),
      LAST_RECEIPTS_MS,
    ).catch(() => report('the retry lane is still busy'));
    const due = await bed.receiver.ask<Receipts>({
      kind: 'collect',
      firstId: soonId,
      mails: DUE_SOON,
    });
    const early = await bed.receiver.ask<number>({ kind: 'count', firstId, mails: sleeping });
    const after = await inside.retryLane();
    const { pids } = await inside.state();
    const natsMb = (usageOf(pids['nats-server'] ?? 0)?.peakBytes ?? NaN) / 1e6;
    await inside.purgeRetries(target.id);
    await inside.mongo.db.collection('deliveries').deleteMany({ address_id: target.id });
    report('sleeping-retries: new emails alone again');
    const again = await fresh(bed, system);

    const lateness = [...due.receivedMs]
      .map((atMs, index) => atMs - dueAt(index))
      .filter((ms) => !Number.isNaN(ms));
    // the first measurement runs before the code is compiled
    const ratio = rateOf(beside) / rateOf([...alone, ...again]);
    const lost = lane.messages + sleeping - after.messages;
    const figures = {
      sleeping,
      alone,
      beside,
      again,
      ratio,
      putMs,
      asleepMs,
      downMs,
      lateness,
      lost,
      early,
      duplicated: due.duplicated,
      natsPeakMb: natsMb,
    };
    const text = [
      table(
        ['new emails', 'accepted/s', 'delivered/s', 'p99 ms', 'others %', 'each run /s'],
        [row('alone', alone), row(`with ${sleeping} waiting`, beside), row('alone again', again)],
      ),
      `delivered/s with waiting retries ÷ alone: ${figure(ratio)} ` +
        `(goal: at least ${RATIO_GOAL}: ${ratio >= RATIO_GOAL ? 'reached' : 'missed'})`,
      `added at ${figure((sleeping * 1000) / putMs)}/s, all waiting ${inSeconds(asleepMs)} later; ` +
        `nats-server's peak after its restart: ${figure(natsMb)} MB`,
      `restarts: ${RESTARTS.map(
        ([, name, signal], index) => `${name} ${signal} (back after ${inSeconds(downMs[index])})`,
      ).join(', ')}`,
      `of ${DUE_SOON} due, ${lateness.length} arrived, ` +
        `${inSeconds(Math.min(...lateness))} … ${inSeconds(Math.max(...lateness))} late ` +
        `(median ${inSeconds(percentile(lateness, 0.5))}, ` +
        `p95 ${inSeconds(percentile(lateness, 0.95))}), ${due.duplicated} twice`,
      `of ${sleeping} waiting, ${lost} were lost and ${early} arrived early`,
    ].join('\n');
    return { text, figures };
  },
};

function row(title: string, runs: readonly Run[]): string[] {
  const medianOf = (of: (run: Run) => number) => figure(median(runs.map(of)));
  const figures = [
    medianOf((run) => run.acceptedPerSecond),
    medianOf((run) => run.deliveredPerSecond),
    medianOf((run) => run.latencyMs.p99),
    medianOf((run) => 100 * run.othersShare),
  ];
  return [title, ...figures, runs.map((run) => figure(run.deliveredPerSecond)).join(' ')];
}

const rateOf = (runs: readonly Run[]) => median(runs.map((run) => run.deliveredPerSecond));
const isAsleep = (lane: { messages: number; asleep: number; untouched: number }, count: number) =>
  lane.messages === count && lane.untouched === 0 && lane.asleep === count;

async function fresh(bed: Bed, system: System): Promise<Run[]> {
  const workload = {
    kind: '2k',
    connections: CONNECTIONS,
    mails: RUN_MAILS,
    seconds: RUN_SECONDS,
  } as const;
  await warmUp(bed, system, workload, RUN_MAILS / 10);
  const runs: Run[] = [];
  for (let run = 0; run < RUNS; run++) runs.push(await measure(bed, system, workload));
  return runs;
}

/** A separate address, whose webhooks are sent to the receiver of the bed. */
async function addTarget(bed: Bed, system: System, { mongo }: InletInside): Promise<Target> {
  const known = await mongo.db.collection('addresses').findOne({ address: system.recipients[0] });
  const [made] = await bed.addAddresses([String(known?.webhook_url)]);
  if (!made) throw new Error('no address');
  return { id: made.id, address: made.address, accountId: String(known?.account_id) };
}

/** The record after a failed attempt. */
async function putToSleep(
  { client, mongo, partitions }: InletInside,
  target: Target,
  firstId: number,
  count: number,
  dueAt: (index: number) => number,
): Promise<void> {
  const records = mongo.db.collection<{ _id: string }>('deliveries');
  for (let begun = 0; begun < count; begun += BATCH) {
    const sleepers = Array.from({ length: Math.min(BATCH, count - begun) }, (_, i) =>
      sleeper(target, firstId + begun + i, new Date(dueAt(begun + i)), (begun + i) % partitions),
    );
    await records.insertMany(
      sleepers.map(({ record }) => record),
      { ordered: false },
    );
    await Promise.all(
      sleepers.map(({ subject, payload, headers }) =>
        client.publish(subject, payload, { headers, timeout: 30_000 }),
      ),
    );
  }
}

function sleeper(
  { id, address, accountId }: Target,
  sendId: number,
  dueAt: Date,
  partition: number,
) {
  const receivedAt = new Date();
  const eventId = newId('evt', receivedAt, randomBytes(10));
  const subject = `inlet-bench-${String(sendId).padStart(10, '0')} asleep`;
  const headers = { ...NOTHING_READ.headers, from: 'a@b.example', to: address, subject };
  const payload = writtenBytes(
    encodePayload(
      buildPayload({
        eventId,
        addressId: id,
        envelope: { mailFrom: 'a@b.example', heloDomain: 'b.example', remoteIp: '192.0.2.1' },
        named: [address],
        rcptTo: [address],
        mail: { ...NOTHING_READ, headers, text: 'asleep '.repeat(40), attachments: [] },
        sizeBytes: 500,
        spam: NOT_CHECKED,
        receivedAt,
        now: receivedAt,
      }),
    ),
  );
  const event: MailEvent = {
    event_id: eventId,
    account_id: accountId,
    environment: 'live',
    address_id: id,
    mail_from: 'a@b.example',
    from: 'a@b.example',
    subject,
    size_bytes: 500,
    received_at_ms: receivedAt.getTime(),
    payload_bytes: payload.byteLength,
    payload_in: 'message',
  };
  const storedAt = { partition, sequence: 1 };
  const { event_id: _id, ...fields } = newDelivery(event, storedAt);
  const attempt = {
    at: receivedAt,
    duration_ms: 5,
    outcome: 'busy' as const,
    status_code: 503,
    error: null,
    excerpt: null,
  };
  return {
    record: {
      _id,
      ...fields,
      status: 'retrying' as const,
      attempts: [attempt],
      next_attempt_at: dueAt,
    },
    subject: subjects.retry(partition, event),
    payload,
    headers: writeRetryHeaders(event, { storedAt, dueAt, revision: 0 }),
  };
}

/** Resolves with how long each was down. Standalone restarts what exits. */
async function restarts({ state }: Pick<InletInside, 'state'>, startMs: number): Promise<number[]> {
  const downMs: number[] = [];
  for (const [atMs, name, signal] of RESTARTS) {
    await sleep(Math.max(0, startMs + atMs - Date.now()));
    const pid = (await state()).pids[name] ?? 0;
    process.kill(pid, signal);
    downMs.push(
      await timed(() =>
        until(`${name} to run again`, async () => (await state()).pids[name] !== pid, 60_000),
      ),
    );
  }
  return downMs;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = Date.now();
  await work();
  return Date.now() - startedMs;
}

/**
 * A flood of 10,000 refusals a second, with plain email beside it: what the records cost, and that they
 * stay within their bounds (D316, docs/sizing.md). The flood begins where SMTP has replied. What is
 * compared is measured in turns.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';

import { noSuchAddress, SmtpRefusal } from '../../../services/core/smtp/smtp-reply.ts';
import { KINDS_OF_ADDRESS } from '../../../services/core/refusal/refusal-buffer.ts';
import { createAddRefusals } from '../../../services/adapters/mongo/refusal/refusals.ts';
import { createRefusalRecords } from '../../../services/gateway/refusals/refusal-records.ts';
import { log, startPipeline } from '../../support/pipeline.ts';
import { until } from '../../support/until.ts';

const TURN_MS = 3_000;
const TURNS = 2;
const EACH_SECOND = 10_000;
/** Of one burst of the flood. */
const TICK_MS = 10;
const LANES = 4;
const DOMAINS = 50;
/** Of CPU time. It is about 20 µs; what a machine of another kind takes is not ten times as much. */
const COST_MAX_US = 200;

type Measured = { emails: number; refused: number; cpuSeconds: number; seconds: number };

test('a flood costs little, and plain email keeps its rate', async () => {
  await using pipeline = await startPipeline({ withDispatcher: false });
  const { address } = await pipeline.address('/unused');
  const { db } = pipeline.mongo;
  const now = new Date(); // one hour has these bounds
  let unrecorded = 0;
  await using records = createRefusalRecords(
    createAddRefusals(db, 3_600_000),
    (mailbox) =>
      Promise.resolve({
        account_id: 'acc_flood',
        environment: 'live',
        address_id: null,
        name: mailbox.slice(mailbox.indexOf('@')),
      }),
    {
      isOff: false,
      metrics: {
        refusalsUnrecorded: (count) => void (unrecorded += count),
        refusedAt: () => undefined,
      },
      clock: () => now,
    },
    log,
  );

  let refused = 0;
  /** Each from another sender to another mailbox: the worst case. */
  async function flood(endsMs: number) {
    const error = new SmtpRefusal(noSuchAddress);
    for (let due = performance.now(); performance.now() < endsMs; due += TICK_MS) {
      for (let n = 0; n < (EACH_SECOND * TICK_MS) / 1000; n++) {
        refused += 1;
        const named = `x${refused}@d${refused % DOMAINS}.example`;
        records.record(
          error,
          {
            command: 'rcpt',
            sender: `a${refused}@sender.example`,
            mailboxes: [{ named, recipient: undefined }],
            remoteIp: '192.0.2.7',
          },
          'mx.sender.example',
        );
      }
      await sleep(Math.max(0, due + TICK_MS - performance.now()));
    }
  }
  /** Plain emails as fast as they are accepted. CPU time is that of this process: it also sends them. */
  async function measured(lanes: number, withFlood: boolean): Promise<Measured> {
    const [startedMs, cpu, before] = [performance.now(), process.cpuUsage(), refused];
    const endsMs = startedMs + TURN_MS;
    let emails = 0;
    const lane = async () => {
      while (performance.now() < endsMs) {
        await pipeline.mailer.sendMail({ from: 'b@sender.example', to: address, text: 'plain' });
        emails += 1;
      }
    };
    await Promise.all([
      ...Array.from({ length: lanes }, lane),
      ...(withFlood ? [flood(endsMs)] : []),
    ]);
    const { user, system } = process.cpuUsage(cpu);
    return {
      emails,
      refused: refused - before,
      cpuSeconds: (user + system) / 1e6,
      seconds: (performance.now() - startedMs) / 1000,
    };
  }

  await measured(LANES, false); // warm
  const turns: Record<'alone' | 'beside', Measured[]> = { alone: [], beside: [] };
  for (let turn = 0; turn < TURNS; turn++) {
    turns.alone.push(await measured(LANES, false));
    turns.beside.push(await measured(LANES, true));
  }
  const floodOnly = await measured(0, true);
  const stored = () => db.collection('refusals').countDocuments();
  await until('records', async () => (await stored()) > 0);

  const [alone, beside] = [ratesOf(turns.alone), ratesOf(turns.beside)];
  const costUs = Math.round((floodOnly.cpuSeconds * 1e6) / floodOnly.refused);
  const figures = { alone, beside, floodOnly: ratesOf([floodOnly]), costUs };
  process.stdout.write(`${JSON.stringify({ ...figures, stored: await stored(), unrecorded })}\n`);
  expect(await stored()).toBeLessThanOrEqual(DOMAINS * (KINDS_OF_ADDRESS + 1));
  expect(unrecorded).toBeLessThan(refused);
  expect(costUs).toBeLessThan(COST_MAX_US);
  expect(beside.emails).toBeGreaterThan(0);
  // a machine that is too busy for a flood says nothing about the rate beside it
  const isTooBusy = figures.floodOnly.refused < EACH_SECOND / 2;
  expect(isTooBusy ? Infinity : beside.emails).toBeGreaterThan(alone.emails / 3);
});

/** Each second, over all turns. */
function ratesOf(turns: readonly Measured[]) {
  const seconds = turns.reduce((sum, turn) => sum + turn.seconds, 0);
  const rate = (of: (turn: Measured) => number) =>
    Number((turns.reduce((sum, turn) => sum + of(turn), 0) / seconds).toFixed(2));
  return {
    emails: rate(({ emails }) => emails),
    refused: rate((turn) => turn.refused),
    cpu: rate(({ cpuSeconds }) => cpuSeconds),
  };
}

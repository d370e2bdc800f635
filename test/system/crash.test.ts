/**
 * `kill -9` during 500 emails: every email that got a 250 arrives at least once, and repeats have
 * the same event_id.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { connectMongo } from '../../services/adapters/mongo/connection.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { startWholeSystem, type WholeSystem } from '../support/start-standalone.ts';
import { until } from '../support/until.ts';

let system: WholeSystem;
beforeAll(async () => {
  system = await startWholeSystem({
    ACK_WAIT: '3s',
    RETRY_SCHEDULE: '100ms,500ms,1s,2s',
    LOG_LEVEL: 'warn',
  });
});
afterAll(() => system[Symbol.asyncDispose]());

const MAILS = 500;
const KILL_AFTER = 150;
const SENDERS = 10;
const GIVE_UP_MS = 90_000;

test.each(['gateway', 'dispatcher', 'nats-server', 'mongod'])(
  '%s is killed and started again',
  async (victim) => {
    const path = `/crash/${victim}`;
    const address = await system.address(path);
    const paths = [path];
    if (victim === 'gateway') {
      paths.push(`${path}/2`, `${path}/3`); // it ends between the events of an email
      for (const further of paths.slice(1)) await addReceiver(address.id, further);
    }
    const accepted = new Set<string>();
    const killed = killWhen(victim, () => accepted.size >= KILL_AFTER);
    await sendAll(address.address, victim, accepted);
    const before = await killed;
    expect(system.standalone.state().pids[victim]).not.toBe(before);
    expect(accepted.size).toBe(MAILS);

    for (const at of paths) {
      const received = () => system.receiver.received(at);
      const subjects = () => new Set(received().map(({ payload }) => payload.headers.subject));
      await until(
        `${MAILS} mails at ${at} after the end of ${victim}`,
        () => subjects().size >= MAILS,
        GIVE_UP_MS,
      ).catch(async (cause: Error) => {
        const seen = subjects();
        const missing = [...accepted].filter((subject) => !seen.has(subject));
        throw new Error(await recordsOf(address.id, missing), { cause });
      });
      expect([...accepted].filter((subject) => !subjects().has(subject))).toEqual([]);

      const events = new Set(received().map(({ payload }) => payload.event_id));
      process.stdout.write(
        `${victim} killed: ${MAILS} accepted, ${subjects().size} arrived at ${at}, ` +
          `${received().length - events.size} duplicate posts\n`,
      );
      expect(events.size).toBe(MAILS);
    }
  },
);

/** A further receiver: each email is one more event, stored after that of the address. */
async function addReceiver(addressId: string, path: string): Promise<void> {
  const url = system.receiver.url(path);
  const { status } = await system.call('POST', `/addresses/${addressId}/receivers`, { url });
  expect(status).toBe(201);
}

/** What MongoDB knows of these emails, to see what each waits for. */
async function recordsOf(addressId: string, subjects: readonly string[]): Promise<string> {
  await using mongo = await connectMongo(
    system.standalone.state().mongodb_uri,
    createLog('silent'),
  );
  const records = await mongo.db
    .collection('deliveries')
    .find({ address_id: addressId, subject: { $in: [...subjects] } })
    .project({ _id: 0, subject: 1, status: 1, next_attempt_at: 1, attempts: 1 })
    .toArray();
  const now = new Date().toISOString();
  const all = JSON.stringify(records);
  return `${subjects.length} mails missing at ${now}: ${subjects.join(', ')}; their records: ${all}`;
}

/**
 * Sends like a mail server: an email without a 250 is sent again, with the same bytes, until it
 * gets one.
 */
async function sendAll(to: string, name: string, accepted: Set<string>): Promise<void> {
  const todo = Array.from({ length: MAILS }, (_, i) => `${name} ${i}`);
  const sender = async () => {
    for (let subject = todo.shift(); subject !== undefined; subject = todo.shift()) {
      const raw = [
        'From: a@b.example',
        `To: ${to}`,
        `Subject: ${subject}`,
        `Message-ID: <${subject.replaceAll(' ', '-')}@b.example>`,
        '',
        subject,
        '',
      ].join('\r\n');
      await until(`a 250 for ${subject}`, () => sendOnce(to, raw), GIVE_UP_MS);
      accepted.add(subject);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
}

/** Whether the email got a 250. */
async function sendOnce(to: string, raw: string): Promise<boolean> {
  const mailer = createTransport({
    host: '127.0.0.1',
    port: system.standalone.state().smtp_port,
    ignoreTLS: true,
    connectionTimeout: 5_000,
    greetingTimeout: 5_000,
    socketTimeout: 15_000,
  });
  try {
    await mailer.sendMail({ envelope: { from: 'a@b.example', to }, raw });
    return true;
  } catch (error) {
    // a crash must never bounce mail
    expect((error as { responseCode?: number }).responseCode ?? 451).toBeLessThan(500);
    await sleep(200);
    return false;
  } finally {
    mailer.close();
  }
}

/** Resolves with the killed pid when the process is running again with another pid. */
async function killWhen(victim: string, isTime: () => boolean): Promise<number> {
  await until('the middle of the run', isTime, GIVE_UP_MS);
  const pid = system.standalone.state().pids[victim] ?? 0;
  process.kill(pid, 'SIGKILL');
  await until(
    `${victim} to run again`,
    () => system.standalone.state().pids[victim] !== pid,
    GIVE_UP_MS,
  );
  return pid;
}

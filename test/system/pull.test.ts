/**
 * 55.3: `kill -9` while consumers lease 300 emails: every email that got a 250 is leased and
 * acknowledged, and none comes again after its acknowledgment.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { startWholeSystem, type WholeSystem } from '../support/start-standalone.ts';
import { until } from '../support/until.ts';

let system: WholeSystem;
beforeAll(async () => {
  system = await startWholeSystem({
    ACK_WAIT: '3s',
    RETRY_SCHEDULE: '100ms,500ms,1s,2s,2s,2s',
    LOG_LEVEL: 'warn',
  });
});
afterAll(() => system[Symbol.asyncDispose]());

const MAILS = 300;
const KILL_AFTER = 80;
const SENDERS = 6;
const CONSUMERS = 3;
const GIVE_UP_MS = 120_000;

type Leased = {
  lease_id: string;
  event_id: string;
  payload: { headers: { subject: string } } | null;
};

test.each(['dispatcher', 'api', 'nats-server', 'mongod'])(
  '%s is killed and started again',
  async (victim) => {
    const { id, address } = await created({ webhook_url: null, mode: 'pull' });
    const accepted = new Set<string>();
    const consumers = startConsumers(id);
    const killed = killWhen(victim, () => consumers.acknowledged.size >= KILL_AFTER);
    await sendAll(address, victim, accepted);
    await killed;
    await until(
      `${MAILS} acknowledged emails after the end of ${victim}`,
      () => consumers.acknowledged.size >= MAILS,
      GIVE_UP_MS,
    );
    await sleep(1_000); // what would come again
    await consumers.stop();
    const { acknowledged, leased, again } = consumers;
    process.stdout.write(
      `${victim} killed: ${accepted.size} accepted, ${acknowledged.size} acknowledged, ` +
        `${leased.length - MAILS} leased more than once\n`,
    );
    expect([...accepted].filter((subject) => !leased.includes(subject))).toEqual([]);
    expect(acknowledged.size).toBe(MAILS);
    expect(again).toEqual([]);
    const counted = async (status: string) => {
      const { body } = await system.call('GET', `/deliveries?address_id=${id}&status=${status}`);
      return (body as { pagination: { total: number } }).pagination.total;
    };
    expect(await counted('delivered')).toBe(MAILS);
  },
  GIVE_UP_MS * 2,
);

const created = async (fields: object) =>
  (await system.call('POST', '/addresses', fields)).body as { id: string; address: string };

/** Undefined while the API does not respond as it should. */
const call = async (method: string, url: string, body?: object) => {
  const answer = await system.call(method, url, body).catch(() => undefined);
  if (answer?.status === 200) return answer.body as Record<string, unknown>;
  await sleep(100);
  return undefined;
};

/** They acknowledge what they lease, until they are stopped. An error of the API is tried again. */
function startConsumers(id: string) {
  const acknowledged = new Set<string>();
  const leased: string[] = [];
  const again: string[] = [];
  let isStopped = false;
  const path = `/addresses/${id}/receivers/${id}`;
  const consume = async (): Promise<void> => {
    while (!isStopped) {
      const next = await call('GET', `${path}/next?max=20&wait=1&lease=5`);
      const emails = (next?.data ?? []) as Leased[];
      for (const { event_id, payload } of emails) {
        leased.push(payload?.headers.subject ?? '');
        if (acknowledged.has(event_id)) again.push(event_id);
      }
      if (emails.length === 0) continue;
      const lease_ids = emails.map(({ lease_id }) => lease_id);
      const ended = await call('POST', `${path}/ack`, { lease_ids });
      const lost = new Set(ended ? (ended.lost as string[]) : lease_ids);
      for (const { lease_id, event_id } of emails)
        if (!lost.has(lease_id)) acknowledged.add(event_id);
    }
  };
  const running = Promise.all(Array.from({ length: CONSUMERS }, consume));
  return {
    acknowledged,
    leased,
    again,
    stop: async () => {
      isStopped = true;
      await running;
    },
  };
}

/** Sends like a mail server: an email without a 250 is sent again until it gets one. */
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
  } catch {
    await sleep(200);
    return false;
  } finally {
    mailer.close();
  }
}

/** Resolves when the killed process is running again with another pid. */
async function killWhen(victim: string, isTime: () => boolean): Promise<void> {
  await until('the middle of the run', isTime, GIVE_UP_MS);
  const pid = system.standalone.state().pids[victim] ?? 0;
  process.kill(pid, 'SIGKILL');
  await until(
    `${victim} to run again`,
    () => system.standalone.state().pids[victim] !== pid,
    GIVE_UP_MS,
  );
}

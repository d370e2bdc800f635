/**
 * 55.3: `kill -9` while consumers lease 300 emails: every email that got a 250 is leased and
 * acknowledged, and none comes again after its acknowledgment.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';

import { killWhen, sendAll } from '../support/crashes.ts';
import { startWholeSystem } from '../support/start-standalone.ts';
import { until } from '../support/until.ts';
import { useInFile } from '../support/use-in-file.ts';

const system = await useInFile(
  startWholeSystem({
    RETRY_SCHEDULE: '100ms,500ms,1s,2s,2s,2s',
    LOG_LEVEL: 'warn',
  }),
);

const MAILS = 300;
const KILL_AFTER = 80;
const CONSUMERS = 3;
const GIVE_UP_MS = 120_000;
const LOAD = { mails: MAILS, senders: 6, giveUpMs: GIVE_UP_MS };

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
    const killed = killWhen(
      system,
      victim,
      () => consumers.acknowledged.size >= KILL_AFTER,
      GIVE_UP_MS,
    );
    await sendAll(system, { to: address, name: victim, accepted }, LOAD);
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

/**
 * `kill -9` during 500 emails: every email that got a 250 arrives at least once, and repeats have
 * the same event_id.
 */
import { expect, test } from 'vitest';

import { connectMongo } from '../../services/adapters/mongo/database/connection.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { killWhen, sendAll } from '../support/crashes.ts';
import { startWholeSystem } from '../support/start-standalone.ts';
import { until } from '../support/until.ts';
import { useInFile } from '../support/use-in-file.ts';

const system = await useInFile(
  startWholeSystem({
    RETRY_SCHEDULE: '100ms,500ms,1s,2s',
    LOG_LEVEL: 'warn',
  }),
);

const MAILS = 500;
const KILL_AFTER = 150;
const GIVE_UP_MS = 90_000;
const LOAD = { mails: MAILS, senders: 10, giveUpMs: GIVE_UP_MS };

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
    const killed = killWhen(system, victim, () => accepted.size >= KILL_AFTER, GIVE_UP_MS);
    await sendAll(system, { to: address.address, name: victim, accepted }, LOAD);
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

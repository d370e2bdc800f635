/** D32: what is a repeat of an email, what is a new one, and how users see a fold. */
import { jetstreamManager } from '@nats-io/jetstream';
import { expect, test } from 'vitest';

import { mailStream } from '../../../services/adapters/stream/events/streams.ts';
import { readConfig } from '../../../services/adapters/process/config.ts';
import type { StoredUsageEvent } from '../../../services/adapters/mongo/audit/events.ts';
import { GatewayConfig } from '../../../services/gateway/process/config.ts';

import { startPipeline } from '../../support/pipeline.ts';
import { dialogue } from '../../support/smtp-play.ts';
import { until } from '../../support/until.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { storedMails } from '../stored-mail.ts';

const pipeline = await useInFile(startPipeline({ env: { REPLAY_RETENTION: '1h' } }));

const ALARM = 'Subject: alarm\r\n\r\nthe door is open\r\n';
const WITH_ID = `Message-ID: <1@sender.example>\r\n${ALARM}`;

/** @returns the text of the 250 */
async function send(
  to: string,
  raw: string,
  { from = 'ann@sender.example', port = pipeline.smtpPort } = {},
): Promise<string> {
  await using smtp = await dialogue(port);
  for (const line of ['EHLO x', `MAIL FROM:<${from}>`, `RCPT TO:<${to}>`, 'DATA'])
    expect(await smtp.say(line)).toMatch(/^[23]/);
  const reply = await smtp.say(Buffer.from(`${raw}.\r\n`));
  expect(reply).toMatch(/^250 /);
  return reply;
}

const eventIds = async (addressId: string) =>
  (await storedMails(pipeline.nats, addressId)).map(({ event }) => event.event_id);
const repeats = (addressId: string) =>
  pipeline.mongo.db
    .collection<StoredUsageEvent>('events')
    .find({ address_id: addressId, type: 'email.repeated' })
    .toArray();

test('three identical alarms of a device, without a Message-ID, are three emails', async () => {
  const { address, id } = await pipeline.address('/alarms');
  for (let n = 0; n < 3; n++) await send(address, ALARM);
  const received = await pipeline.receiver.nth('/alarms', 3).then(() => eventIds(id));
  expect(new Set(received).size).toBe(3);
  expect(await repeats(id)).toEqual([]);
});

test('with a Message-ID they are one, and each fold is an email.repeated event that names it', async () => {
  const { address, id, account_id, environment } = await pipeline.address('/repeats');
  const replies = [];
  for (let n = 0; n < 3; n++) replies.push(await send(address, WITH_ID));
  const [first, ...others] = await eventIds(id);
  expect(others).toEqual([]);
  expect(replies.map((reply) => reply.includes(String(first)))).toEqual([true, true, true]);
  expect(await repeats(id)).toMatchObject(
    [1, 2].map(() => ({ account_id, environment, address_id: id, data: { event_id: first } })),
  );
});

test('the first email is named also when it is no longer on the stream', async () => {
  const { address, id } = await pipeline.address('/purged');
  await send(address, WITH_ID);
  const [first] = await eventIds(id);
  const deliveries = pipeline.mongo.db.collection<{ _id: string }>('deliveries');
  await until(
    'the record of the first email',
    async () => (await deliveries.countDocuments({ _id: first, status: 'delivered' })) === 1,
  );
  const manager = await jetstreamManager(pipeline.nats.connection);
  for (const partition of [0, 1]) await manager.streams.purge(mailStream(partition));
  await send(address, WITH_ID);
  expect(await repeats(id)).toMatchObject([{ data: { event_id: first } }]);
});

test.each([
  ['another sender', { from: 'bob@sender.example' }, WITH_ID],
  ['other bytes', {}, WITH_ID.replace('alarm', 'Alarm')],
])('%s: a new email, with the same Message-ID', async (_, from, raw) => {
  const { address, id } = await pipeline.address('/others');
  await send(address, WITH_ID);
  await send(address, raw, from);
  expect(await eventIds(id)).toHaveLength(2);
  expect(await repeats(id)).toEqual([]);
});

test('DUPLICATE_WINDOW=0s folds nothing', async () => {
  await using unfolded = await startPipeline({
    withDispatcher: false,
    env: { DUPLICATE_WINDOW: '0s' },
  });
  const { address, id } = await unfolded.address('/unused');
  for (let n = 0; n < 2; n++) await send(address, WITH_ID, { port: unfolded.smtpPort });
  expect(await storedMails(unfolded.nats, id)).toHaveLength(2);
});

test.each(['1s', '119s', '25h'])('DUPLICATE_WINDOW=%s is refused', (window) => {
  expect(() =>
    readConfig(GatewayConfig, { ...pipeline.settings, DUPLICATE_WINDOW: window }),
  ).toThrow(/DUPLICATE_WINDOW.*2m to 24h/);
});

/**
 * M.3: `PARTITIONS` grows from one to four under load, by a second gateway and dispatcher as in a rolling
 * update: each email arrives once, also those that wait for a retry meanwhile.
 */
import { createTransport } from 'nodemailer';
import { expect, test } from 'vitest';

import { readConfig } from '../../services/adapters/process/config.ts';
import { jetstreamManager } from '@nats-io/jetstream';
import { existingPartitions, mailStream } from '../../services/adapters/stream/events/streams.ts';
import { DispatcherConfig } from '../../services/dispatcher/process/config.ts';
import { startDispatcher } from '../../services/dispatcher/dispatcher.ts';
import { GatewayConfig } from '../../services/gateway/process/config.ts';
import { startGateway } from '../../services/gateway/gateway.ts';
import { log, startPipeline } from '../support/pipeline.ts';
import { until } from '../support/until.ts';

const MAILS = 120;
const GROW_AFTER = 40;
const SENDERS = 4;

test('M.3: partitions grow from 1 to 4 with emails in flight: each email arrives once', async () => {
  await using parts = new AsyncDisposableStack();
  const pipeline = parts.use(await startPipeline({ env: { PARTITIONS: '1' } }));
  const { address } = await pipeline.address('/grow');
  const refusedOnce = new Set<string>(); // every third email waits for a retry
  pipeline.receiver.answer('/grow', (count, { payload: { event_id } }) => {
    if (count % 3 !== 0 || refusedOnce.has(event_id)) return 200;
    refusedOnce.add(event_id);
    return 503;
  });
  const mailerOf = (port: number) => {
    const mailer = createTransport({ host: '127.0.0.1', port, pool: true, ignoreTLS: true });
    parts.defer(() => mailer.close());
    return mailer;
  };
  const mailers = [mailerOf(pipeline.smtpPort)];
  const todo = Array.from({ length: MAILS }, (_, i) => `grow ${i}`);
  let accepted = 0;
  const sender = async () => {
    for (let subject = todo.shift(); subject !== undefined; subject = todo.shift()) {
      const mailer = mailers[accepted % mailers.length];
      await mailer?.sendMail({ from: 'a@sender.example', to: address, subject, text: 'text' });
      accepted++;
    }
  };
  const grow = async () => {
    await until('the first emails', () => accepted >= GROW_AFTER);
    const settings = { ...pipeline.settings, PARTITIONS: '4' };
    const gateway = await startGateway(readConfig(GatewayConfig, settings), log);
    parts.use(gateway);
    parts.use(await startDispatcher(readConfig(DispatcherConfig, settings), log));
    mailers.push(mailerOf(Number(gateway.announce.smtp_port)));
    // enough for each partition, however fast the others were
    todo.push(...Array.from({ length: MAILS }, (_, i) => `grown ${i}`));
  };
  await Promise.all([grow().then(sender), ...Array.from({ length: SENDERS }, sender)]);

  const received = () => pipeline.receiver.received('/grow');
  const delivered = () => received().filter(({ status }) => status === 200);
  await until('every email', () => delivered().length >= 2 * MAILS, 30_000);
  const ids = new Set(delivered().map(({ payload }) => payload.event_id));
  const subjects = new Set(delivered().map(({ payload }) => payload.headers.subject));
  expect([delivered().length, ids.size, subjects.size]).toEqual([2 * MAILS, 2 * MAILS, 2 * MAILS]);
  expect(refusedOnce.size).toBeGreaterThan(0);

  const manager = await jetstreamManager(pipeline.nats.connection);
  expect((await existingPartitions(manager)).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3]);
  for (const partition of [1, 2, 3]) {
    const { state } = await manager.streams.info(mailStream(partition));
    expect(state.last_seq).toBeGreaterThan(0);
  }
});

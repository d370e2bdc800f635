/**
 * Messages that cannot be read do not come back for ever, do not keep others from being purged, and
 * do not end a process that reads them for a watcher.
 */
import { jetstream } from '@nats-io/jetstream';
import { headers as newHeaders } from '@nats-io/transport-node';
import { expect, test } from 'vitest';

import { createLog } from '../../services/adapters/process/log.ts';
import { readQueueFacts } from '../../services/adapters/stream/facts.ts';
import { openMailStreams } from '../../services/adapters/stream/replay.ts';
import { startPipeline } from '../support/pipeline.ts';
import { mailEvent } from '../support/mail-events.ts';
import { until } from '../support/until.ts';

const EVENT = mailEvent({ id: 'addr_1', account_id: 'acc_1', environment: 'live' }, new Date(1), {
  event_id: 'evt_1',
});
const POISON: [string, Record<string, string>][] = [
  ['mail.0.acc_1.addr_1', {}],
  ['mail.0.acc_1.addr_1', { 'Inlet-Event': '{' }],
  [
    'mail.0.acc_1.addr_1',
    { 'Inlet-Event': JSON.stringify({ ...EVENT, received_at_ms: 'x' }), 'Nats-Msg-Id': 'one' },
  ],
  ['retry.0.acc_1.addr_1.evt_1', { 'Inlet-Event': JSON.stringify(EVENT) }], // no first place
];

test('after three deliveries they are in DEAD, with their headers, and all else continues', async () => {
  const lines: { event: string; error?: unknown }[] = [];
  const log = createLog(
    'info',
    {},
    { write: (line) => void lines.push(JSON.parse(line) as never) },
  );
  await using pipeline = await startPipeline({ log, env: { PARTITIONS: '1' } });
  const client = jetstream(pipeline.nats.connection);
  for (const [subject, fields] of POISON) {
    const headers = newHeaders();
    for (const [name, value] of Object.entries(fields)) headers.set(name, value);
    await client.publish(subject, 'body', { headers });
  }
  const address = await pipeline.address('/honest');
  await pipeline.mailer.sendMail({ from: 'a@b.example', to: address.address, text: 'honest' });
  await pipeline.receiver.nth('/honest', 1);

  const { manager } = await openMailStreams(pipeline.nats);
  await until('all to be settled', async () => {
    const { lanes } = await readQueueFacts({ manager });
    return lanes.every(({ ready, pending }) => ready + pending === 0);
  });
  const { streams } = await readQueueFacts({ manager });
  expect(streams.find(({ name }) => name === 'DEAD')?.messages).toBe(POISON.length);
  const dead = await manager.streams.getMessage('DEAD', { last_by_subj: 'dead.RETRY-0' });
  expect(dead?.header.get('Inlet-Event')).toBe(JSON.stringify(EVENT));
  expect(dead?.string()).toBe('body');
  expect(lines.filter(({ event }) => event === 'mail.set_aside')).toHaveLength(POISON.length);
  expect(lines.filter(({ event }) => event === 'mail.not_handled')).toEqual([]);
});

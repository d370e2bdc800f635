/** Streams with a size limit refuse no email while they store delivered ones, and say what is kept. */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';

import { openMailStreams } from '../../../services/adapters/stream/replay.ts';
import { startInProcess } from '../../support/start-in-process.ts';
import { until } from '../../support/until.ts';

const MAX_BYTES = 600_000;
const EMAIL_BYTES = 20_000; // its payload is about twice as long
const ROUNDS = 15;
const EACH = 4;

test('several times the limit arrives, and no email gets a 452; then everybody can see what is kept', async () => {
  await using whole = await startInProcess({
    PARTITIONS: '1',
    STREAM_MAX_BYTES: String(MAX_BYTES),
  });
  const { pipeline, api } = whole;
  const kept = async () => (await api.ask('GET', '/v1/deliveries/replay')).body;
  expect(await kept()).toEqual({ promised_hours: 72, kept_hours: 72 });
  const { address, id } = await whole.address('/much');
  const send = (subject: string) =>
    pipeline.mailer.sendMail({
      from: 'a@b.example',
      to: address,
      subject,
      text: randomBytes(EMAIL_BYTES / 2).toString('hex'),
    });
  const list = async (query: string) =>
    (await api.ask('GET', `/v1/deliveries?address_id=${id}&status=delivered&${query}`)).body as {
      data: { event_id: string }[];
      pagination: { total: number };
    };
  for (let round = 1; round <= ROUNDS; round++) {
    // a reply of 452 would throw
    await Promise.all(Array.from({ length: EACH }, (_, i) => send(`${round} ${i}`)));
    await until(
      'nothing to wait',
      async () => (await list('limit=1')).pagination.total === round * EACH,
    );
  }

  const { manager } = await openMailStreams(pipeline.nats);
  const { state } = await manager.streams.info('MAIL-0');
  expect(state.last_seq).toBe(ROUNDS * EACH);
  expect(state.bytes).toBeGreaterThan(MAX_BYTES / 2); // no more was removed than was needed
  expect(await kept()).toEqual({ promised_hours: 72, kept_hours: expect.closeTo(0, 0) });
  const page = await (await fetch(pipeline.metricsUrls.dispatcher)).text();
  const gauge = (name: string) => Number(new RegExp(`^${name}\\{.*\\} (.*)$`, 'm').exec(page)?.[1]);
  expect(gauge('inlet_replay_promised_seconds')).toBe(259_200);
  expect(gauge('inlet_replay_kept_seconds')).toBeLessThan(3_600);

  const { data } = await list('limit=100');
  const replay = async (delivery: { event_id: string } | undefined) =>
    (await api.ask('POST', `/v1/deliveries/${delivery?.event_id}/replay`)).status;
  expect(await replay(data[0])).toBe(200);
  expect(await replay(data.at(-1))).toBe(404);
});

/** Messages and their acknowledgments, with a real nats-server. */
import { JetStreamApiError } from '@nats-io/jetstream';
import { expect, test } from 'vitest';
import { z } from 'zod';

import { connectNats } from '../../../../services/adapters/stream/connection/connection.ts';
import { isUnanswered } from '../../../../services/adapters/stream/connection/errors.ts';
import {
  ensureStreams,
  StreamsConfig,
} from '../../../../services/adapters/stream/events/streams.ts';
import { log } from '../../../support/pipeline.ts';
import { startTestNats } from '../../../support/servers.ts';

const problemOf = (published: Promise<unknown>) =>
  published.then(
    () => undefined,
    (error: unknown) => error,
  );

test('each message gets its own acknowledgment; refusals, silence and a closed connection reject', async () => {
  await using server = await startTestNats();
  const nats = await connectNats({ url: server.url, name: 'test' }, log);
  const { publisher } = await ensureStreams(
    nats,
    z.object(StreamsConfig).parse({ PARTITIONS: '1' }),
  );
  const acks = await Promise.all(
    Array.from({ length: 100 }, (_, i) =>
      publisher.publish('failed.acc.addr', `message ${i}`, { msgID: `id-${i % 50}` }),
    ),
  );
  expect(acks.map(({ seq, duplicate }) => [seq, duplicate])).toEqual(
    acks.map((_, i) => [(i % 50) + 1, i >= 50]),
  );

  const refused = await problemOf(publisher.publish('failed.acc.addr', 'x', { after: 7 }));
  expect([refused instanceof JetStreamApiError, isUnanswered(refused)]).toEqual([true, false]);
  expect(refused).toMatchObject({ code: 10071 });

  const nobody = await problemOf(publisher.publish('no.stream.has.this', 'x', {}));
  expect(isUnanswered(nobody)).toBe(true);
  nats.connection.subscribe('silent');
  const silent = await problemOf(publisher.publish('silent', 'x', { timeout: 50 }));
  expect(isUnanswered(silent)).toBe(true);
  const large = await problemOf(publisher.publish('failed.x', 'x'.repeat(20_000_000), {}));
  expect([large instanceof Error, isUnanswered(large)]).toEqual([true, false]);

  const pending = problemOf(publisher.publish('silent', 'x', { timeout: 60_000 }));
  await nats[Symbol.asyncDispose]();
  expect(isUnanswered(await pending)).toBe(true);
  const closed = await problemOf(publisher.publish('failed.x', 'x', {}));
  expect([closed instanceof Error, isUnanswered(closed)]).toEqual([true, false]);
});

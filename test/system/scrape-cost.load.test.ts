/**
 * The cost of a scrape does not grow with the number of accounts: 4,000 accounts and addresses,
 * each with email in flight.
 */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { z } from 'zod';

import { createMeter } from '../../services/adapters/process/meter.ts';
import { createStoreMail } from '../../services/adapters/stream/store.ts';
import { connectNats } from '../../services/adapters/stream/connection/connection.ts';
import { createRegistry } from '../../services/adapters/process/observe.ts';
import { readQueueFacts } from '../../services/adapters/stream/facts.ts';
import { registerQueueGauges } from '../../services/adapters/stream/gauges.ts';
import {
  ensureConsumer,
  ensureStreams,
  mailStream,
  retryStream,
  StreamsConfig,
} from '../../services/adapters/stream/events/streams.ts';
import { createDispatcherMetrics } from '../../services/dispatcher/process/metrics.ts';
import { log } from '../support/pipeline.ts';
import { startTestNats } from '../support/servers.ts';
import { atMost } from '../support/slowdown.ts';

const ADDRESSES = 4_000;
const PARTITIONS = 4;
const AT_ONCE = 500;

test(`a scrape with ${ADDRESSES} addresses stays small and fast`, async () => {
  await using server = await startTestNats();
  await using nats = await connectNats({ url: server.url, name: 'test' }, log);
  const streams = await ensureStreams(
    nats,
    z.object(StreamsConfig).parse({ PARTITIONS: String(PARTITIONS) }),
  );
  for (let p = 0; p < PARTITIONS; p++)
    await Promise.all([
      ensureConsumer(streams.manager, mailStream(p), 30_000),
      ensureConsumer(streams.manager, retryStream(p), 30_000),
    ]);
  const registry = createRegistry('dispatcher');
  registerQueueGauges(createMeter(registry), () => readQueueFacts(streams));
  const metrics = createDispatcherMetrics(createMeter(registry), {
    namedAccounts: 20,
    inFlight: () => 0,
  });

  const storeMail = createStoreMail(streams);
  const store = (i: number) => {
    const event = {
      event_id: `evt_${i}`,
      account_id: `acc_${i}`,
      environment: 'live' as const,
      address_id: `addr_${i}`,
      mail_from: '',
      from: null,
      subject: null,
      size_bytes: 1,
      received_at_ms: 1,
    };
    metrics.attempted({ kind: 'accepted', status: 200 }, 1, event.account_id, 'own');
    metrics.ended('delivered', event.account_id, 'own');
    return storeMail(event, [randomBytes(200)], randomBytes(32).toString('hex'));
  };
  for (let i = 0; i < ADDRESSES; i += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, (_, k) => store(i + k)));

  const took: number[] = [];
  let text = '';
  for (let i = 0; i < 3; i++) {
    const startedAt = performance.now();
    text = await registry.metrics();
    took.push(performance.now() - startedAt);
    // the next scrape queries JetStream again
    await new Promise((resolve) => setTimeout(resolve, 1_100));
  }
  process.stdout.write(
    `scrapes of ${Buffer.byteLength(text)} bytes took ${took.map((ms) => ms.toFixed(0)).join(', ')} ms\n`,
  );
  expect(text).toMatch(
    new RegExp(`^inlet_dispatcher_backlog_mails\\{component="dispatcher"\\} ${ADDRESSES}$`, 'm'),
  );
  // twenty by name, and one for all others
  expect(new Set(text.match(/(?<=inlet_account_deliveries_total\{account=")[^"]+/g)).size).toBe(21);
  expect(Buffer.byteLength(text)).toBeLessThan(100_000);
  expect(Math.min(...took)).toBeLessThan(atMost(500));
});

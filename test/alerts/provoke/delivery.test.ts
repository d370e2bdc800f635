/** Receivers, dispatchers and records that fail. */
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { headers as newHeaders } from '@nats-io/transport-node';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { createLog } from '../../../services/adapters/process/log.ts';
import { connectNats, type Nats } from '../../../services/adapters/stream/connection/connection.ts';
import { until } from '../../support/until.ts';
import { type Bed, startBed } from './bed.ts';
import { startMonitoring } from './monitoring.ts';
import { provoked } from './provocation.ts';
import { pulses } from './pulses.ts';
import { runAsWritten } from './runbook-commands.ts';

const parts = new AsyncDisposableStack();
let bed: Bed;
let nats: Nats;
const suspend = () => process.kill(bed.service('dispatcher').pid(), 'SIGSTOP');
const resume = () => process.kill(bed.service('dispatcher').pid(), 'SIGCONT');
const records = () => bed.mongo.db.collection('deliveries');
const answerSlowly = (path: string, afterMs: number) =>
  bed.receiver.answer(path, () => (response) => {
    setTimeout(() => response.writeHead(200).end(), afterMs);
  });
const isIdle = async () => {
  const { num_pending, num_ack_pending } = await (
    await jetstreamManager(nats.connection)
  ).consumers.info('MAIL-0', 'dispatcher');
  return num_pending + num_ack_pending === 0;
};

beforeAll(async () => {
  const monitoring = parts.use(await startMonitoring('delivery'));
  bed = parts.use(
    await startBed({
      monitoring,
      namespace: 'delivery',
      run: { gateway: {}, dispatcher: { WEBHOOK_TIMEOUT: '30s' }, api: { FAILING_AFTER: '5s' } },
    }),
  );
  nats = parts.use(await connectNats({ url: bed.natsUrl, name: 'provoke' }, createLog('silent')));
});
afterAll(() => parts.disposeAsync());

test('a dispatcher that hangs', async () => {
  const { address } = await bed.address('/well');
  await using _load = bed.load(2, address);
  await provoked(bed, {
    alerts: ['InletQueueOld'],
    provoke: suspend,
    mend: resume,
  });
});

test('first attempts that are late', async () => {
  const { address } = await bed.address('/well');
  await using _load = bed.load(5, address);
  let slow: AsyncDisposable;
  await provoked(bed, {
    alerts: ['InletFirstAttemptsLate'],
    provoke: () => {
      slow = pulses(bed.service('dispatcher').pid(), { stoppedMs: 4_000, runningMs: 500 });
    },
    mend: () => slow[Symbol.asyncDispose](),
  });
});

test('a large backlog', async () => {
  const addresses: string[] = [];
  for (let i = 0; i < 100; i++) addresses.push((await bed.address('/well')).address);
  await provoked(bed, {
    alerts: ['InletBacklogLarge'],
    provoke: async () => {
      suspend();
      for (let i = 0; i < 55; i++) expect(await bed.send(addresses)).toBe(true);
    },
    mend: resume,
  });
  await until('the backlog', isIdle, 300_000);
});

test('receivers that refuse', async () => {
  const { address } = await bed.address('/refusing');
  bed.receiver.answer('/refusing', () => 404);
  const load = bed.load(5, address);
  await provoked(bed, {
    alerts: ['InletDeliveriesFailing', 'InletAttemptsFailing'],
    provoke: () => undefined,
    mend: () => load[Symbol.asyncDispose](),
  });
  bed.receiver.answer('/refusing', () => 204);
  expect(await bed.send(address)).toBe(true); // the address is failing no more
});

test('slow receivers', async () => {
  const addresses: string[] = [];
  for (let i = 0; i < 10; i++) {
    addresses.push((await bed.address(`/slow-${i}`)).address);
    answerSlowly(`/slow-${i}`, 11_000);
  }
  let next = 0;
  const load = bed.load(2, () => String(addresses[next++ % addresses.length]));
  await provoked(bed, {
    alerts: ['InletWebhooksSlow'],
    provoke: () => undefined,
    mend: () => {
      for (let i = 0; i < 10; i++) bed.receiver.answer(`/slow-${i}`, () => 200);
    },
  });
  await load[Symbol.asyncDispose]();
});

test('a receiver that accepts nothing', async () => {
  const { address } = await bed.address('/abandoned');
  bed.receiver.answer('/abandoned', () => 503);
  await provoked(bed, {
    alerts: ['InletAddressesFailing'],
    provoke: () => bed.send(address),
    mend: async () => {
      bed.receiver.answer('/abandoned', () => 204);
      await bed.send(address);
    },
  });
});

test('expected email that does not arrive', async () => {
  const created = await fetch(`${bed.apiUrl}/addresses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bed.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      webhook_url: bed.receiver.url('/expected'),
      expect: { every: '1m', grace: '0m' },
    }),
  });
  expect(created.status).toBe(201);
  const { address } = (await created.json()) as { address: string };
  await provoked(bed, {
    alerts: ['InletAddressesSilent'],
    provoke: () => undefined,
    mend: () => bed.send(address),
  });
});

test('a retry lane that is full', async () => {
  await bed.service('dispatcher').stop();
  await bed.service('dispatcher').start({ RETRY_MAX_MAILS: '1' });
  const { address } = await bed.address('/hanging');
  answerSlowly('/hanging', 20_000);
  let load: AsyncDisposable;
  await provoked(bed, {
    alerts: ['InletBacklogFull'],
    provoke: () => {
      load = bed.load(5, address);
    },
    mend: () => load[Symbol.asyncDispose](),
  });
  bed.receiver.answer('/hanging', () => 200);
  await bed.service('dispatcher').stop();
  await bed.service('dispatcher').start();
});

test('outcomes that MongoDB refuses', async () => {
  const { address, id } = await bed.address('/well');
  await provoked(bed, {
    alerts: ['InletOutcomesRefused'],
    provoke: async () => {
      await bed.mongo.db.command({ collMod: 'deliveries', validator: { address_id: { $ne: id } } });
      await bed.send(address);
    },
    mend: () => bed.mongo.db.command({ collMod: 'deliveries', validator: {} }),
  });
});

test('a body that is damaged', async () => {
  const { address } = await bed.address('/damaged');
  await provoked(bed, {
    alerts: ['InletMailSetAside'],
    provoke: async () => {
      suspend();
      expect(await bed.send(address, { text: 'x'.repeat(800_000) })).toBe(true);
      const { streams } = await jetstreamManager(nats.connection);
      const { state } = await streams.info('OBJ_BODIES');
      await streams.deleteMessage('OBJ_BODIES', state.first_seq);
      resume();
    },
    mend: () => undefined,
  });
});

test('messages that cannot be read', () =>
  provoked(bed, {
    alerts: ['InletDeadLetters'],
    provoke: () =>
      jetstream(nats.connection).publish('mail.0.acc_1.addr_1', 'no event', {
        headers: newHeaders(),
      }),
    mend: async () =>
      expect((await runAsWritten(bed, 'nats stream purge DEAD -f')).result).toBe('data'),
  }));

test('an email that no stream has', async () => {
  const { address, id } = await bed.address('/lost');
  bed.receiver.answer('/lost', () => 503);
  await provoked(bed, {
    alerts: ['InletDeliveriesLost'],
    provoke: async () => {
      await bed.send(address);
      await until(
        'its retry',
        async () => (await records().findOne({ address_id: id, status: 'retrying' })) !== null,
      );
      await sleep(1_000);
      const { streams } = await jetstreamManager(nats.connection);
      for (const stream of ['MAIL-0', 'RETRY-0'])
        await streams.purge(stream, { filter: `*.0.*.${id}.>` });
      await streams.purge('MAIL-0');
      await streams.purge('RETRY-0');
      const at = new Date(Date.now() - 3_600_000);
      await records().updateOne(
        { address_id: id },
        { $set: { next_attempt_at: at, updated_at: at } },
      );
    },
    mend: () => undefined,
  });
});

test('a large retry lane', async () => {
  const { address, id } = await bed.address('/waits');
  bed.receiver.answer('/waits', () => 503);
  await bed.service('dispatcher').stop();
  await bed.service('dispatcher').start({ RETRY_SCHEDULE: '10m,10m' });
  await bed.send(address);
  await until(
    'its retry',
    async () => (await records().findOne({ address_id: id, status: 'retrying' })) !== null,
  );
  await sleep(1_000);
  const { streams } = await jetstreamManager(nats.connection);
  const { state } = await streams.info('RETRY-0');
  const one = await streams.getMessage('RETRY-0', { seq: state.last_seq });
  await provoked(bed, {
    alerts: ['InletRetryBacklogLarge'],
    provoke: async () => {
      await bed.service('dispatcher').stop();
      const publisher = jetstream(nats.connection);
      const sent = newHeaders();
      for (const [name, values] of one?.header ?? [])
        if (!name.startsWith('Nats-')) for (const value of values) sent.append(name, value);
      for (let round = 0; round < 101; round++) {
        const copies = [];
        for (let i = 0; i < 1_000; i++)
          copies.push(
            publisher.publish(`retry.0.acc_1.addr_1.evt_${round}_${i}`, one?.data, {
              headers: sent,
              timeout: 60_000,
            }),
          );
        await Promise.all(copies);
      }
    },
    mend: () => streams.purge('RETRY-0'),
    withinMs: 900_000,
  });
  await bed.service('dispatcher').start();
});

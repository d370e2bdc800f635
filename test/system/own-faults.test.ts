/** A process with wrong keys, or without a new one, makes emails wait, and ends none (D290). */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';

import { createAddresses } from '../../services/adapters/mongo/address/addresses.ts';
import { createSecretBox } from '../../services/adapters/mongo/database/secrets.ts';
import { DISPATCHER_CONSUMER } from '../../services/adapters/stream/events/streams.ts';
import { openMailStreams } from '../../services/adapters/stream/replay.ts';
import { newAddress } from '../support/new-address.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { startInProcess } from '../support/start-in-process.ts';
import { until } from '../support/until.ts';
import { useInFile } from '../support/use-in-file.ts';

const newKey = () => randomBytes(32).toString('base64');
const [OLD, NEW, OTHER] = [newKey(), newKey(), newKey()];
/** As after step 1 of a change of keys that was done in one step: all but the dispatcher know NEW. */
const whole = await useInFile(
  startInProcess({ SECRET_KEYS: `${NEW},${OLD}` }, { withDispatcher: false }),
);
const { pipeline } = whole;

const dispatcherWith = (SECRET_KEYS: string) =>
  startServiceProcess('dispatcher', { ...pipeline.settings, SECRET_KEYS });

/** The records of these addresses, as text to compare. */
async function records(of: readonly { id: string }[]) {
  const found = await pipeline.mongo.db
    .collection('deliveries')
    .find({ address_id: { $in: of.map(({ id }) => id) } })
    .toArray();
  return found.map(({ status, attempts }) => `${status} ${(attempts as unknown[]).length}`);
}
const recorded = (of: readonly { id: string }[], each: string) =>
  until(`every email to be "${each}"`, async () => {
    const all = await records(of);
    return all.length === of.length && all.every((one) => one === each);
  });

async function page(port: number, path: string) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: response.status, text: await response.text() };
}
const missingKeys = async (port: number) =>
  Number(
    /inlet_missing_secret_keys\{.*\} (\d+)/.exec((await page(port, '/metrics')).text)?.[1] ?? -1,
  );

test('a dispatcher with wrong keys: not ready, pulls nothing, and all is delivered once they are right', async () => {
  const paths = Array.from({ length: 5 }, (_, i) => `/wrong-keys-${i}`);
  const addresses = await Promise.all(paths.map((path) => whole.address(path)));
  for (const { address } of addresses) await whole.send(address, 'waits');
  {
    await using wrong = await dispatcherWith(OTHER);
    expect((await page(wrong.metricsPort, '/readyz')).status).toBe(503);
    expect(await missingKeys(wrong.metricsPort)).toBe(1);
    await recorded(addresses, 'pending 0'); // shown, although nobody pulls them
    const { manager } = await openMailStreams(pipeline.nats);
    for (const stream of ['MAIL-0', 'MAIL-1']) {
      const { delivered } = await manager.consumers.info(stream, DISPATCHER_CONSUMER);
      expect(delivered.consumer_seq).toBe(0);
    }
  }
  await using right = await dispatcherWith(`${NEW},${OLD}`);
  await recorded(addresses, 'delivered 1');
  expect((await page(right.metricsPort, '/readyz')).status).toBe(200);
  expect(await missingKeys(right.metricsPort)).toBe(0);
});

test('a new key in one step, and a dispatcher that lacks it: its other emails flow, and none fails', async () => {
  const store = createAddresses(pipeline.mongo.db, createSecretBox([Buffer.from(OLD, 'base64')]));
  const former = await Promise.all(
    Array.from({ length: 12 }, async (_, i) => {
      const address = newAddress(pipeline.receiver.url(`/former-${i}`));
      await store.insert(address);
      return address;
    }),
  );
  const created = await whole.address('/created');
  const held = await whole.address('/held', {
    rules: [{ name: 'all', when: 'true', action: 'hold' }],
  });
  {
    await using late = await dispatcherWith(OLD);
    for (const { address } of [...former, created, held]) await whole.send(address, 'change');
    await recorded(former, 'delivered 1');
    await until(
      'the dispatcher to notice',
      async () => (await missingKeys(late.metricsPort)) === 1,
    );
    expect((await page(late.metricsPort, '/readyz')).status).toBe(200);
    await recorded([created], 'pending 0');
  }
  await using _current = await dispatcherWith(`${NEW},${OLD}`);
  await recorded([created], 'delivered 1');
  await recorded([held], 'held 0');
  expect(pipeline.receiver.received('/held')).toEqual([]);
});

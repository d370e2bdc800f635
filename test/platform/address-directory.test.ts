/**
 * The address cache of gateways and dispatchers: announced changes apply immediately, and cached
 * addresses are available while MongoDB is down.
 */
import { beforeEach, describe, expect, test } from 'vitest';

import {
  type ChangedAddress,
  createAddressAnnouncer,
  createDirectory,
  type Directory,
} from '../../services/platform/address-directory.ts';
import { connectNats, type Nats } from '../../services/adapters/stream/connection/connection.ts';
import { log } from '../support/pipeline.ts';
import { startTestNats } from '../support/servers.ts';
import { until } from '../support/until.ts';
import { useInFile } from '../support/use-in-file.ts';

type Known = { version: number };

const server = await useInFile(startTestNats());
const ours = await useInFile(connectNats({ url: server.url, name: 'ours' }, log));
const others = await useInFile(connectNats({ url: server.url, name: 'others' }, log));

/** A database that a test controls: its contents, whether it responds, and a count of queries. */
let stored: Map<string, Known>;
let isAway: boolean;
let reads: string[];
let held: Promise<void> | undefined;
let directory: Directory<Known>;
beforeEach(async () => {
  stored = new Map([['box@in.example', { version: 1 }]]);
  isAway = false;
  reads = [];
  held = undefined;
  const load = async (key: string) => {
    const found = stored.get(key);
    reads.push(key);
    await held;
    if (isAway) throw new Error('connect ECONNREFUSED');
    return found;
  };
  directory = createDirectory(ours, ({ address }) => address, load, log);
  await ours.connection.flush(); // the server has the subscription
});

/** Announces a change and waits until our connection has received it. */
async function announce(change: ChangedAddress): Promise<void> {
  createAddressAnnouncer(others)(change);
  await others.connection.flush();
  await ours.connection.flush();
}
const CHANGE = { id: 'addr_1', address: 'box@in.example' };

test('a cached address is not read again', async () => {
  for (let i = 0; i < 3; i++) expect(await directory.get('box@in.example')).toEqual({ version: 1 });
  expect(reads).toHaveLength(1);
});

test('simultaneous lookups are one read', async () => {
  await Promise.all(Array.from({ length: 50 }, () => directory.get('box@in.example')));
  expect(reads).toHaveLength(1);
});

const longKey = (i: number) => `${i}${'x'.repeat(1_000)}@in.example`;
const askTwice = async () => {
  for (let i = 0; i < 2; i++) expect(await directory.get('new@in.example')).toBeUndefined();
};

describe('checklist 11: unknown keys are cached briefly', () => {
  test('MongoDB is queried once', async () => {
    await askTwice();
    expect(reads).toEqual(['new@in.example']);
  });

  test('an announced key is known immediately', async () => {
    await askTwice();
    stored.set('new@in.example', { version: 1 });
    await announce({ id: 'addr_2', address: 'new@in.example' });
    expect(await directory.get('new@in.example')).toEqual({ version: 1 });
  });

  test('a change of another key does not affect it', async () => {
    await askTwice();
    await announce(CHANGE);
    await directory.get('new@in.example');
    expect(reads).toEqual(['new@in.example']);
  });

  test('a read that an announcement overtakes is not cached', async () => {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    held = promise;
    const before = directory.get('new@in.example');
    stored.set('new@in.example', { version: 1 });
    await announce({ id: 'addr_2', address: 'new@in.example' });
    const after = directory.get('new@in.example');
    release();
    expect(await before).toBeUndefined();
    expect(await after).toEqual({ version: 1 });
  });

  test('while MongoDB is down, lookups of unknown keys fail; wasUnknown holds until a change', async () => {
    await askTwice();
    expect([
      directory.wasUnknown('new@in.example'),
      directory.wasUnknown('other@in.example'),
    ]).toEqual([true, false]);
    await announce({ id: 'addr_2', address: 'new@in.example' });
    isAway = true;
    await expect(directory.get('new@in.example')).rejects.toThrow('ECONNREFUSED');
    expect(directory.wasUnknown('new@in.example')).toBe(false);
  });

  test('it is read again while NATS is down, because announcements would be missed', async () => {
    await askTwice();
    stored.set('new@in.example', { version: 1 });
    await server.kill();
    await until('the loss', () => !ours.isConnected());
    expect(await directory.get('new@in.example')).toEqual({ version: 1 });
    await server.restart();
    await until('the reconnect', () => ours.isConnected() && others.isConnected());
  });

  test('the cache is bounded by its size, and drops the oldest keys', async () => {
    const COUNT = 10_000; // more than 16 MiB
    for (let i = 0; i < COUNT; i++) await directory.get(longKey(i));
    reads = [];
    await directory.get(longKey(COUNT - 1));
    await directory.get(longKey(0));
    expect(reads).toEqual([longKey(0)]);
  });
});

test('an announced change applies immediately, and affects no other key', async () => {
  stored.set('other@in.example', { version: 1 });
  await directory.get('box@in.example');
  await directory.get('other@in.example');
  stored.set('box@in.example', { version: 2 });
  await announce(CHANGE);
  expect(await directory.get('box@in.example')).toEqual({ version: 2 });
  await directory.get('other@in.example');
  expect(reads).toEqual(['box@in.example', 'other@in.example', 'box@in.example']);
});

test('an announced removal applies immediately', async () => {
  await directory.get('box@in.example');
  stored.delete('box@in.example');
  await announce(CHANGE);
  expect(await directory.get('box@in.example')).toBeUndefined();
});

test('a read that a change overtakes is neither cached nor shared with later lookups', async () => {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  held = promise;
  const before = directory.get('box@in.example');
  stored.set('box@in.example', { version: 2 });
  await announce(CHANGE);
  const after = directory.get('box@in.example');
  release();
  expect(await before).toEqual({ version: 1 });
  expect(await after).toEqual({ version: 2 });
  expect(await directory.get('box@in.example')).toEqual({ version: 2 });
});

test('messages that are no announcement are ignored', async () => {
  await directory.get('box@in.example');
  for (const text of ['', 'nonsense', 'null', '[]', '{"address":7}'])
    others.connection.publish('inlet.addresses.changed', text);
  await others.connection.flush();
  await ours.connection.flush();
  stored.set('box@in.example', { version: 2 });
  await announce(CHANGE);
  expect(await directory.get('box@in.example')).toEqual({ version: 2 });
});

test('while MongoDB is down, cached addresses are returned and others are an error', async () => {
  await directory.get('box@in.example');
  isAway = true;
  expect(await directory.get('box@in.example')).toEqual({ version: 1 });
  await expect(directory.get('other@in.example')).rejects.toThrow('ECONNREFUSED');
});

test('while MongoDB is down, an address with an announced change is not returned', async () => {
  await directory.get('box@in.example');
  isAway = true;
  await announce(CHANGE);
  await expect(directory.get('box@in.example')).rejects.toThrow('ECONNREFUSED');
});

/** Restarts nats-server, until both clients have noticed that it was gone and are connected again. */
async function restartNats(): Promise<void> {
  const reconnected = new Set<Nats>();
  for (const nats of [ours, others]) nats.onReconnect(() => reconnected.add(nats));
  await server.restart();
  await until(
    'the reconnects',
    () => reconnected.size === 2 && ours.isConnected() && others.isConnected(),
  );
}

test('after a reconnect every address is read again, or cached ones are used while MongoDB is down', async () => {
  await directory.get('box@in.example');
  await restartNats();
  stored.set('box@in.example', { version: 2 });
  isAway = true;
  expect(await directory.get('box@in.example')).toEqual({ version: 1 });
  isAway = false;
  expect(
    await until('the new version', async () =>
      (await directory.get('box@in.example'))?.version === 2 ? reads.length : undefined,
    ),
  ).toBeGreaterThanOrEqual(3);

  await restartNats();
  const { promise, resolve: release } = Promise.withResolvers<void>();
  held = promise;
  isAway = true;
  const requested = directory.get('box@in.example');
  await announce(CHANGE);
  release();
  await expect(requested).rejects.toThrow('ECONNREFUSED');
});

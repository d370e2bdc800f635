/** failing_since of addresses, derived from deliveries, and the marking of failing addresses. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';

import { createDeliveries } from '../../../../services/adapters/mongo/delivery/deliveries.ts';
import {
  accountIndexes,
  createAccounts,
} from '../../../../services/adapters/mongo/account/accounts.ts';
import { createAddresses } from '../../../../services/adapters/mongo/address/addresses.ts';
import { addressIndexes } from '../../../../services/adapters/mongo/documents/address-documents.ts';
import { deliveryIndexes } from '../../../../services/adapters/mongo/documents/delivery-documents.ts';
import {
  createFailingAddresses,
  type FailingAddress,
} from '../../../../services/adapters/mongo/address/failing-addresses.ts';
import { createSecretBox } from '../../../../services/adapters/mongo/database/secrets.ts';
import { usageIndexes } from '../../../../services/adapters/mongo/usage/counters.ts';
import { usageEventIndexes } from '../../../../services/adapters/mongo/audit/events.ts';
import type { Address } from '../../../../services/core/address/address.ts';
import type { Attempt } from '../../../../services/core/delivery/delivery.ts';
import type { Step } from '../../../../services/core/delivery/retry.ts';
import { newId } from '../../../../services/core/id/ids.ts';
import { newAddress } from '../../../support/new-address.ts';
import { startTestDatabase } from '../../../support/test-database.ts';
import { mailEvent } from '../../../support/mail-events.ts';
import { useInFile } from '../../../support/use-in-file.ts';
import { wholeAccount } from '../../../../services/core/address/scope.ts';

const START = new Date('2026-03-01T12:00:00Z');
const minute = (minutes: number) => new Date(START.getTime() + minutes * 60_000);

const mongo = await useInFile(
  startTestDatabase([
    accountIndexes,
    addressIndexes,
    deliveryIndexes,
    usageIndexes,
    usageEventIndexes,
  ]),
);
const deliveries = createDeliveries(mongo.db);
const addresses = createAddresses(mongo.db, createSecretBox([randomBytes(32)]));
const failing = createFailingAddresses(mongo.db);

async function anAddress(fields: Partial<Address> = {}): Promise<Address> {
  const address = newAddress('https://receiver.example/', fields);
  await addresses.insert(address);
  return address;
}

type Came = { at: number; outcome: Attempt['outcome']; status?: number; eventId?: string };

const RETRY: Step = { kind: 'retry', at: minute(60) };
const STEPS: Record<Attempt['outcome'], Step> = {
  accepted: { kind: 'done' },
  busy: RETRY,
  unreachable: RETRY,
  storage_failed: RETRY,
  refused: { kind: 'give-up' },
  blocked: { kind: 'give-up' },
};

/** Records attempts of an address in one batch. An event id may appear once per batch. */
async function attempts(address: Address, ...came: Came[]): Promise<string[]> {
  const changes = came.map(
    ({ at, outcome, status, eventId = newId('evt', minute(at), randomBytes(10)) }) => ({
      kind: 'attempted' as const,
      revision: 0,
      mail: mailEvent(address, minute(at), { event_id: eventId }),
      storedAt: { partition: 0, sequence: 1 },
      attempt: {
        at: minute(at),
        duration_ms: 5,
        outcome,
        status_code: status ?? null,
        error: null,
        excerpt: null,
      },
      step: STEPS[outcome],
    }),
  );
  await deliveries.record(changes, minute(Math.max(...came.map(({ at }) => at))));
  return changes.map(({ mail }) => mail.event_id);
}

const stateOf = async ({ id }: Address) =>
  mongo.db
    .collection<{
      _id: string;
      failing_since?: Date;
      failing_noticed_at?: Date;
      is_enabled: boolean;
      email_count: number;
    }>('addresses')
    .findOne({ _id: id });
const sinceOf = async (address: Address) => (await stateOf(address))?.failing_since;

async function candidate(
  { id }: Address,
  since = minute(10_000),
): Promise<FailingAddress | undefined> {
  for await (const one of failing.since(since)) if (one.id === id) return one;
  return undefined;
}

const refusing = async ({ id }: Address, endedAfter = minute(0)) => {
  for await (const one of failing.refusing(endedAfter)) if (one.id === id) return one;
  return undefined;
};
const rotated = async (fields: Partial<Address> = {}) => {
  const address = await anAddress(fields);
  const rotation = { secret: 'whsec_new', formerUntil: minute(1_440) };
  const scope = wholeAccount(address);
  await addresses.rotateSecret(scope, address.id, rotation, minute(0));
  return address;
};
const eventsOf = async ({ id }: Address) =>
  mongo.db
    .collection('events')
    .find({ address_id: id, type: /^address/ })
    .sort({ timestamp: 1, type: 1 })
    .toArray();

describe('failing_since', () => {
  test.each<Attempt['outcome']>(['busy', 'unreachable', 'refused', 'blocked'])(
    'begins with the first attempt with the outcome %s and stays',
    async (outcome) => {
      const address = await anAddress();
      await attempts(address, { at: 1, outcome });
      expect(await sinceOf(address)).toEqual(minute(1));
      await attempts(address, { at: 2, outcome }, { at: 3, outcome });
      expect(await sinceOf(address)).toEqual(minute(1));
    },
  );

  test('ends with the first accepted attempt of any email, and starts again after it', async () => {
    const address = await anAddress();
    const [eventId] = await attempts(address, { at: 1, outcome: 'busy' });
    await attempts(address, { at: 2, outcome: 'accepted' });
    expect(await stateOf(address)).not.toHaveProperty('failing_since');
    await attempts(address, { at: 3, outcome: 'busy', eventId: eventId ?? '' });
    expect(await sinceOf(address)).toEqual(minute(3));
    await attempts(address, { at: 4, outcome: 'accepted', eventId: eventId ?? '' });
    expect(await stateOf(address)).not.toHaveProperty('failing_since');
    expect(await stateOf(address)).toMatchObject({ email_count: 2 });
  });

  test('a batch with both outcomes has the state after its last accepted attempt', async () => {
    const address = await anAddress();
    await attempts(address, { at: 1, outcome: 'busy' });
    await attempts(address, { at: 3, outcome: 'busy' }, { at: 2, outcome: 'accepted' });
    expect(await sinceOf(address)).toEqual(minute(3));
    await attempts(address, { at: 4, outcome: 'busy' }, { at: 5, outcome: 'accepted' });
    expect(await sinceOf(address)).toBeUndefined();
  });

  test.each<[string, object, boolean]>([
    ['another webhook_url', { webhook_url: 'https://other.example/' }, false],
    ['being enabled again', { is_enabled: true }, false],
    [
      'the same webhook_url and another description',
      { webhook_url: 'https://receiver.example/', description: 'new' },
      true,
    ],
  ])('after %s', async (_, change, stillFails) => {
    const address = await anAddress({ is_enabled: false });
    await attempts(address, { at: 1, outcome: 'busy' });
    await addresses.update(wholeAccount(address), address.id, change, minute(2));
    expect((await sinceOf(address)) !== undefined).toBe(stillFails);
  });
});

describe('notice', () => {
  test('long-failing addresses are found with their facts; recovered ones are not', async () => {
    const { id: account_id } = await createAccounts(mongo.db).create({
      email: 'a@example.com',
      name: 'A',
    });
    const address = await anAddress({ account_id });
    await attempts(address, { at: 1, outcome: 'busy' });
    await attempts(address, { at: 9, outcome: 'refused' });
    expect(await candidate(address)).toMatchObject({
      id: address.id,
      account_id,
      failing_since: minute(1),
      last_failure_at: minute(9),
      is_enabled: true,
      disable_failing_addresses: false,
    });
    expect(await candidate(address, minute(0.5))).toBeUndefined();
    await attempts(address, { at: 10, outcome: 'accepted' });
    expect(await candidate(address)).toBeUndefined();
  });

  test('it is marked once across processes, with one event', async () => {
    const address = await anAddress();
    await attempts(address, { at: 1, outcome: 'busy' });
    const found = await candidate(address);
    if (found === undefined) throw new Error('not found');
    const noticed = await Promise.all(
      Array.from({ length: 5 }, () => failing.notice(found, 'notice', minute(9))),
    );
    expect(noticed.filter(Boolean)).toHaveLength(1);
    expect(await stateOf(address)).toMatchObject({
      failing_noticed_at: minute(9),
      is_enabled: true,
    });
    expect(
      await mongo.db
        .collection('events')
        .find({ address_id: address.id, type: /^address/ })
        .toArray(),
    ).toEqual([
      {
        _id: expect.stringMatching(/^evt_/) as string,
        account_id: address.account_id,
        environment: 'live',
        type: 'address.failing',
        address_id: address.id,
        timestamp: minute(9),
        data: { failing_since: minute(1), is_enabled: true },
        to_notify: true,
      },
    ]);
    expect(await candidate(address)).toBeUndefined();
  });

  test('D15: the accepted attempt that ends it is one event, an unmarked failure is none', async () => {
    const [marked, unmarked] = [await anAddress(), await anAddress()];
    for (const address of [marked, unmarked]) await attempts(address, { at: 1, outcome: 'busy' });
    const found = await candidate(marked);
    if (found) await failing.notice(found, 'notice', minute(9));
    for (const address of [marked, unmarked]) {
      await attempts(address, { at: 10, outcome: 'accepted' });
      await attempts(address, { at: 11, outcome: 'accepted' });
    }
    expect(await stateOf(marked)).not.toHaveProperty('failing_noticed_at');
    const events = mongo.db.collection('events').find({
      address_id: { $in: [marked.id, unmarked.id] },
      type: 'address.recovered',
    });
    expect(await events.toArray()).toMatchObject([
      {
        account_id: marked.account_id,
        environment: 'live',
        address_id: marked.id,
        timestamp: minute(10),
        data: { reason: 'delivered' },
      },
    ]);
  });

  test.each<[string, object, boolean]>([
    ['a new webhook_url ends it', { webhook_url: 'https://other.example/' }, true],
    ['being enabled again ends it', { is_enabled: true }, true],
    ['another description does not end it', { description: 'new' }, false],
  ])('%s', async (_, change, hasRecovered) => {
    const address = await anAddress();
    await attempts(address, { at: 1, outcome: 'busy' });
    const found = await candidate(address);
    if (found) await failing.notice(found, 'disable', minute(9));
    const update = () => addresses.update(wholeAccount(address), address.id, change, minute(10));
    expect(await update()).toMatchObject({ isChanged: true, hasRecovered });
    expect(await update()).toMatchObject({ isChanged: false, hasRecovered: false });
  });

  test('disabling it is a separate event', async () => {
    const address = await anAddress();
    await attempts(address, { at: 1, outcome: 'busy' });
    const found = await candidate(address);
    if (found) await failing.notice(found, 'disable', minute(9));
    expect(await stateOf(address)).toMatchObject({ is_enabled: false });
    expect(
      (
        await mongo.db
          .collection('events')
          .find({ address_id: address.id, type: /^address/ })
          .sort({ type: 1 })
          .toArray()
      ).map(({ type }) => type as string),
    ).toEqual(['address.failing', 'address.updated']);
  });

  describe('after a rotation of the secret', () => {
    test('its attempts are found; without a rotation, it is not', async () => {
      const [address, other] = [await rotated(), await anAddress()];
      for (const one of [address, other])
        await attempts(one, { at: 1, outcome: 'refused' }, { at: 2, outcome: 'refused' });
      expect(await refusing(other)).toBeUndefined();
      const found = await refusing(address);
      expect(found).toMatchObject({
        failing_since: minute(1),
        credentials_changed: { what: 'secret', at: minute(0), until: minute(1_440) },
      });
      expect(found?.attempts.map(({ at }) => at).toSorted()).toEqual([minute(1), minute(2)]);
    });

    test('is not read any more when its former secret ended before the watched time', async () => {
      const address = await rotated();
      await attempts(address, { at: 1, outcome: 'refused' });
      expect(await refusing(address, minute(1_439))).toMatchObject({ id: address.id });
      expect(await refusing(address, minute(1_440))).toBeUndefined();
    });

    test('has the time of its newest failure', async () => {
      const address = await rotated();
      await attempts(address, { at: 1, outcome: 'refused' }, { at: 7, outcome: 'refused' });
      expect(await refusing(address)).toMatchObject({ last_failure_at: minute(7) });
    });

    test('the mark has its reason, and an accepted attempt removes both', async () => {
      const address = await rotated();
      await attempts(address, { at: 1, outcome: 'refused' });
      const found = await refusing(address);
      if (found === undefined) throw new Error('not found');
      const marked = { ...found, failing_reason: 'secret_rotated' as const };
      expect(await failing.notice(marked, 'notice', minute(2))).toBe(true);
      expect(await failing.notice(marked, 'notice', minute(2))).toBe(false);
      expect(await refusing(address)).toBeUndefined();
      expect(await stateOf(address)).toMatchObject({ failing_reason: 'secret_rotated' });
      expect(await eventsOf(address)).toMatchObject([
        { type: 'address.failing', data: { is_enabled: true, reason: 'secret_rotated' } },
      ]);
      await attempts(address, { at: 3, outcome: 'accepted' });
      expect(await stateOf(address)).not.toHaveProperty('failing_reason');
      expect(await stateOf(address)).not.toHaveProperty('failing_noticed_at');
    });

    test('it can still be disabled when its time has come, once', async () => {
      const address = await rotated();
      await attempts(address, { at: 1, outcome: 'refused' });
      const found = await refusing(address);
      if (found === undefined) throw new Error('not found');
      await failing.notice({ ...found, failing_reason: 'secret_rotated' }, 'notice', minute(2));
      const again = await candidate(address);
      if (again === undefined) throw new Error('not found again');
      expect(again).toMatchObject({ is_noticed: true, failing_reason: 'secret_rotated' });
      const disabled = [3, 4].map((at) => failing.notice(again, 'disable', minute(at)));
      expect((await Promise.all(disabled)).filter(Boolean)).toHaveLength(1);
      expect(await stateOf(address)).toMatchObject({ is_enabled: false });
      expect(await candidate(address)).toBeUndefined();
      expect((await eventsOf(address)).map(({ type }) => type as string)).toEqual([
        'address.failing',
        'address.failing',
        'address.updated',
      ]);
    });
  });

  test('after a 410, also one that follows other failures, the reason is gone, until it accepts', async () => {
    const address = await anAddress();
    await attempts(address, { at: 1, outcome: 'busy' });
    expect(await refusing(address)).toBeUndefined();
    await attempts(address, { at: 2, outcome: 'refused', status: 410 });
    const found = await refusing(address);
    expect(found).toMatchObject({ failing_since: minute(1), gone_at: minute(2) });
    if (found === undefined) throw new Error('not found');
    await failing.notice({ ...found, failing_reason: 'gone' }, 'notice', minute(3));
    expect(await refusing(address)).toBeUndefined();
    // an earlier release cannot read the reason, so that is not in the record
    expect(await stateOf(address)).not.toHaveProperty('failing_reason');
    expect(await candidate(address)).toMatchObject({ is_noticed: true, failing_reason: 'gone' });
    expect(await eventsOf(address)).toMatchObject([
      { type: 'address.failing', data: { is_enabled: true, reason: 'gone' } },
    ]);
    await attempts(
      address,
      { at: 4, outcome: 'refused', status: 410 },
      { at: 5, outcome: 'accepted' },
      { at: 6, outcome: 'busy' },
    );
    expect(await stateOf(address)).not.toHaveProperty('gone_at');
    expect(await sinceOf(address)).toEqual(minute(6));
  });

  test('an address that recovered in the meantime is not changed', async () => {
    const address = await anAddress();
    await attempts(address, { at: 1, outcome: 'busy' });
    const found = await candidate(address);
    await attempts(address, { at: 2, outcome: 'accepted' });
    expect(found && (await failing.notice(found, 'disable', minute(9)))).toBe(false);
    expect(await stateOf(address)).toMatchObject({ is_enabled: true });
  });
});

/**
 * Records and messages that a release wrote before D321, D326 and D327, as they are in MongoDB and in
 * the streams. It offered the emails of consumers with a message in the RETRY lane.
 */
import { randomBytes } from 'node:crypto';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { headers as newHeaders } from '@nats-io/transport-node';
import { expect, test } from 'vitest';

import { newId } from '../../../services/core/id/ids.ts';
import { EXAMPLE_PAYLOAD } from '../../../services/core/webhook/example.ts';
import { startInProcess } from '../../support/start-in-process.ts';
import { until } from '../../support/until.ts';
import { useInFile } from '../../support/use-in-file.ts';

const whole = await useInFile(startInProcess({ RETRY_SCHEDULE: '1s,1h', PARTITIONS: '1' }));
const { connection } = whole.pipeline.nats;
const manager = await jetstreamManager(connection);
const collection = (name: string) =>
  whole.pipeline.mongo.db.collection<{ _id: string; [field: string]: unknown }>(name);

/** The subjects of the streams. */
const MAIL = 'mail.0.OWNER';
const RETRY = 'retry.0.OWNER.EVENT';
const FAILED = 'failed.OWNER.EVENT';
type Leased = { lease_id: string; event_id: string; retry_count: number };

const soon = (ms: number) => new Date(Date.now() + ms);
const AT = soon(-10_000);
const TRIED = {
  at: AT,
  duration_ms: 5,
  outcome: 'busy',
  status_code: 503,
  error: null,
  excerpt: null,
};
const RULING = { action: 'hold', reason: 'rule', rules: [], facts: [] };
const PULL = { webhook_url: null, mode: 'pull' };
let path = 0;

/** An address with an email of the former release. */
async function formerEmail(of: { address?: object; record: object; lane?: string; dueAt?: Date }) {
  const url = `/former-${path++}`;
  const { id } = await whole.address(url, of.address);
  const owner = await collection('addresses').findOne<{ account_id: string }>({ _id: id });
  const payload = JSON.stringify(EXAMPLE_PAYLOAD);
  const shared = {
    account_id: owner?.account_id ?? '',
    environment: 'live',
    address_id: id,
    mail_from: 'ann@sender.example',
    from: 'Ann <ann@sender.example>',
    subject: 'former',
    ...('ruling' in of.record && { ruling: of.record.ruling }),
    size_bytes: 308,
  };
  const event_id = newId('evt', AT, randomBytes(10));
  const { state } = await manager.streams.info('MAIL-0');
  const stored_at = { partition: 0, sequence: state.last_seq + 1 };
  await collection('deliveries').insertOne({
    _id: event_id,
    ...shared,
    received_at: AT,
    stored_at,
    payload_in: 'message',
    attempts: [],
    attempts_before_replay: 0,
    next_attempt_at: of.dueAt ?? null,
    updated_at: AT,
    search: { day: Math.floor(AT.getTime() / 86_400_000), terms: ['subject:former'] },
    ...of.record,
  });
  if (of.lane) {
    const headers = newHeaders();
    const sizes = { received_at_ms: AT.getTime(), payload_bytes: payload.length };
    const event = { event_id, ...shared, ...sizes, payload_in: 'message' };
    headers.set('Inlet-Event', JSON.stringify(event));
    if (of.dueAt) headers.set('Inlet-Due', String(of.dueAt.getTime()));
    if (of.lane === RETRY) headers.set('Inlet-Stored-At', JSON.stringify(stored_at));
    const subject = of.lane
      .replace('OWNER', `${shared.account_id}.${id}`)
      .replace('EVENT', event_id);
    await jetstream(connection).publish(subject, payload, { headers });
  }
  const receiver = `/v1/addresses/${id}/receivers/${id}`;
  return {
    event_id,
    record: () => collection('deliveries').findOne({ _id: event_id }),
    posted: (n = 1) => whole.pipeline.receiver.nth(url, n),
    post: (call: string) => whole.api.ask('POST', `/v1/deliveries/${event_id}/${call}`),
    next: async () =>
      (await whole.api.ask('GET', `${receiver}/next?lease=300`)).body.data as Leased[],
    ack: async (lease_ids: string[]) =>
      (await whole.api.ask('POST', `${receiver}/ack`, { body: { lease_ids } })).body,
    ended: () =>
      until('its end', async () => {
        const found = await collection('deliveries').findOne({
          _id: event_id,
          status: 'delivered',
        });
        return found ?? undefined;
      }),
    isKept: () =>
      manager.streams
        .getMessage('FAILED', { last_by_subj: `failed.*.${id}.${event_id}` })
        .then((found) => found !== null),
  };
}

const tried = { attempts: [TRIED], attempt_count: 1 };

test('an email that waits is attempted when it is due', async () => {
  const record = { status: 'retrying', ...tried };
  const email = await formerEmail({ record, lane: RETRY, dueAt: soon(500) });
  expect((await email.posted()).headers['webhook-id']).toBe(email.event_id);
  expect(await email.ended()).toMatchObject({ attempt_count: 2, next_attempt_at: null });
});

test.each([
  ['a failed email is replayed', FAILED, { status: 'failed', ...tried }, 'replay'],
  ['a held email is released', FAILED, { status: 'held', ruling: RULING }, 'release'],
  [
    'a delivered email is replayed from its first place',
    MAIL,
    { status: 'delivered', ...tried, content_until: soon(3_600_000) },
    'replay',
  ],
] as const)('%s', async (_, lane, record, call) => {
  const email = await formerEmail({ record, lane });
  expect((await email.post(call)).status).toBeLessThan(300);
  expect((await email.posted()).headers['webhook-id']).toBe(email.event_id);
  await until('its outcome', async () => {
    const found = await email.ended();
    return 'revision' in found && 'attempt_count' in found ? found : undefined;
  });
});

test('an erased email stays erased', async () => {
  const erased = { payload_in: 'removed', content_erased_at: AT, content_until: AT };
  const email = await formerEmail({ record: { status: 'failed', ...tried, ...erased } });
  expect((await email.post('replay')).status).toBe(404);
  expect(await email.record()).toMatchObject({ status: 'failed', content_erased_at: AT });
});

const offer = { at: AT, bytes: JSON.stringify(EXAMPLE_PAYLOAD).length };
const lease = { id: 'px0whgg8evsqnaq4', since: soon(-5_000) };

test.each([
  ['before', 2_000],
  ['after', 200],
])('a consumer gets an offered email %s its message is due', async (when, dueMs) => {
  const record = { status: 'pending', offer };
  const email = await formerEmail({ address: PULL, record, lane: RETRY, dueAt: soon(dueMs) });
  if (when === 'after') await until('its copy', email.isKept);
  const [leased] = await email.next();
  expect(leased).toMatchObject({ event_id: email.event_id, retry_count: 0 });
  expect(await email.ack([leased?.lease_id ?? ''])).toEqual({ count: 1, lost: [] });
  expect(await email.record()).toMatchObject({ status: 'delivered', attempt_count: 1 });
  expect(await email.record()).not.toHaveProperty('offer');
  expect(await email.isKept()).toBe(false);
});

test('a consumer keeps the lease that it has when its message is due', async () => {
  const held = { status: 'retrying', ...tried, offer: { ...offer, at: soon(60_000), lease } };
  const email = await formerEmail({ address: PULL, record: held, lane: RETRY, dueAt: soon(200) });
  await until('its copy', email.isKept);
  expect(await email.next()).toEqual([]);
  expect(await email.ack([`${email.event_id}.${lease.id}`])).toEqual({ count: 1, lost: [] });
  expect(await email.record()).toMatchObject({ status: 'delivered', attempt_count: 2 });
});

test('an offered email is posted when its receiver no longer asks', async () => {
  const record = { status: 'pending', offer };
  const email = await formerEmail({ record, lane: RETRY, dueAt: soon(200) });
  await email.posted();
  expect(await email.ended()).not.toHaveProperty('offer');
});

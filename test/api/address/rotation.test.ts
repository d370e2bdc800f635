/**
 * Rotation of a webhook secret (D17): the new one signs immediately, the old one until the overlap
 * ends.
 */
import { expect, test } from 'vitest';

import {
  FORMER_SECRETS_MAX,
  signingSecrets,
  type WebhookTarget,
} from '../../../services/core/address/address.ts';
import { AddressWithSecret } from '../../../services/core/address/address-view.ts';
import { signatureHolds } from '../../support/receiver.ts';
import { until } from '../../support/until.ts';
import { startInProcess } from '../../support/start-in-process.ts';
import { useInFile } from '../../support/use-in-file.ts';

const HOUR_MS = 3_600_000;
const whole = await useInFile(startInProcess());

const rotate = (id: string, ask = {}) =>
  whole.api.ask('POST', `/v1/addresses/${id}/rotate-secret`, ask);
const secretsOf = async (id: string, now = new Date()) =>
  signingSecrets((await whole.api.target(id)) as WebhookTarget, now);

test('D17: both secrets sign the next webhook, in both schemes', async () => {
  const { id, address, webhook_secret: former } = await whole.address('/rotated');
  await whole.send(address, 'before');
  expect(
    String((await whole.pipeline.receiver.nth('/rotated', 1)).headers['svc-signature']).match(
      /s=/g,
    ),
  ).toHaveLength(1);

  const { status, body } = await rotate(id);
  expect(status).toBe(200);
  const secret = String(AddressWithSecret.strict().parse(body).webhook_secret);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(secret).not.toBe(former);

  await whole.send(address, 'after');
  const webhook = await whole.pipeline.receiver.nth('/rotated', 2);
  expect(String(webhook.headers['svc-signature']).match(/s=/g)).toHaveLength(2);
  expect(String(webhook.headers['webhook-signature']).split(' ')).toHaveLength(2);
  expect([signatureHolds(webhook, secret), signatureHolds(webhook, former)]).toEqual([true, true]);
});

test('D17: GET shows the new secret, and until when the former one also signs', async () => {
  const created = await whole.address('/shown');
  const { body } = await rotate(created.id);
  expect(body).toEqual({
    ...created,
    webhook_secret: body.webhook_secret,
    updated_at: body.updated_at,
    former_secrets_valid_until: expect.any(String) as string,
  });
  const end = new Date(String(body.former_secrets_valid_until));
  expect(await secretsOf(created.id, new Date(end.getTime() - 1_000))).toHaveLength(2);
  expect(await secretsOf(created.id, new Date(end.getTime() + 1_000))).toHaveLength(1);
  expect((await whole.api.ask('GET', `/v1/addresses/${created.id}`)).body).toEqual(body);
});

test('D17: after 24 hours the old secret no longer signs', async () => {
  const { id, webhook_secret: former } = await whole.address('/overlap');
  const { body } = await rotate(id);
  expect(await secretsOf(id, new Date(Date.now() + 23 * HOUR_MS))).toEqual([
    body.webhook_secret,
    former,
  ]);
  expect(await secretsOf(id, new Date(Date.now() + 24 * HOUR_MS))).toEqual([body.webhook_secret]);
});

test('D17: after several rotations, all unexpired old secrets sign, newest first, up to a bound', async () => {
  const { id, webhook_secret } = await whole.address('/again');
  const secrets = [webhook_secret];
  for (let i = 0; i < FORMER_SECRETS_MAX + 1; i++)
    secrets.unshift(String((await rotate(id)).body.webhook_secret));
  expect(await secretsOf(id)).toEqual(secrets.slice(0, FORMER_SECRETS_MAX + 1));
});

test('D17: the next rotation removes expired old secrets', async () => {
  const { id } = await whole.address('/dropped');
  await rotate(id);
  const addresses = whole.api.mongo.db.collection<{ _id: string; former_secrets: object[] }>(
    'addresses',
  );
  await addresses.updateOne(
    { _id: id },
    { $set: { 'former_secrets.0.valid_until': new Date(Date.now() - 1) } },
  );
  const second = String((await rotate(id)).body.webhook_secret);
  expect((await addresses.findOne({ _id: id }))?.former_secrets).toHaveLength(1);
  expect(await secretsOf(id)).toEqual([second, expect.stringMatching(/^whsec_/)]);
});

test('50 concurrent rotations create 50 secrets, and the last one is current', async () => {
  const { id } = await whole.address('/at-once');
  const answers = await Promise.all(Array.from({ length: 50 }, () => rotate(id)));
  const secrets = answers.map(({ body }) => body.webhook_secret);
  expect(new Set(secrets).size).toBe(50);
  expect(secrets).toContain(
    (await whole.api.ask('GET', `/v1/addresses/${id}`)).body.webhook_secret,
  );
});

test('D5: unknown and deleted addresses are 404', async () => {
  const { id } = await whole.address('/gone');
  expect((await rotate('addr_none')).status).toBe(404);
  await whole.api.ask('DELETE', `/v1/addresses/${id}`);
  expect((await rotate(id)).status).toBe(404);
});

test('secrets are encrypted in the database', async () => {
  const { id, webhook_secret } = await whole.address('/sealed');
  const { body } = await rotate(id);
  const stored = await until('the address', () =>
    whole.api.mongo.db.collection<{ _id: string }>('addresses').findOne({ _id: id }),
  );
  expect(JSON.stringify(stored)).not.toContain(webhook_secret);
  expect(JSON.stringify(stored)).not.toContain(String(body.webhook_secret));
});

test('D36: a view of the secret is an event with its token and source; a former secret has an end', async () => {
  const { id, webhook_secret: first } = await whole.address('/viewed');
  const view = () => whole.api.ask('GET', `/v1/addresses/${id}/secret`);
  expect((await view()).body).toEqual({
    webhook_secret: first,
    former_secrets_valid_until: null,
  });
  const { body: rotated } = await rotate(id);
  const { body } = await view();
  expect(body.webhook_secret).toBe(rotated.webhook_secret);
  const left = Date.parse(String(body.former_secrets_valid_until)) - Date.now();
  expect(left).toBeGreaterThan(23 * HOUR_MS);
  expect(left).toBeLessThanOrEqual(24 * HOUR_MS);

  const events = await whole.api.ask('GET', '/v1/usage/events?event_type=address.secret_viewed');
  expect(events.body.data).toHaveLength(2);
  expect(events.body.data).toEqual(
    Array(2).fill(
      expect.objectContaining({
        address_id: id,
        data: {
          actor: 'token',
          token_id: expect.stringMatching(/^token_/),
          request_id: expect.any(String),
          source_ip: '127.0.0.1',
        },
      }),
    ),
  );
  expect((await whole.api.ask('GET', '/v1/addresses/addr_unknown/secret')).status).toBe(404);
});

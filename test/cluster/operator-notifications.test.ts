/** AccountNotification resources send events of their account, and failing addresses have events. */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { signatureHolds } from '../support/receiver.ts';
import { until } from '../support/until.ts';
import { account, address, notification, token } from '../support/manifests.ts';
import { type OperatorBed, startOperatorBed } from './operator-bed.ts';
import type { Operator } from './operator-process.ts';

let bed: OperatorBed;
let operator: Operator;
beforeAll(async () => {
  bed = await startOperatorBed();
  operator = await bed.start();
});
afterAll(async () => {
  await operator?.[Symbol.asyncDispose]();
  await bed?.[Symbol.asyncDispose]();
});

const hook = (path: string) => bed.pipeline.receiver.url(path);
const secretOf = async (name: string) => (await bed.namespace.secret(name))?.webhook_secret ?? '';

test('an applied notification receives signed events, and its Secret verifies them', async () => {
  await bed.namespace.apply(
    account(),
    notification('pager', hook('/pager'), { types: ['token.created'] }),
  );
  const { status } = await bed.namespace.untilReady('accountnotification/pager');
  await bed.namespace.apply(token('ci'));
  const webhook = await bed.pipeline.receiver.nth('/pager', 1);
  expect(webhook.payload).toMatchObject({ type: 'token.created', notification_id: status?.id });
  expect(await bed.namespace.secret('pager-notification')).toEqual({
    webhook_secret: expect.stringMatching(/^whsec_/) as string,
    url: hook('/pager'),
  });
  expect(signatureHolds(webhook, await secretOf('pager-notification'))).toBe(true);

  const { token: text = '' } = (await bed.namespace.secret('ci-token')) ?? {};
  const path = `/v1/account/notifications/${String(status?.id)}`;
  expect((await bed.api.ask('GET', path, { token: text })).body).toMatchObject({
    types: ['token.created'],
    managed_by: { kind: 'AccountNotification', name: 'pager' },
  });
  for (const [method, suffix] of [
    ['DELETE', ''],
    ['POST', '/rotate-secret'],
  ] as const)
    expect((await bed.api.ask(method, `${path}${suffix}`, { token: text })).status).toBe(409);
});

test('a failing address has a Warning event, and its recovery a Normal one', async () => {
  await bed.namespace.apply(account(), address('flaky', hook('/flaky')));
  const { status } = await bed.namespace.untilReady('inboundaddress/flaky');
  const stored = bed.pipeline.mongo.db.collection<{ _id: string }>('addresses');
  const since = new Date();
  await stored.updateOne(
    { _id: String(status?.id) },
    { $set: { failing_since: since, failing_noticed_at: since } },
  );
  await bed.namespace.untilReady('inboundaddress/flaky', 'Failing');
  await stored.updateOne(
    { _id: String(status?.id) },
    { $unset: { failing_since: '', failing_noticed_at: '' } },
  );
  await bed.namespace.untilReady('inboundaddress/flaky');
  const events = async () => {
    const { items } = JSON.parse(
      await bed.namespace.run('get', 'events.events.k8s.io', '-o', 'json'),
    ) as { items: { regarding: { name: string }; type: string; reason: string }[] };
    return items
      .filter(({ regarding }) => regarding.name === 'flaky')
      .map(({ type, reason }) => `${type} ${reason}`);
  };
  await until('the events', async () => (await events()).includes('Normal Recovered'));
  expect(await events()).toEqual(
    expect.arrayContaining(['Normal Ready', 'Warning Failing', 'Normal Recovered']),
  );
});

/** Each kind of event reaches the notifications of its account, signed like an email. */
import { expect, test } from 'vitest';

import { createDeliveries } from '../../../services/adapters/mongo/delivery/deliveries.ts';
import { createAccounts } from '../../../services/adapters/mongo/account/accounts.ts';
import {
  createCountUsage,
  createMailedAccounts,
} from '../../../services/adapters/mongo/usage/counters.ts';
import { createUsageEvents } from '../../../services/adapters/mongo/audit/events.ts';
import { createInvoices } from '../../../services/adapters/mongo/billing/invoices.ts';
import { createSubscriptions } from '../../../services/adapters/mongo/billing/subscriptions.ts';
import { createDomains } from '../../../services/adapters/mongo/domain/domains.ts';
import { createExpiringCertificates } from '../../../services/adapters/mongo/receiver/expiring-certificates.ts';
import { makeCertificate } from '../../../services/adapters/tls/certificates.ts';
import { closePeriods } from '../../../services/api/jobs/invoice-sweep.ts';
import { noticeCertificates } from '../../../services/api/notification/certificate-sweep.ts';
import { noticeQuotas } from '../../../services/api/notification/quota-sweep.ts';
import { PlanCatalogue } from '../../../services/core/billing/billing.ts';
import { NotificationPayload } from '../../../services/core/notification/notification-payload.ts';
import { createAudit } from '../../../services/platform/audit.ts';
import { createDomainOperations } from '../../../services/platform/domain/domain-operations.ts';
import { changeTo, mailEvent } from '../../support/mail-events.ts';
import { log } from '../../support/pipeline.ts';
import { runCommand } from '../../support/inlet-command.ts';
import { signatureHolds } from '../../support/receiver.ts';
import { startInProcess } from '../../support/start-in-process.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { webhookDocuments } from '../../support/webhook-documents.ts';
import { subscribe, type Subscriber } from './subscriber.ts';

const DAY_MS = 86_400_000;
const PLANS = PlanCatalogue.parse({
  currency: 'USD',
  plans: {
    free: { base_cost: 0, emails_included: 1_000, over_quota: 'refuse' },
    pro: { base_cost: 2_900, emails_included: 50_000, over_quota: 'bill' },
  },
});

const whole = await useInFile(
  startInProcess({ FAILING_AFTER: '200ms', RETRY_SCHEDULE: '100ms,200ms,200ms' }),
);
const documents = await webhookDocuments(`${whole.api.url}/v1`);

const db = () => whole.api.mongo.db;
const metering = () => ({
  subscriptions: createSubscriptions(db()),
  countUsage: createCountUsage(db()),
  plans: PLANS,
});

/** The nth notification, after all that every one of them has in common was checked. */
async function nthOf(subscriber: Subscriber, n: number): Promise<NotificationPayload> {
  const webhook = await subscriber.nth(n);
  const { id, webhook_secret } = subscriber.notification;
  expect(signatureHolds(webhook, webhook_secret)).toBe(true);
  expect(webhook.headers).toMatchObject({
    'content-type': 'application/json',
    'webhook-id': webhook.payload.event_id,
  });
  expect(documents.problems('notification', webhook)).toEqual([]);
  const payload = NotificationPayload.parse(webhook.payload);
  expect(payload).toEqual(webhook.payload); // no other fields
  expect(payload).toMatchObject({
    event_id: expect.stringMatching(/^nevt_/) as string,
    notification_id: id,
    account_id: subscriber.accountId,
    environment: 'live',
    metadata: { retry_count: 0 },
  });
  return payload;
}

test('address.failing, and address.recovered after an accepted webhook', async () => {
  const subscriber = await subscribe(whole, '/kinds/address');
  const created = await subscriber.ask('POST', '/v1/addresses', {
    webhook_url: whole.pipeline.receiver.url('/kinds/broken'),
  });
  const { id, address } = created.body as { id: string; address: string };
  whole.pipeline.receiver.answer('/kinds/broken', (count) => (count <= 4 ? 503 : 200));
  await whole.send(address, 'fails');
  expect(await nthOf(subscriber, 1)).toMatchObject({
    type: 'address.failing',
    data: {
      address_id: id,
      address,
      failing_since: expect.stringMatching(/Z$/) as string,
      is_enabled: true,
    },
  });
  await whole.send(address, 'works');
  expect(await nthOf(subscriber, 2)).toMatchObject({
    type: 'address.recovered',
    data: { address_id: id, address, reason: 'delivered' },
  });
});

test('quota.near at 80 % and at 100 % of the included emails, once for each period', async () => {
  const subscriber = await subscribe(whole, '/kinds/quota');
  const { accountId: account_id } = subscriber;
  const address = await whole.api.store({ account_id });
  const receive = (count: number, now = new Date()) =>
    createDeliveries(db()).record(
      Array.from({ length: count }, () => changeTo('delivered', mailEvent(address, now))),
      now,
    );
  const needs = {
    ...metering(),
    mailedAccounts: createMailedAccounts(db()),
    events: createUsageEvents(db()),
  };
  const notice = () => noticeQuotas(needs, new Date());
  await receive(799);
  await notice();
  await receive(1);
  await notice();
  await notice();
  expect(await nthOf(subscriber, 1)).toMatchObject({
    type: 'quota.near',
    data: {
      percent: 80,
      emails_used: 800,
      emails_included: 1_000,
      plan: 'free',
      over_quota: 'refuse',
      message: expect.stringMatching(
        /^Email will soon be refused with 452 4\.2\.2: .* includes 1,000 .* 800 are used\.$/,
      ) as string,
    },
  });
  await receive(200);
  await notice();
  await notice();
  expect(await nthOf(subscriber, 2)).toMatchObject({
    data: {
      percent: 100,
      emails_used: 1_000,
      message: expect.stringMatching(/^Email is refused with 452 4\.2\.2 until /) as string,
    },
  });
  await subscriber.published();
  expect(await subscriber.recorded(2)).toHaveLength(2);
});

test('domain.unconfirmed after the TXT record was missing for a week', async () => {
  const subscriber = await subscribe(whole, '/kinds/domain');
  const domains = createDomains(db());
  const operations = createDomainOperations({
    domains,
    look: () => Promise.resolve({ txt: [], mx: [] }),
    audit: createAudit(createUsageEvents(db()), log),
    inboundDomain: 'in.example',
    mxHosts: [],
    readMxCertificate: () => Promise.resolve(undefined),
  });
  const caller = { account_id: subscriber.accountId, environment: 'live' as const };
  const { id } = await operations.create({ caller, now: new Date() }, { domain: 'silent.example' });
  const missing_since = new Date(Date.now() - 8 * DAY_MS);
  await db()
    .collection<{ _id: string }>('domains')
    .updateOne(
      { _id: id },
      { $set: { is_verified: true, verified: true, missing_since, next_look_at: new Date(0) } },
    );
  await operations.recheckVerified(new Date());
  expect(await nthOf(subscriber, 1)).toMatchObject({
    type: 'domain.unconfirmed',
    data: { domain_id: id, domain: 'silent.example' },
  });
});

test('invoice.created, in the transaction of the invoice', async () => {
  const subscriber = await subscribe(whole, '/kinds/invoice');
  const now = new Date();
  await createAccounts(db()).setPlan(subscriber.accountId, 'pro', now);
  const anchor = new Date(now.getTime() - 40 * DAY_MS);
  const subscription = { status: 'active', anchor, trial_end: null };
  await db()
    .collection<{ _id: string }>('accounts')
    .updateOne({ _id: subscriber.accountId }, { $set: { subscription, former_plans: [] } });
  const needs = { ...metering(), invoices: createInvoices(db()) };
  await closePeriods(needs, now, now);
  await closePeriods(needs, now, now);
  expect(await nthOf(subscriber, 1)).toMatchObject({
    type: 'invoice.created',
    data: {
      invoice_id: expect.stringMatching(/^inv_/) as string,
      amount: 29,
      currency: 'USD',
      status: 'open',
    },
  });
  await subscriber.published();
  expect(await subscriber.recorded(1)).toHaveLength(1);
});

test('token.created, without the token', async () => {
  const subscriber = await subscribe(whole, '/kinds/token');
  const { body } = await subscriber.ask('POST', '/v1/account/tokens', {
    name: 'web shop',
    permissions: ['addresses:read'],
  });
  expect(await nthOf(subscriber, 1)).toMatchObject({
    type: 'token.created',
    data: {
      created_token_id: body.id,
      name: 'web shop',
      prefix: body.prefix,
      environment: 'live',
      permissions: ['addresses:read'],
    },
  });
  expect((await subscriber.nth(1)).raw.toString()).not.toContain(String(body.token));
});

test('token.created of a token that an operator of the platform made', async () => {
  const subscriber = await subscribe(whole, '/kinds/admin-token');
  const { out } = await runCommand(
    ['admin', 'token', 'create', '--account', subscriber.accountId, '--name', 'support'],
    { env: { MONGODB_URI: whole.api.mongoUri } },
  );
  const { id, token } = JSON.parse(out) as { id: string; token: string };
  expect(await nthOf(subscriber, 1)).toMatchObject({
    type: 'token.created',
    data: { created_token_id: id, name: 'support' },
  });
  expect((await subscriber.nth(1)).raw.toString()).not.toContain(token);
});

test('receiver.certificate_expiring, 21 days before the certificate expires, once', async () => {
  const subscriber = await subscribe(whole, '/kinds/certificate');
  const made = await subscriber.ask('POST', '/v1/addresses', {
    webhook_url: 'https://hooks.example.com/',
  });
  const { cert, key } = await makeCertificate(['inlet'], { isForClients: true });
  const receiver = await subscriber.ask('POST', `/v1/addresses/${String(made.body.id)}/receivers`, {
    url: 'https://hooks.example.com/',
    auth: { client_certificate: { certificate: cert, private_key: key } },
  });
  const { auth } = receiver.body as { auth: { client_certificate: { expires_at: string } } };
  const { expires_at } = auth.client_certificate;
  const parts = {
    expiringCertificates: createExpiringCertificates(db()),
    events: createUsageEvents(db()),
  };
  const events = () => db().collection('events').countDocuments({ type: TYPE });
  const TYPE = 'receiver.certificate_expiring';
  await noticeCertificates(parts, new Date(Date.parse(expires_at) - 22 * DAY_MS));
  expect(await events()).toBe(0);
  for (const days of [20, 10])
    await noticeCertificates(parts, new Date(Date.parse(expires_at) - days * DAY_MS));
  expect(await nthOf(subscriber, 1)).toMatchObject({
    type: TYPE,
    data: {
      address_id: made.body.id,
      address: made.body.address,
      receiver_id: receiver.body.id,
      subject: 'CN=inlet',
      expires_at,
    },
  });
  expect(await events()).toBe(1);
});

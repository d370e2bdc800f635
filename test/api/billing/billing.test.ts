/** Billing, and the invoices of periods that have ended (spec 2.4, 2.5, 4.3; D10, D11, D13). */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, expect, test } from 'vitest';

import { createDeliveries } from '../../../services/adapters/mongo/delivery/deliveries.ts';
import { createAccounts } from '../../../services/adapters/mongo/account/accounts.ts';
import { closePeriods } from '../../../services/api/jobs/invoice-sweep.ts';
import { createInvoices } from '../../../services/adapters/mongo/billing/invoices.ts';
import { createSubscriptions } from '../../../services/adapters/mongo/billing/subscriptions.ts';
import { createCountUsage } from '../../../services/adapters/mongo/usage/counters.ts';
import { PlanCatalogue } from '../../../services/core/billing/billing.ts';
import { type Period, periodAt, quarterOf } from '../../../services/core/billing/period.ts';
import { timestamp } from '../../../services/core/time/timestamp.ts';
import { changeTo, mailEvent } from '../../support/mail-events.ts';
import { testDir } from '../../support/servers.ts';
import { startTestApi } from '../../support/start-api.ts';
import { useInFile } from '../../support/use-in-file.ts';

const PLANS = PlanCatalogue.parse({
  currency: 'EUR',
  plans: {
    free: { base_cost: 0, emails_included: 2, over_quota: 'refuse' },
    small: {
      base_cost: 1_900,
      emails_included: 3,
      over_quota: 'bill',
      overage_cost_per_1000: 12_500,
    },
  },
});
const now = new Date();
const DAY_MS = 86_400_000;
const MONTH_MS = 31 * DAY_MS;

const api = await useInFile(
  startTestApi({ env: { PLANS: JSON.stringify(PLANS), INVOICES: '{"due_days":14}' } }),
);
let account_id: string;
let token: string;
beforeEach(async () => {
  account_id = (await api.newAccount()).id;
  ({ token } = await api.issue({ accountId: account_id }));
});

const subscribe = (plan: string, anchor: Date, more: object = {}, fields: object = {}) =>
  api.mongo.db.collection<{ _id: string }>('accounts').updateOne(
    { _id: account_id },
    {
      $set: {
        plan,
        subscription: { status: 'active', anchor, trial_end: null, ...more },
        ...fields,
      },
    },
  );

async function receive(
  count: number,
  at: Date,
  environment: 'live' | 'test' = 'live',
): Promise<void> {
  const address = await api.store({ account_id, environment });
  await createDeliveries(api.mongo.db).record(
    Array.from({ length: count }, () => changeTo('failed', mailEvent(address, at))),
    at,
  );
}

const needs = () => ({
  subscriptions: createSubscriptions(api.mongo.db),
  invoices: createInvoices(api.mongo.db),
  countUsage: createCountUsage(api.mongo.db),
  plans: PLANS,
});
const close = (at = now) => closePeriods(needs(), at, at);

type InvoiceShown = {
  id: string;
  period_start: string;
  period_end: string;
  invoice_pdf: string;
} & Record<string, unknown>;
const history = async (query = '') =>
  (await api.ask('GET', `/v1/billing/history${query}`, { token })).body as {
    data: InvoiceShown[];
    pagination: Record<string, unknown>;
  };

test('spec 2.4: by default, an account is active on the plan free since its creation', async () => {
  const { body } = await api.ask('GET', '/v1/billing', { token });
  const account = await api.mongo.db
    .collection<{ _id: string; created_at: Date }>('accounts')
    .findOne({ _id: account_id });
  const period: Period = periodAt(account?.created_at ?? now, new Date());
  expect(body).toEqual({
    subscription: {
      plan: 'free',
      status: 'active',
      current_period_start: timestamp(period.start),
      current_period_end: timestamp(period.end),
      trial_end: null,
    },
    usage: { emails_included: 2, emails_used: 0, emails_remaining: 2 },
    costs: { base_cost: 0, overage_cost: 0, total_cost: 0, projected_cost: 0, currency: 'EUR' },
    next_billing_date: timestamp(period.end),
  });
});

test('spec 2.4, D11: only live mail of the period is billed', async () => {
  const anchor = new Date(now.getTime() - 45 * 86_400_000);
  await subscribe('small', anchor);
  const { start } = periodAt(anchor, now);
  await receive(5, start);
  await receive(50, start, 'test');
  await receive(50, new Date(start.getTime() - 1));
  const { body } = await api.ask('GET', '/v1/billing', { token });
  expect(body).toMatchObject({
    usage: { emails_used: 5, emails_remaining: 0 },
    costs: { base_cost: 19, overage_cost: 0.25, total_cost: 19.25 },
  });
  expect((body.costs as { projected_cost: number }).projected_cost).toBeGreaterThanOrEqual(19.25);
});

test('D13: a past period is closed once across all processes, with its lines and amounts', async () => {
  const anchor = quarterOf(new Date(now.getTime() - 3.5 * MONTH_MS));
  await subscribe('small', anchor);
  await receive(7, anchor);
  const made = (await Promise.all([close(), close(), close()]))
    .flat()
    .filter((invoice) => invoice.account_id === account_id);
  const { data, pagination } = await history();
  expect(made).toHaveLength(data.length);
  expect(data.length).toBeGreaterThanOrEqual(3);
  expect(pagination).toEqual({ limit: 12, offset: 0, total: data.length, has_more: false });
  const oldest = data.at(-1);
  expect(oldest).toEqual({
    id: expect.stringMatching(/^inv_/) as string,
    period_start: timestamp(anchor),
    period_end: timestamp(periodAt(anchor, anchor).end),
    amount_paid: 0,
    amount_due: 19.5,
    currency: 'EUR',
    status: 'open',
    invoice_pdf: expect.stringMatching(
      new RegExp(
        `^${api.url}/v1/invoice-files/${oldest?.id}\\?expires=\\d+&signature=[0-9a-f]{64}$`,
      ),
    ) as string,
    paid_at: null,
  });
  expect(data.slice(1).map(({ period_end }) => period_end)).toEqual(
    data.slice(0, -1).map(({ period_start }) => period_start),
  ); // they tile time
  expect((await close()).filter((invoice) => invoice.account_id === account_id)).toEqual([]);
  expect(
    await api.mongo.db.collection('invoices').findOne({ account_id, period_start: anchor }),
  ).toMatchObject({
    emails: 7,
    total: 1_950,
    lines: [
      { text: 'Plan small, 3 emails included', quantity: 1, amount: 1_900 },
      { text: 'Emails beyond those included', quantity: 4, amount: 50 },
    ],
  });
  const [second] = (await history('?limit=1&offset=1')).data;
  expect(second?.id).toBe(data[1]?.id);
});

test('D13: an invoice of zero is paid immediately; a trial costs nothing', async () => {
  const anchor = new Date(now.getTime() - 1.5 * MONTH_MS);
  await subscribe('small', anchor, {
    status: 'trialing',
    trial_end: new Date(anchor.getTime() + 86_400_000),
  });
  await receive(7, anchor);
  await close();
  expect((await history()).data).toMatchObject([
    { amount_paid: 0, amount_due: 0, status: 'paid', paid_at: timestamp(now) },
  ]);
  expect((await api.ask('GET', '/v1/billing', { token })).body).toMatchObject({
    subscription: { status: 'active' },
    costs: { base_cost: 19 },
  });
});

test('D13: the current period is not closed', async () => {
  await subscribe('small', new Date(now.getTime() - 86_400_000));
  await close();
  expect((await history()).data).toEqual([]);
});

test('spec 2.5: invoice_pdf is a link to a real PDF that works in a browser, without a token', async () => {
  await using dir = await testDir();
  await subscribe(
    'small',
    new Date(now.getTime() - 1.5 * MONTH_MS),
    {},
    { name: 'Zoë O\u2019Brien', company: 'Blumen & Söhne GmbH 花' },
  );
  await receive(1_234, new Date(now.getTime() - 1.4 * MONTH_MS));
  await close();
  const [invoice] = (await history()).data;
  const url = String(invoice?.invoice_pdf);
  const response = await fetch(url);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/pdf']);
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
  expect(bytes.toString('latin1').trimEnd().endsWith('%%EOF')).toBe(true);
  expect(bytes.toString('latin1').match(/\/Type \/Page\b/g)).toHaveLength(1);
  const file = join(dir.path, 'invoice.pdf');
  await writeFile(file, bytes);
  const text = await promisify(execFile)('pdftotext', ['-layout', file, '-']).then(
    ({ stdout }) => stdout,
    () => undefined,
  ); // where it is installed
  const parts = [
    String(invoice?.id),
    'Blumen & Söhne GmbH ?',
    'Zoë O\u2019Brien',
    '@example.com',
    '1,231',
    '153.88 EUR',
    '172.88 EUR',
    'OPEN',
    'Number',
    new Date(now.getTime() + 14 * DAY_MS).toISOString().slice(0, 10),
  ];
  expect(parts.filter((part) => text?.includes(part) === false)).toEqual([]);

  const numbers: unknown[] = await api.mongo.db.collection('invoices').distinct('number');
  expect(numbers).toEqual(Array.from(numbers, (_, n) => n + 1)); // without gaps

  const headers = { authorization: `Bearer ${token}` };
  const path = `/v1/billing/invoices/${invoice?.id}/pdf`;
  expect((await fetch(`${api.url}${path}`, { headers })).status).toBe(200);
  expect((await api.ask('GET', path)).status).toBe(404); // of another account
  expect((await api.ask('GET', path, { token: null })).status).toBe(401);
});

test('a link to an invoice is refused when it is changed, has expired or is for another invoice', async () => {
  await subscribe('small', new Date(now.getTime() - 2.5 * MONTH_MS));
  await close();
  const [newest, older] = (await history()).data;
  const url = new URL(String(newest?.invoice_pdf));
  expect((await fetch(url)).status).toBe(200);
  const expires = Number(url.searchParams.get('expires'));
  expect(expires - Date.now() / 1_000).toBeCloseTo(24 * 3_600, -2);
  const changes: ((link: URL) => void)[] = [
    (link) => link.searchParams.set('expires', String(expires + 1)),
    (link) => link.searchParams.set('signature', '0'.repeat(64)),
    (link) => void (link.pathname = link.pathname.replace(String(newest?.id), String(older?.id))),
  ];
  for (const change of changes) {
    const link = new URL(url);
    change(link);
    expect(await api.ask('GET', `${link.pathname}${link.search}`, { token: null })).toMatchObject({
      status: 403,
      body: { error: 'forbidden' },
    });
  }
});

test('D37: a plan change applies from its time, and both parts are priced', async () => {
  const anchor = quarterOf(new Date(now.getTime() - 1.5 * MONTH_MS));
  await subscribe('free', anchor);
  const { start, end } = periodAt(anchor, anchor);
  const middle = quarterOf(new Date((start.getTime() + end.getTime()) / 2));
  await receive(2, start); // of 2 that the plan free includes
  await receive(5, middle); // 3 beyond the half of 3, rounded up to 2
  await createAccounts(api.mongo.db).setPlan(account_id, 'small', middle);
  await close();
  const [invoice] = await api.mongo.db
    .collection('invoices')
    .find({ account_id, period_start: start })
    .toArray();
  const day = middle.toLocaleString('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });
  expect(invoice).toMatchObject({
    plan: 'small',
    emails: 7,
    lines: [
      {
        text: expect.stringMatching(/^Plan free from .*, 1 emails included$/) as string,
        amount: 0,
      },
      { text: `Plan small from ${day}, 2 emails included`, quantity: 1, amount: 950 },
      { text: `Emails beyond those included from ${day}`, quantity: 3, amount: 38 },
    ],
    total: 988,
  });
  expect((await api.ask('GET', '/v1/billing', { token })).body).toMatchObject({
    subscription: { plan: 'small' },
    costs: { base_cost: 19 }, // the whole period after the change
  });
});

test('D13: an open invoice can be marked as paid or void once', async () => {
  await subscribe('small', new Date(now.getTime() - 2.5 * MONTH_MS));
  await close();
  const [newest, older] = (await history()).data;
  const invoices = createInvoices(api.mongo.db);
  const settle = (id: string | undefined, status: 'paid' | 'void') =>
    invoices.settle(String(id), status, now);
  expect([
    await settle(newest?.id, 'paid'),
    await settle(newest?.id, 'void'),
    await settle(older?.id, 'void'),
  ]).toEqual([true, false, true]);
  expect((await history()).data.slice(0, 2)).toMatchObject([
    { status: 'paid', amount_paid: 19, amount_due: 0, paid_at: timestamp(now) },
    { status: 'void', amount_paid: 0, amount_due: 0, paid_at: null },
  ]);
});

test('D10: billing:read is required; spec 8: at most 100 invoices', async () => {
  const { token: other } = await api.issue({ accountId: account_id, permissions: ['usage:read'] });
  for (const path of ['/v1/billing', '/v1/billing/history', '/v1/billing/invoices/inv_1/pdf'])
    expect((await api.ask('GET', path, { token: other })).status).toBe(403);
  expect((await api.ask('GET', '/v1/billing/history?limit=101', { token })).body).toMatchObject({
    details: { field: 'limit', code: 'too_big' },
  });
});

/**
 * A plan that refuses email (D294): every place where somebody looks says so in the same sentence, also with
 * BILLING=false. Without PLANS nobody is refused.
 */
import { expect, test } from 'vitest';

import { connectMongo } from '../../services/adapters/mongo/database/connection.ts';
import { createStores } from '../../services/adapters/mongo/stores.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { noticeQuotas } from '../../services/api/notification/quota-sweep.ts';
import type { Usage } from '../../services/core/api/api-types.generated.ts';
import { findBrowser } from '../support/browser.ts';
import { runCommand } from '../support/inlet-command.ts';
import { changeTo, mailEvent } from '../support/mail-events.ts';
import { play } from '../support/smtp-play.ts';
import { startWholeSystem, withAccount } from '../support/start-standalone.ts';
import { useInFile } from '../support/use-in-file.ts';
import { createNamespace } from '../operator/namespace.ts';
import { PLANS, startOperatorBed } from '../operator/operator-bed.ts';
import { inBrowser } from '../dashboard/browser/dashboard.ts';

const openBrowser = await findBrowser();
const system = await useInFile(
  startWholeSystem({ PLANS: JSON.stringify(PLANS), BILLING: 'false' }),
);
const { mongodb_uri, api_url, smtp_port } = system.standalone.state();
const mongo = await useInFile(connectMongo(mongodb_uri, createLog('silent')));
const bed = await useInFile(startOperatorBed(mongodb_uri));
const operator = await useInFile(bed.start());

/** Of a new Account resource, whose plan includes five emails. */
async function newAccount() {
  const space = createNamespace(bed, operator);
  await space.withAccount();
  const id = String(space.get('Account', 'shop')?.status?.id);
  const whole = await useInFile(withAccount(system, id));
  const { id: addressId, address } = await whole.address('/plan');
  const { token } = whole.standalone.state();
  return {
    space,
    whole,
    address,
    receive: async (count: number) => {
      const now = new Date();
      const one = { id: addressId, account_id: id, environment: 'live' as const };
      const emails = Array.from({ length: count }, () =>
        changeTo('delivered', mailEvent(one, now)),
      );
      const stores = createStores(mongo.db);
      await stores.deliveries.record(emails, now);
      await noticeQuotas({ ...stores, plans: PLANS }, now);
    },
    inlet: (...args: string[]) =>
      runCommand(args, {
        env: { INLET_DIR: system.standalone.dataDir, INLET_API_URL: api_url, INLET_TOKEN: token },
      }),
  };
}
type NewAccount = Awaited<ReturnType<typeof newAccount>>;

const quotaOf = async ({ whole }: NewAccount) =>
  ((await whole.call('GET', '/usage')).body as Usage).quota;

const rcpt = async ({ address }: NewAccount) =>
  (
    await play(smtp_port, [
      ['EHLO mx.sender.example', '250'],
      ['MAIL FROM:<ann@sender.example>', '250'],
      [`RCPT TO:<${address}>`, ''],
    ])
  ).at(-1);

const conditionOf = async ({ space }: NewAccount) => {
  await space.reconcile('Account', 'shop');
  return [space.condition('Account', 'shop'), space.message('Account', 'shop')];
};

const newestEventOf = async ({ whole }: NewAccount) => {
  const { body } = await whole.call('GET', '/usage/events?event_type=quota.near&limit=1');
  return (body as { data: { data: { message: string } }[] }).data[0]?.data.message;
};

/** What Overview, Usage and Activity show. */
async function screensOf({ whole }: NewAccount, sentence: string): Promise<string[]> {
  if (openBrowser === undefined) return [];
  await using browser = await openBrowser();
  const { open } = inBrowser(browser, whole);
  const shown: string[] = [];
  for (const path of ['/', '/usage', '/activity?event_type=quota.near']) {
    const { page, faults } = await open(path);
    await page.locator('main').getByText(sentence, { exact: true }).first().waitFor();
    expect(faults.filter((fault) => !fault.includes('/v1/billing'))).toEqual([]); // BILLING=false
    shown.push(path);
    await page.context().close();
  }
  return shown;
}

const SCREENS = openBrowser === undefined ? [] : ['/', '/usage', '/activity?event_type=quota.near'];

test.each([
  { received: 4, status: 'near', reason: 'QuotaNear', result: 'warning', code: 0, reply: '250' },
  { received: 6, status: 'refused', reason: 'QuotaSpent', result: 'failed', code: 1, reply: '452' },
])('$status: the same sentence everywhere', async (expected) => {
  const { received, status, reason, result, code, reply } = expected;
  const account = await newAccount();
  await account.receive(received);
  const quota = await quotaOf(account);
  const sentence = quota?.message ?? 'none';
  expect(quota).toMatchObject({ status, emails_used: received, emails_included: 5, plan: 'free' });
  expect(sentence).toMatch(/^Email (is|will soon be) refused with 452 4\.2\.2.* UTC.* used\.$/);
  expect(await rcpt(account)).toMatch(new RegExp(`^${reply} `));

  const usage = await account.inlet('usage');
  expect([usage.code, usage.out.split('\n')[0]]).toEqual([0, sentence]);
  const doctor = await account.inlet('doctor', '--json');
  expect(doctor.code).toBe(code);
  expect(JSON.parse(doctor.out)).toContainEqual(
    expect.objectContaining({ check: 'plan', result, finding: sentence }),
  );
  expect(await conditionOf(account)).toEqual([`True ${reason}`, sentence]);
  expect(account.space.events()).toContain(reason);
  expect(await newestEventOf(account)).toBe(sentence);
  expect(await screensOf(account, sentence)).toEqual(SCREENS);
});

test('below 80 %: a limit that no place hides, and no warning', async () => {
  const account = await newAccount();
  await account.receive(3);
  expect(await quotaOf(account)).toMatchObject({ status: 'open', emails_used: 3, message: null });
  expect((await account.inlet('usage')).out).toMatch(/^quota\.emails_included +5$/m);
  expect((await account.inlet('doctor')).out).toMatch(/^ok +plan +free: 3 of 5 emails are used$/m);
  expect(await conditionOf(account)).toEqual(['True Ready', 'the account is active']);
  if (openBrowser === undefined) return;
  await using browser = await openBrowser();
  const { page } = await inBrowser(browser, account.whole).open('/usage');
  await page.getByText('3 of 5 of the plan used').waitFor();
  expect(await page.locator('.notice').count()).toBe(0);
});

/** K.5: a DMARC report by email becomes a part of the sums of its domain, and leaves with its email. */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { startInProcess, type InProcess } from '../../support/start-in-process.ts';
import { until } from '../../support/until.ts';

let whole: InProcess;
beforeAll(async () => {
  whole = await startInProcess();
});
afterAll(() => whole[Symbol.asyncDispose]());

const REPORT = `<?xml version="1.0"?>
<feedback>
  <report_metadata><org_name>Example Mail</org_name><report_id>4711</report_id>
    <date_range><begin>1763510400</begin><end>1763596799</end></date_range></report_metadata>
  <policy_published><domain>Shop.example</domain><p>none</p></policy_published>
  <record><row><source_ip>192.0.2.25</source_ip><count>12</count>
    <policy_evaluated><disposition>none</disposition><dkim>pass</dkim><spf>fail</spf></policy_evaluated></row>
    <identifiers><header_from>shop.example</header_from></identifiers><auth_results/></record>
</feedback>`;

async function send(path: string, payload: object): Promise<string> {
  const { address } = await whole.address(path, { payload });
  await whole.pipeline.mailer.sendMail({
    from: 'reports@mail.example',
    to: address,
    subject: 'Report Domain: shop.example',
    text: 'see the attachment',
    attachments: [{ filename: 'mail.example!shop.example!1!2.xml', content: REPORT }],
  });
  return (await whole.pipeline.receiver.nth(path, 1)).payload.event_id;
}
const reports = async (id: unknown, query = '') =>
  (await whole.api.ask('GET', `/v1/domains/${String(id)}/reports${query}`)).body;

test('K.5: reports count if their email passes DMARC, until it is erased', async () => {
  const { id } = (await whole.api.ask('POST', '/v1/domains', { body: { domain: 'shop.example' } }))
    .body;
  expect(await reports(id)).toMatchObject({ days: [], reports: 0, unauthenticated: 0 });
  await send('/without', {});
  const eventId = await send('/with', { extract: ['report'] });
  await until('the record', async () => (await reports(id)).unauthenticated === 1);
  const deliveries = whole.api.mongo.db.collection<{ _id: string }>('deliveries');
  await deliveries.updateOne({ _id: eventId }, { $set: { 'verdict.dmarc': 'pass' } });
  expect(await reports(id, '?days=1')).toEqual({
    days: [{ day: '2025-11-19', dmarc: { passed: 12, failed: 0 }, tls: { passed: 0, failed: 0 } }],
    sources: [{ source_ip: '192.0.2.25', passed: 12, failed: 0 }],
    tls_failures: [],
    organizations: [{ organization: 'Example Mail', reports: 1 }],
    reports: 1,
    unauthenticated: 0,
    is_complete: true,
  });
  const erased = await whole.api.ask('DELETE', `/v1/deliveries/${eventId}/content`);
  expect(erased.status).toBe(200);
  expect(await reports(id)).toMatchObject({ reports: 0, unauthenticated: 0 });
});

test('K.5: only of the own account, with its permission, for at most 90 days', async () => {
  const { id } = (await whole.api.ask('POST', '/v1/domains', { body: { domain: 'own.example' } }))
    .body;
  const path = `/v1/domains/${String(id)}/reports`;
  const stranger = await whole.api.issue({ accountId: (await whole.api.newAccount()).id });
  const reader = await whole.api.issue({ permissions: ['domains:read'] });
  expect((await whole.api.ask('GET', path, { token: stranger.token })).status).toBe(404);
  expect((await whole.api.ask('GET', path, { token: reader.token })).status).toBe(403);
  expect((await whole.api.ask('GET', `${path}?days=91`)).status).toBe(422);
});

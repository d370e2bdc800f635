/**
 * The whole system as `npm start` runs it: emails arrive over SMTP, webhooks are checked at an
 * HTTPS receiver.
 */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';

import { signatureHolds } from '../support/receiver.ts';
import { startWholeSystem } from '../support/start-standalone.ts';
import { useInFile } from '../support/use-in-file.ts';
import { webhookDocuments } from '../support/webhook-documents.ts';

const system = await useInFile(startWholeSystem({ RETRY_SCHEDULE: '30ms,60ms' }));

test('spec 3, 6.2: retries have the same event_id, counted, and valid signatures', async () => {
  const address = await system.address('/retry');
  system.receiver.answer('/retry', (count) => (count <= 2 ? 503 : 200));
  await system.mailer.sendMail({
    from: 'Änn <ann@sender.example>',
    to: address.address,
    subject: 'Bestellung № 7 — größer',
    text: 'Zwei, bitte.\n',
    html: '<p>Zwei, bitte.</p>',
    attachments: [{ filename: 'Rechnung größer.pdf', content: randomBytes(5_000) }],
  });
  await system.receiver.nth('/retry', 3);
  const webhooks = system.receiver.received('/retry');
  expect(webhooks.map(({ payload }) => payload.metadata.retry_count)).toEqual([0, 1, 2]);
  expect(new Set(webhooks.map(({ payload }) => payload.event_id)).size).toBe(1);
  expect(webhooks.every((one) => signatureHolds(one, address.webhook_secret))).toBe(true);
});

test('D22: several recipients of one transaction get one event each', async () => {
  const [one, two] = [await system.address('/one'), await system.address('/two')];
  await system.mailer.sendMail({
    from: 'a@b.example',
    to: [one.address, two.address],
    subject: 'both',
    text: 'both',
  });
  const [first, second] = [
    await system.receiver.nth('/one', 1),
    await system.receiver.nth('/two', 1),
  ];
  expect(first.payload.event_id).not.toBe(second.payload.event_id);
  expect([first.payload.address_id, second.payload.address_id]).toEqual([one.id, two.id]);
  expect(first.payload.envelope.rcpt_to).toEqual([one.address, two.address]);
});

test('a 20 MiB attachment arrives byte for byte', async () => {
  const address = await system.address('/large');
  const content = randomBytes(20 * 1024 * 1024 * 0.73); // Base64 makes it 20 MiB
  await system.mailer.sendMail({
    from: 'a@b.example',
    to: address.address,
    subject: 'large',
    text: 'large',
    attachments: [{ filename: 'large.bin', content }],
  });
  const webhook = await system.receiver.nth('/large', 1);
  expect(webhook.payload.attachments[0]).toMatchObject({
    filename: 'large.bin',
    size_bytes: content.byteLength,
  });
  expect(Buffer.from(webhook.payload.attachments[0]?.content ?? '', 'base64').equals(content)).toBe(
    true,
  );
  expect(signatureHolds(webhook, address.webhook_secret)).toBe(true);
});

test('X.1: every webhook is as the JSON Schema and the OpenAPI document of the API say', async () => {
  const { problems } = await webhookDocuments(system.standalone.state().api_url);
  const webhooks = system.receiver.received();
  expect(webhooks.length).toBeGreaterThan(5);
  expect(webhooks.flatMap((webhook) => problems('email', webhook))).toEqual([]);
  const [{ headers, payload } = expect.fail('no webhook')] = webhooks;
  const { 'webhook-id': _, ...others } = headers;
  const changed = { ...payload, plus_tag: 7, undeclared: true };
  expect(problems('email', { headers: others, payload: changed })).toEqual([
    expect.stringMatching(/email headers: .*webhook-id/s),
    expect.stringMatching(
      /openapi\.json: .*undeclared.*plus_tag|openapi\.json: .*plus_tag.*undeclared/s,
    ),
    expect.stringMatching(/payload\.schema\.json: .*plus_tag/s),
  ]);
});

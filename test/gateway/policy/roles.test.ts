/**
 * checklist 10: mail to postmaster@ and abuse@ reaches the operator of the service, or the tenant
 * that has such an address (RFC 5321 §4.5.1, RFC 2142 §4).
 */
import { expect, test } from 'vitest';

import { createDomains } from '../../../services/adapters/mongo/domain/domains.ts';
import { startPipeline } from '../../support/pipeline.ts';
import { dialogue } from '../../support/smtp-play.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { storedMails } from '../stored-mail.ts';

const ROLE_ADDRESS = 'ops4nv8x2k7c5q1z@in.example';
const pipeline = await useInFile(
  startPipeline({
    withDispatcher: false,
    env: { ROLE_ADDRESS: ROLE_ADDRESS.toUpperCase() },
  }),
);
const domains = createDomains(pipeline.mongo.db);
for (const domain of ['bare.example', 'catching.example', 'owning.example', 'claimed.example']) {
  const claimed = await domains.insert(
    { id: `dom_${domain}`, account_id: 'acc_1', environment: 'live', domain, token: '' },
    new Date(),
  );
  if (claimed && domain !== 'claimed.example') await domains.verify(claimed, new Date());
}
const operator = await pipeline.address('/unused', { address: ROLE_ADDRESS });
const catchAll = await pipeline.address('/unused', { address: '*@catching.example' });
const tenants = await pipeline.address('/unused', { address: 'postmaster@owning.example' });

/** The address that the email reached, or the reply to RCPT. */
async function reaches(mailbox: string, { smtpPort, nats } = pipeline) {
  const subject = `to ${mailbox}`;
  await using smtp = await dialogue(smtpPort);
  for (const line of ['EHLO x', 'MAIL FROM:<ann@sender.example>']) await smtp.say(line);
  const reply = await smtp.say(`RCPT TO:<${mailbox}>`);
  if (!reply.startsWith('250')) return reply.slice(0, 9);
  await smtp.say('DATA');
  await smtp.say(`Subject: ${subject}\r\n\r\n.`);
  const mails = (await storedMails(nats)).filter(
    ({ payload }) => payload.headers.subject === subject,
  );
  return mails.map(({ event, payload }) => [event.address_id, payload.envelope.rcpt_to]);
}

test.each([
  'postmaster@in.example',
  'ABUSE@in.example',
  'Postmaster',
  'postmaster@bare.example',
  'abuse@sub.bare.example',
  'abuse@owning.example',
])('%s reaches ROLE_ADDRESS', async (mailbox) => {
  expect(await reaches(mailbox)).toEqual([[operator.id, [mailbox]]]);
});

test('a tenant’s own address, or its catch-all, takes precedence', async () => {
  expect(await reaches('postmaster@owning.example')).toEqual([
    [tenants.id, ['postmaster@owning.example']],
  ]);
  expect(await reaches('abuse@catching.example')).toEqual([
    [catchAll.id, ['abuse@catching.example']],
  ]);
});

test.each([
  'postmaster@elsewhere.example',
  'postmaster@claimed.example',
  'hostmaster@in.example',
  'xpostmaster@in.example',
])('%s is unknown', async (mailbox) => {
  expect(await reaches(mailbox)).toBe('550 5.1.1');
});

test('without ROLE_ADDRESS such mail is refused', async () => {
  await using other = await startPipeline({ withDispatcher: false });
  expect([
    await reaches('postmaster@in.example', other),
    await reaches('postmaster', other),
  ]).toEqual(['550 5.1.1', '550 5.1.1']);
});

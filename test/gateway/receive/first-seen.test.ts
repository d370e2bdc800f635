/** X.4: `first_seen` over real SMTP: an author is known once an email was delivered. */
import { expect, test } from 'vitest';

import type { Rule } from '../../../services/core/rule/rule.ts';
import { compileExpression } from '../../../services/core/expression/expression.ts';
import { variablesOf } from '../../../services/core/expression/variables.ts';
import { knownAuthor } from '../../../services/core/decision/known-author.ts';
import { evaluateRules } from '../../../services/core/decision/rules.ts';
import { createAuthorAnswers } from '../../../services/gateway/content/author-answers.ts';
import { expressionFacts } from '../../core/expression/facts.ts';
import { startTestDns } from '../../support/dns-server.ts';
import { log } from '../../support/pipeline.ts';
import { publishKey, signed } from '../../support/signed-mail.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { startAuthenticating } from '../authenticating-gateway.ts';
import { storedMails } from '../stored-mail.ts';

const dns = await useInFile(startTestDns());
dns.set('_dmarc.partner.test', { TXT: ['v=DMARC1; p=none'] });
const partner = publishKey(dns, 'partner.test', 's1');
const pipeline = await useInFile(startAuthenticating(dns));

const TAG: Rule = { name: 'new', when: 'first_seen', action: 'tag', tags: ['new'] };
const HOLD: Rule = { name: 'new', when: 'first_seen', action: 'hold' };

let sent = 0;
const mail = (from = 'ann@partner.test') =>
  `From: ${from}\r\nTo: you@in.example\r\nSubject: Hello\r\nMessage-ID: <${++sent}@partner.test>\r\n` +
  'MIME-Version: 1.0\r\n\r\nHello\r\n';
const send = async (to: string, raw: string | Promise<string>) =>
  pipeline.mailer.sendMail({ envelope: { from: 'x@evil.test', to: [to] }, raw: await raw });
/** In the order in which the emails were made. */
const decisionsAt = async (id: string) =>
  (await storedMails(pipeline.nats, id))
    .map(({ event, payload }) => ({
      event,
      place: Number(/\d+/.exec(payload.headers.message_id ?? '')),
    }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ event: { tags = [], ruling } }) => [ruling?.action ?? 'deliver', ...tags]);

test('the first email of a proven author, a later one, and one in the same name', async () => {
  const { id, address } = await pipeline.address('/never', { rules: [TAG] });
  await send(address, signed(mail(), partner));
  await send(address, signed(mail(), partner));
  await send(address, signed(mail('Bob <bob@partner.test>'), partner));
  await send(address, mail()); // not signed: anybody can write it
  expect(await decisionsAt(id)).toEqual([
    ['deliver', 'new'],
    ['deliver'],
    ['deliver', 'new'],
    ['deliver', 'new'],
  ]);
});

test('whoever is held stays first seen until an email is delivered', async () => {
  const { id, address } = await pipeline.address('/never', { rules: [HOLD] });
  await send(address, signed(mail(), partner));
  await send(address, signed(mail(), partner));
  expect(await decisionsAt(id)).toEqual([['hold'], ['hold']]);
  expect(
    await pipeline.mongo.db.collection('known_authors').countDocuments({ address_id: id }),
  ).toBe(0);
});

test('a known author is written again only after a day', async () => {
  const { id, address } = await pipeline.address('/never', { rules: [TAG] });
  const authors = pipeline.mongo.db.collection('known_authors');
  const sightingAfterNext = async () => {
    await send(address, signed(mail(), partner));
    return ((await authors.findOne({ address_id: id })) as { seen_at?: Date } | null)?.seen_at;
  };
  const first = await sightingAfterNext();
  expect(await sightingAfterNext()).toEqual(first);
  await authors.updateOne(
    { address_id: id },
    { $set: { seen_at: new Date(Date.now() - 90_000_000) } },
  );
  expect(Number(await sightingAfterNext())).toBeGreaterThanOrEqual(Number(first));
  expect(await decisionsAt(id)).toEqual([['deliver', 'new'], ['deliver'], ['deliver']]);
});

test('an address that redacts authors knows none, and one that does not ask stores none', async () => {
  const redacting = await pipeline.address('/never', { rules: [TAG], redact: ['from'] });
  const other = await pipeline.address('/never', {
    rules: [{ ...TAG, when: 'sender != ""' }],
  });
  for (const { address } of [redacting, redacting, other])
    await send(address, signed(mail(), partner));
  expect(await decisionsAt(redacting.id)).toEqual([
    ['deliver', 'new'],
    ['deliver', 'new'],
  ]);
  const address_id = { $in: [redacting.id, other.id] };
  expect(await pipeline.mongo.db.collection('known_authors').countDocuments({ address_id })).toBe(
    0,
  );
});

test('of emails at the same time, at least one is the first', async () => {
  const { id, address } = await pipeline.address('/never', { rules: [TAG] });
  await Promise.all([1, 2, 3, 4].map(() => send(address, signed(mail(), partner))));
  await send(address, signed(mail(), partner));
  const decisions = await decisionsAt(id);
  expect(decisions.filter((one) => one.includes('new')).length).toBeGreaterThan(0);
  expect(decisions.at(-1)).toEqual(['deliver']);
});

test('without an answer of MongoDB, the sender is asked to try again', async () => {
  const never = { find: () => Promise.reject(new Error('away')), add: () => Promise.reject() };
  const answers = createAuthorAnswers(never, () => new Date(), log);
  expect(await answers.find(['key'])).toBeNull();
  await answers.add([knownAuthor({ id: 'addr_1', account_id: 'acc_1' }, 'ann@partner.test')]);
  const base = expressionFacts({ from: 'ann@partner.test', subject: '', dmarc: 'pass' });
  const facts = { ...base, firstSeen: 'unknown' as const };
  for (const action of ['refuse', 'hold', 'drop'] as const) {
    const outcome = evaluateRules({ account: [], address: [{ ...HOLD, action }] }, facts);
    expect(outcome).toMatchObject({
      action: 'later',
      reply: { code: 451 },
      accepted: { action: 'hold', reason: 'sender_not_checked' },
    });
  }
  const { expression } = compileExpression('first_seen');
  expect(expression?.evaluate(variablesOf(facts)).error?.message).toContain('did not answer');
  expect(expression?.evaluate(variablesOf(base)).error?.message).toContain('only when');
});
